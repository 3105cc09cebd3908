package io.ostraka.core.schedule;

import java.time.Instant;

/**
 * The range of instants that schedules support. Instants outside are moved to its ends, which prevents arithmetic
 * overflow.
 */
public final class SupportedYears {
    /** Earliest supported instant: in every time zone, a local time before 1970. */
    static final Instant FIRST = Instant.parse("1969-12-30T00:00:00Z");

    public static final Instant LAST = Instant.parse("9999-12-31T00:00:00Z");

    private SupportedYears() {}

    /** Returns the nearest supported instant. */
    static Instant clamp(Instant instant) {
        if (instant.isBefore(FIRST)) {
            return FIRST;
        }
        return instant.isAfter(LAST) ? LAST : instant;
    }

    /** Returns the nearest supported instant, in milliseconds since 1970-01-01T00:00Z. */
    public static long millis(Instant instant) {
        return clamp(instant).toEpochMilli();
    }
}
