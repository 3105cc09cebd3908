package io.ostraka.testkit;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Keeps what is written to standard error, where the log of tests goes, until closed; of one logger from INFO on. */
final class CapturedLog implements AutoCloseable {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final Logger logger;
    private final int level;

    /** @param logger whose level the build sets higher */
    CapturedLog(String logger) throws ReflectiveOperationException {
        this.logger = LoggerFactory.getLogger(logger);
        level = exchangeLevel(Level.INFO.toInt());
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
    }

    /** The simple logger has no other way. */
    private int exchangeLevel(int next) throws ReflectiveOperationException {
        var field = logger.getClass().getDeclaredField("currentLogLevel");
        field.setAccessible(true);
        int present = field.getInt(logger);
        field.setInt(logger, next);
        return present;
    }

    /** Returns the lines that hold a text. */
    List<String> lines(String text) {
        return written.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains(text))
                .toList();
    }

    @Override
    public void close() throws ReflectiveOperationException {
        System.setErr(before);
        exchangeLevel(level);
    }
}
