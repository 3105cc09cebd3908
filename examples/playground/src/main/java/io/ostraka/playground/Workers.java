package io.ostraka.playground;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

/** The workers of the playground. Closing this object ends them. Thread-safe. */
final class Workers implements AutoCloseable {
    private static final String LOG_SETTINGS = "org.slf4j.simpleLogger.";
    private static final List<String> NAMES = List.of("worker-1", "worker-2", "worker-3");
    private static final String LAST = "worker-3";
    private static final int LOG_LINES = 20;

    private final Path logs;
    private final Map<String, Worker> all = new LinkedHashMap<>();
    private final Map<String, String> ofLast;
    private boolean closed;

    /**
     * Creates the workers, without processes.
     *
     * @param arguments arguments of {@link WorkerMain} after the name
     * @param password password of the database
     * @param ofLast additional environment variables of the last worker, until a visitor starts it again
     */
    Workers(List<String> arguments, String password, Map<String, String> ofLast, Guard guard) {
        this.logs = guard.directory();
        this.ofLast = Map.copyOf(ofLast);
        for (String name : NAMES) {
            ProcessBuilder builder = new ProcessBuilder(command(name, arguments))
                    .redirectError(ProcessBuilder.Redirect.appendTo(log(name).toFile()));
            builder.environment().put(WorkerMain.PASSWORD, password);
            if (name.equals(LAST)) {
                builder.environment().putAll(ofLast);
            }
            all.put(name, new Worker(name, builder, guard));
        }
    }

    private static List<String> command(String name, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+IgnoreUnrecognizedVMOptions", // the next two options suppress warnings of newer JVMs
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-Xmx96m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1")); // the code is not busy, and starts faster
        System.getProperties().stringPropertyNames().stream()
                .filter(key -> key.startsWith(LOG_SETTINGS) && !key.equals(LOG_SETTINGS + "logFile"))
                .forEach(key -> command.add("-D" + key + "=" + System.getProperty(key)));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), WorkerMain.class.getName(), name));
        command.addAll(arguments);
        return command;
    }

    private Path log(String name) {
        return logs.resolve(name + ".log");
    }

    /**
     * Starts all workers, and returns when they have registered their jobs.
     *
     * @throws IllegalStateException if a worker does not start; the message contains the end of its log
     */
    void startAll() {
        NAMES.forEach(this::start);
        for (Worker worker : all.values()) {
            try {
                worker.ready().join();
            } catch (CompletionException e) {
                throw new IllegalStateException(e.getMessage() + "\n" + endOfLog(worker.name()), e);
            }
        }
    }

    private String endOfLog(String name) {
        try (Stream<String> lines = Files.lines(log(name))) {
            List<String> text = lines.toList();
            return String.join("\n", text.subList(Math.max(0, text.size() - LOG_LINES), text.size()));
        } catch (IOException e) {
            return "its log is not readable: " + e.getMessage();
        }
    }

    /** Returns the worker with a name; empty if there is none. */
    Optional<Worker> find(String name) {
        return Optional.ofNullable(all.get(name));
    }

    /** Lists the workers, by name. */
    List<Worker.View> list() {
        return all.values().stream().map(Worker::view).toList();
    }

    /**
     * Starts a process for a dead worker, as a visitor who has mended its host. A wrong clock is right then.
     *
     * @throws IllegalStateException if the worker is not dead, or the playground ends
     */
    void startMended(String name) {
        find(name).ifPresent(worker -> worker.forget(ofLast.keySet()));
        start(name);
    }

    private void start(String name) {
        synchronized (this) {
            if (closed) {
                throw new IllegalStateException("the playground is ending");
            }
            find(name).ifPresent(Worker::start);
        }
    }

    /** Kills all processes, and returns when they have ended. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        CompletableFuture.allOf(all.values().stream()
                        .map(each -> CompletableFuture.runAsync(each::kill))
                        .toArray(CompletableFuture[]::new))
                .join();
    }
}
