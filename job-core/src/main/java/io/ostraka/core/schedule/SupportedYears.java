package io.ostraka.core.schedule;

import java.time.Instant;

/**
 * The range of instants that schedules support. An earlier or later instant is replaced by the nearest end of the
 * range, so that arithmetic with instants cannot overflow.
 */
public final class SupportedYears {
    /** Earliest supported instant. Its local time is before 1970 in every time zone. */
    static final Instant FIRST = Instant.parse("1969-12-30T00:00:00Z");

    /** Latest supported instant. */
    public static final Instant LAST = Instant.parse("9999-12-31T00:00:00Z");

    private SupportedYears() {}

    /** Returns the supported instant that is nearest to the given one. */
    static Instant clamp(Instant instant) {
        if (instant.isBefore(FIRST)) {
            return FIRST;
        }
        return instant.isAfter(LAST) ? LAST : instant;
    }

    /** Returns the supported instant that is nearest to the given one, in milliseconds since 1970-01-01T00:00Z. */
    public static long millis(Instant instant) {
        return clamp(instant).toEpochMilli();
    }
}
