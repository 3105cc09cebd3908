package io.ostraka.remote;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Captures standard error, to which tests write their log, until it is closed. Meanwhile {@link RemoteConfiguration}
 * logs at level INFO, although the build configures a higher level.
 */
final class InfoLog implements AutoCloseable {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final int level = exchangeLevel(Level.INFO.toInt());

    InfoLog() throws ReflectiveOperationException {
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
    }

    /** Sets the level and returns the previous one. Uses reflection, since the simple logger has no method for this. */
    private static int exchangeLevel(int next) throws ReflectiveOperationException {
        Logger logger = LoggerFactory.getLogger(RemoteConfiguration.class);
        var field = logger.getClass().getDeclaredField("currentLogLevel");
        field.setAccessible(true);
        int present = field.getInt(logger);
        field.setInt(logger, next);
        return present;
    }

    String text() {
        return written.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws ReflectiveOperationException {
        System.setErr(before);
        exchangeLevel(level);
    }
}
