package io.ostraka.examples.rolling;

import io.ostraka.fixtures.process.Program;
import io.ostraka.fixtures.process.RunningProgram;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A process of the application, with its log. Thread-safe. */
final class ApplicationProcess implements AutoCloseable {
    private static final int SHOWN_LINES = 40;
    private static final Pattern ERROR = Pattern.compile("^\\S+ +ERROR ");
    private static final Pattern WARNING = Pattern.compile("^\\S+ +WARN ");

    private final RunningProgram process;
    private final Path log;
    private volatile boolean signalled;

    /**
     * Starts the application.
     *
     * @param log file of its log, and of its standard error
     */
    ApplicationProcess(Path log, List<String> arguments) throws IOException {
        this.log = Files.createFile(log);
        process = Program.java(RecordedApplication.class)
                .log(log)
                .classPath(classPath())
                .jvm("-Xmx128m")
                .arguments(arguments.toArray())
                .start(this::write);
    }

    /** Returns the class path without the log provider of the tests. */
    private static String classPath() {
        return Pattern.compile(Pattern.quote(File.pathSeparator))
                .splitAsStream(System.getProperty("java.class.path"))
                .filter(entry -> !entry.contains("slf4j-simple"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private void write(String line) {
        try {
            Files.writeString(log, line + "\n", StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    long pid() {
        return process.pid();
    }

    /** Returns whether the process has ended, although this test has sent no signal to it. */
    boolean hasCrashed() {
        return !signalled && !process.isAlive();
    }

    /** Sends SIGTERM. */
    void terminate() {
        signalled = true;
        process.terminate();
    }

    /** Sends SIGKILL. Returns when the process has ended. */
    void kill() {
        signalled = true;
        process.kill();
    }

    /**
     * Waits for the end of the process and returns its exit code.
     *
     * @throws TimeoutException if the process does not end within the limit
     */
    int exitCode(Duration limit) throws Exception {
        return process.onExit().get(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Returns the lines of the log with level ERROR. */
    List<String> errors() {
        return lines(ERROR);
    }

    List<String> warnings() {
        return lines(WARNING);
    }

    private List<String> lines(Pattern level) {
        try (var lines = Files.lines(log)) {
            return lines.filter(level.asPredicate()).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the whole log. */
    String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the name and the end of the log, for failed assertions. */
    @Override
    public String toString() {
        List<String> lines = log().lines().toList();
        return log + ":\n" + String.join("\n", lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size()))
                + "\n";
    }

    @Override
    public void close() {
        process.close();
    }
}
