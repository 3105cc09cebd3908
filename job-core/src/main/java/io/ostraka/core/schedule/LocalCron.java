package io.ostraka.core.schedule;

import java.time.LocalDateTime;
import java.util.Locale;
import java.util.Optional;

/**
 * A cron expression that is evaluated for local times, without a time zone or daylight saving. Times are whole seconds.
 * Immutable and thread-safe.
 */
interface LocalCron {
    /** Earliest time of a fire. */
    LocalDateTime FIRST = LocalDateTime.of(1970, 1, 1, 0, 0);

    /** Returns the first matching time after a time; empty if there is none within about a century. */
    Optional<LocalDateTime> after(LocalDateTime time);

    /**
     * Returns the first matching time at or after a time; empty if there is none within about a century.
     *
     * @param time whole seconds
     */
    default Optional<LocalDateTime> atOrAfter(LocalDateTime time) {
        return after(time.minusSeconds(1));
    }

    /** Returns the fields of an expression in upper case. */
    static String[] fields(String expression) {
        return expression.toUpperCase(Locale.ROOT).strip().split("[ \\t]+");
    }
}
