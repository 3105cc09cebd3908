package io.ostraka.testkit;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Keeps what one logger writes from INFO on, though the build has it write less, until closed. */
final class InfoLog implements AutoCloseable {
    private final Logger logger;
    private final int level;
    private final CapturedLog captured;

    InfoLog(String logger) throws ReflectiveOperationException {
        this.logger = LoggerFactory.getLogger(logger);
        level = exchangeLevel(Level.INFO.toInt());
        captured = new CapturedLog();
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
        return captured.lines(text);
    }

    @Override
    public void close() throws ReflectiveOperationException {
        captured.close();
        exchangeLevel(level);
    }
}
