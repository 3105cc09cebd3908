package io.ostraka.lite.security;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Keeps what is written to standard error, where the log of tests goes, until closed. */
final class CapturedLog implements AutoCloseable {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    CapturedLog() {
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
    }

    String text() {
        return written.toString(StandardCharsets.UTF_8);
    }

    /** Returns how many lines hold a text. */
    long lines(String text) {
        return text().lines().filter(line -> line.contains(text)).count();
    }

    @Override
    public void close() {
        System.setErr(before);
    }
}
