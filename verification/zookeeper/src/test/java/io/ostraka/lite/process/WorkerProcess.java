package io.ostraka.lite.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Controls a worker in a separate process. Confined to the test's thread. */
final class WorkerProcess {
    /** Detail of the {@link Event.Kind#SIGNALLED} event of a process that is paused from then on. */
    static final String STOP = "STOP";

    /** Logger of the report at shutdown, which tests read. */
    private static final String SHUTDOWN_REPORT = "io.ostraka.core.instance.ShutdownReport";

    private static final long LIMIT_SECONDS = 60;

    private final String name;
    private final Recorder recorder;
    private final Process process;
    private final List<Thread> readers = new ArrayList<>();

    /** Starts a {@link HoldingWorker}. */
    WorkerProcess(String name, List<String> arguments, Recorder recorder) throws IOException {
        this(name, HoldingWorker.class, arguments, recorder);
    }

    /** Starts a worker with this main class. */
    WorkerProcess(String name, Class<?> main, List<String> arguments, Recorder recorder) throws IOException {
        this.name = name;
        this.recorder = recorder;
        this.process = new ProcessBuilder(command(main, arguments)).start();
        read(process.inputReader(StandardCharsets.UTF_8), line -> Event.parse(name, line)
                .ifPresent(recorder::add));
        read(
                process.errorReader(StandardCharsets.UTF_8),
                line -> recorder.add(Event.of(name, Event.Kind.LOG, "", "", "", line)));
    }

    private static List<String> command(Class<?> main, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx96m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1")); // the process lives for seconds only
        if (Runtime.version().feature() >= 24) {
            command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        }
        System.getProperties().stringPropertyNames().stream()
                .filter(property -> property.startsWith("org.slf4j.simpleLogger."))
                .forEach(property -> command.add("-D" + property + "=" + System.getProperty(property)));
        command.add("-Dorg.slf4j.simpleLogger.log." + SHUTDOWN_REPORT + "=info");
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        return command;
    }

    private void read(BufferedReader reader, Consumer<String> onLine) {
        Thread thread = new Thread(
                () -> {
                    try (reader) {
                        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                            onLine.accept(line);
                        }
                    } catch (IOException e) {
                        recorder.add(Event.of(name, Event.Kind.LOG, "", "", "", "unreadable: " + e));
                    }
                },
                "read-" + name);
        thread.setDaemon(true);
        thread.start();
        readers.add(thread);
    }

    String name() {
        return name;
    }

    long pid() {
        return process.pid();
    }

    /** Makes the worker trigger a run of a job in which the given items are held. */
    void execute(String request, String job, String... held) throws IOException {
        send("execute " + request + " " + job + " " + String.join(",", held));
    }

    /** Releases that many runs of an item, including future ones. */
    void release(String job, String item, int runs) throws IOException {
        send("release " + job + " " + item + " " + runs);
    }

    private void send(String command) throws IOException {
        OutputStream commands = process.getOutputStream();
        commands.write((command + "\n").getBytes(StandardCharsets.UTF_8));
        commands.flush();
    }

    /** Pauses the process with SIGSTOP, or resumes it. */
    void pause(boolean stop) throws IOException, InterruptedException {
        String signal = stop ? STOP : "CONT";
        recorder.add(Event.of(name, Event.Kind.SIGNALLED, "", "", "", signal));
        int exit = new ProcessBuilder("kill", "-" + signal, "" + pid()).start().waitFor();
        if (exit != 0) {
            throw new IOException("kill -" + signal + " of " + name + " failed: " + exit);
        }
    }

    /** Sends the process SIGKILL or SIGTERM; {@link #awaitExit} waits for its end. */
    void signal(boolean kill) {
        recorder.add(Event.of(name, Event.Kind.SIGNALLED, "", "", "", kill ? "KILL" : "TERM"));
        // the methods of Process would close its streams too
        if (kill) {
            process.toHandle().destroyForcibly();
        } else {
            process.toHandle().destroy();
        }
    }

    /** Waits until the process ended and all its output was read; returns its exit value. */
    int awaitExit() throws InterruptedException {
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError(name + " has not ended; events:\n" + recorder);
        }
        recorder.add(Event.of(name, Event.Kind.EXITED, "", "", "", "" + process.exitValue()));
        for (Thread reader : readers) {
            reader.join(TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
        }
        return process.exitValue();
    }

    /** Kills the process, even a paused one, and waits for its end. */
    void destroy() {
        process.destroyForcibly().onExit().join();
    }
}
