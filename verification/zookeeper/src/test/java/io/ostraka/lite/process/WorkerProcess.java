package io.ostraka.lite.process;

import io.ostraka.fixtures.process.Program;
import io.ostraka.fixtures.process.RunningProgram;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.List;

/** Controls a worker in a separate process, and records its events. Confined to the test's thread. */
final class WorkerProcess {
    /** Detail of the {@link Event.Kind#SIGNALLED} event of a process that is paused from then on. */
    static final String STOP = "STOP";

    /** Logger of the report at shutdown, which tests read. */
    private static final String SHUTDOWN_REPORT = "io.ostraka.core.instance.ShutdownReport";

    private static final String LOG = "org.slf4j.simpleLogger.";

    private final String name;
    private final Recorder recorder;
    private final RunningProgram process;

    /** Starts a {@link HoldingWorker}. */
    WorkerProcess(String name, List<String> arguments, Recorder recorder) throws IOException {
        this(name, HoldingWorker.class, arguments, recorder);
    }

    /** Starts a worker with this main class. */
    WorkerProcess(String name, Class<?> main, List<String> arguments, Recorder recorder) throws IOException {
        this.name = name;
        this.recorder = recorder;
        this.process = Program.java(main)
                .jvm("-Xmx96m")
                .jvm(System.getProperties().stringPropertyNames().stream()
                        .filter(property -> property.startsWith(LOG))
                        .map(property -> "-D" + property + "=" + System.getProperty(property))
                        .toArray(String[]::new))
                .jvm("-D" + LOG + "log." + SHUTDOWN_REPORT + "=info")
                .arguments(arguments.toArray())
                .errors(Redirect.PIPE)
                .start(line -> recorder.add(Event.parse(name, line).orElseGet(() -> event(Event.Kind.LOG, line))));
        process.onExit().thenAccept(code -> recorder.add(event(Event.Kind.EXITED, Integer.toString(code))));
    }

    private Event event(Event.Kind kind, String detail) {
        return Event.of(name, kind, "", "", "", detail);
    }

    String name() {
        return name;
    }

    long pid() {
        return process.pid();
    }

    /** Makes the worker trigger a run of a job in which the given items are held. */
    void execute(String request, String job, String... held) {
        process.tell("execute " + request + " " + job + " " + String.join(",", held));
    }

    /** Releases that many runs of an item, including future ones. */
    void release(String job, String item, int runs) {
        process.tell("release " + job + " " + item + " " + runs);
    }

    /** Pauses the process with SIGSTOP, or resumes it. */
    void pause(boolean stop) {
        recorder.add(event(Event.Kind.SIGNALLED, stop ? STOP : "CONT"));
        if (stop) {
            process.stop();
        } else {
            process.go();
        }
    }

    /** Sends the process SIGKILL or SIGTERM; {@link #awaitExit} waits for its end. */
    void signal(boolean kill) {
        recorder.add(event(Event.Kind.SIGNALLED, kill ? "KILL" : "TERM"));
        if (kill) {
            process.handle().destroyForcibly();
        } else {
            process.terminate();
        }
    }

    /** Waits until the process ended and all its output was read; returns its exit value. */
    int awaitExit() throws InterruptedException {
        recorder.await(
                name + " to end",
                event -> event.kind() == Event.Kind.EXITED && event.worker().equals(name));
        return process.exitCode();
    }

    /** Kills the process, even a paused one, and waits for its end. */
    void destroy() {
        process.close();
    }
}
