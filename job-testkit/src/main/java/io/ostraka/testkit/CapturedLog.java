package io.ostraka.testkit;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Captures standard error, to which SLF4J's simple logger writes, until this object is closed. The capture affects the
 * whole process, so tests that use this class must run one after the other.
 */
public final class CapturedLog implements AutoCloseable {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    /** Starts the capture. */
    public CapturedLog() {
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
    }

    /** Returns the text captured so far. */
    public String text() {
        return written.toString(StandardCharsets.UTF_8);
    }

    /** Returns the captured lines that contain the given text. */
    public List<String> lines(String text) {
        return text().lines().filter(line -> line.contains(text)).toList();
    }

    @Override
    public void close() {
        System.setErr(before);
    }
}
