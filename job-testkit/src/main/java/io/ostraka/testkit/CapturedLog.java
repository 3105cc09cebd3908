package io.ostraka.testkit;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Keeps what is written to standard error, where SLF4J's simple logger writes, until closed. It is the whole process's: for
 * tests that run one after the other.
 */
public final class CapturedLog implements AutoCloseable {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    /** Begins. */
    public CapturedLog() {
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
    }

    /** Returns all that was written so far. */
    public String text() {
        return written.toString(StandardCharsets.UTF_8);
    }

    /** Returns the lines that hold a text. */
    public List<String> lines(String text) {
        return text().lines().filter(line -> line.contains(text)).toList();
    }

    @Override
    public void close() {
        System.setErr(before);
    }
}
