package io.ostraka.cli;

import io.ostraka.cli.terminal.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The outcome of a command line that ran in this process, over a real connection and without a terminal.
 *
 * @param code exit code
 * @param out standard output
 * @param err standard error
 */
record Ran(int code, String out, String err) {
    /** @param home home directory, for the file of the contexts */
    static Ran of(Path home, List<String> arguments) {
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        ByteArrayOutputStream talk = new ByteArrayOutputStream();
        Terminal terminal = new Terminal(
                new PrintStream(data, false, StandardCharsets.UTF_8),
                new PrintStream(talk, false, StandardCharsets.UTF_8),
                null,
                0,
                false);
        int code = Cli.run(
                new Surroundings(terminal, Map.of("HOME", home.toString()), Clock.systemUTC(), Ran::pause, Main::open),
                arguments.toArray(String[]::new));
        return new Ran(code, data.toString(StandardCharsets.UTF_8), talk.toString(StandardCharsets.UTF_8));
    }

    static boolean pause() {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        return true;
    }

    /** Returns the data without times, which differ between two calls. */
    List<String> comparable() {
        return out.lines().map(Ran::withoutTimes).toList();
    }

    /** Returns whether both lines had the same outcome, apart from times. */
    boolean agreesWith(Ran other) {
        return code == other.code
                && comparable().equals(other.comparable())
                && message().equals(other.message());
    }

    /** Returns the messages without times. */
    String message() {
        return withoutTimes(err);
    }

    private static String withoutTimes(String text) {
        return text.replaceAll("\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z?", "TIME")
                .replaceAll("\\((in )?\\d+ (ms|s|min|h|d)( \\d+ (s|min|h))?( ago)?\\)|\\(now\\)", "(THEN)")
                .replaceAll("\\bin \\d+ (s|min|h|d)( \\d+ (s|min|h))?", "THEN")
                .replaceAll(" +", " ");
    }
}
