package io.ostraka.core.schedule;

import java.time.Instant;

/** The years that schedules know, so that no arithmetic with instants overflows: callers may pass any instant. */
public final class SupportedYears {
    /** Before 1970 in every zone. */
    static final Instant FIRST = Instant.parse("1969-12-30T00:00:00Z");

    public static final Instant LAST = Instant.parse("9999-12-31T00:00:00Z");

    private SupportedYears() {}

    /** The nearest instant that schedules know. */
    static Instant clamp(Instant instant) {
        if (instant.isBefore(FIRST)) {
            return FIRST;
        }
        return instant.isAfter(LAST) ? LAST : instant;
    }

    /** The same, cut to milliseconds since 1970. */
    public static long millis(Instant instant) {
        return clamp(instant).toEpochMilli();
    }
}
