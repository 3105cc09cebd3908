package io.ostraka.core;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Captures standard error, to which tests write their log, until it is closed. */
public final class CapturedErrors implements AutoCloseable {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    public CapturedErrors() {
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
    }

    public String text() {
        return written.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        System.setErr(before);
    }
}
