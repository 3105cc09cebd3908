package io.ostraka.testkit;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Records the lines of some loggers at level INFO and above, although the build configures a higher level. Recording
 * ends with {@link #close}.
 */
public final class InfoLog implements AutoCloseable {
    private final Map<Logger, Integer> levels = new HashMap<>();
    private final CapturedLog captured;

    /** Starts the recording of the loggers with the given names. */
    public InfoLog(String... loggers) throws ReflectiveOperationException {
        for (String name : loggers) {
            Logger logger = LoggerFactory.getLogger(name);
            levels.put(logger, exchangeLevel(logger, Level.INFO.toInt()));
        }
        captured = new CapturedLog();
    }

    /**
     * Sets the level of a logger and returns the previous level. Uses reflection, since the simple logger has no method
     * for this.
     */
    private static int exchangeLevel(Logger logger, int next) throws ReflectiveOperationException {
        var field = logger.getClass().getDeclaredField("currentLogLevel");
        field.setAccessible(true);
        int present = field.getInt(logger);
        field.setInt(logger, next);
        return present;
    }

    /** Returns the recorded lines that contain the text. */
    public List<String> lines(String text) {
        return captured.lines(text);
    }

    @Override
    public void close() throws ReflectiveOperationException {
        captured.close();
        for (Map.Entry<Logger, Integer> level : levels.entrySet()) {
            exchangeLevel(level.getKey(), level.getValue());
        }
    }
}
