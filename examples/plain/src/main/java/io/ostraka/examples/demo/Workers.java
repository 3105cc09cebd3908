package io.ostraka.examples.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts worker processes and ends them with the demo. Thread-safe. */
final class Workers implements AutoCloseable {
    private static final String LOG_SETTINGS = "org.slf4j.simpleLogger.";

    private final List<String> arguments;
    private final String password;
    private final Path directory;
    private final Board board;
    private final List<Worker> all = new ArrayList<>();
    private boolean closed;

    /**
     * Creates the object, without starting workers.
     *
     * @param arguments arguments of {@link SettlementWorker}
     * @param password password of the database
     * @param directory directory of the workers' logs
     * @param board receives the workers' reports
     */
    Workers(List<String> arguments, String password, Path directory, Board board) {
        this.arguments = arguments;
        this.password = password;
        this.directory = directory;
        this.board = board;
    }

    /** Starts another worker. */
    synchronized Worker start() throws IOException {
        if (closed) {
            throw new IOException("the demo is ending");
        }
        String name = "w" + (all.size() + 1);
        var builder = new ProcessBuilder(command())
                .redirectError(directory.resolve(name + ".log").toFile());
        builder.environment().put(SettlementWorker.PASSWORD, password);
        Worker worker = new Worker(name, builder.start(), board);
        all.add(worker);
        return worker;
    }

    private List<String> command() {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+IgnoreUnrecognizedVMOptions", // the next two options suppress warnings of newer JVMs about
                // libraries
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-Xmx96m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1")); // suits a process that lives for half a minute
        System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith(LOG_SETTINGS) && !name.equals(LOG_SETTINGS + "logFile"))
                .forEach(name -> command.add("-D" + name + "=" + System.getProperty(name)));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), SettlementWorker.class.getName()));
        command.addAll(arguments);
        return command;
    }

    /** Returns all workers, in the order in which they were started. */
    synchronized List<Worker> all() {
        return List.copyOf(all);
    }

    @Override
    public synchronized void close() {
        closed = true;
        all.forEach(Worker::destroy);
    }
}
