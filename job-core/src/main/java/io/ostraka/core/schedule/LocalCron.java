package io.ostraka.core.schedule;

import java.time.LocalDateTime;
import java.util.Locale;
import java.util.Optional;

/**
 * A cron expression on the local time line, which knows no zone and no daylight saving. Immutable and thread-safe;
 * times are whole seconds.
 */
interface LocalCron {
    /** Where looking for fires begins. */
    LocalDateTime FIRST = LocalDateTime.of(1970, 1, 1, 0, 0);

    /** Returns the first time after another, empty when there is none any more; looks about a century ahead. */
    Optional<LocalDateTime> after(LocalDateTime time);

    /**
     * The same, the given time included.
     *
     * @param time whole seconds
     */
    default Optional<LocalDateTime> atOrAfter(LocalDateTime time) {
        return after(time.minusSeconds(1));
    }

    /** Returns the fields of an expression, in capitals. */
    static String[] fields(String expression) {
        return expression.toUpperCase(Locale.ROOT).strip().split("[ \\t]+");
    }
}
