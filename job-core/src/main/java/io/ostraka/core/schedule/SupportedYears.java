package io.ostraka.core.schedule;

import java.time.Instant;

/** Range of years that schedules support. Any instant may be passed in; the range prevents overflows. */
public final class SupportedYears {
    /** Earliest supported instant, before 1970 in every zone. */
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

    /** Returns the nearest supported instant in milliseconds since 1970. */
    public static long millis(Instant instant) {
        return clamp(instant).toEpochMilli();
    }
}
