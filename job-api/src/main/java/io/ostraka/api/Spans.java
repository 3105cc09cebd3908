package io.ostraka.api;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Checks durations and instants of schedules. */
final class Spans {
    private Spans() {}

    static void require(String what, Duration span, int leastMillis) {
        if (span.compareTo(Duration.ofMillis(leastMillis)) < 0
                || span.compareTo(Schedule.LONGEST) > 0
                || span.toNanosPart() % 1_000_000 != 0) {
            throw new IllegalArgumentException(
                    what + " is " + span + "; accepted: whole milliseconds, from " + leastMillis + " ms to 36500 days");
        }
    }

    /**
     * Returns the instant in whole milliseconds.
     *
     * @throws IllegalArgumentException if the instant is out of range
     */
    static Instant require(String what, Instant instant) {
        if (instant.isBefore(Instant.EPOCH) || instant.isAfter(Schedule.LATEST)) {
            throw new IllegalArgumentException(
                    what + " is " + instant + "; accepted: from " + Instant.EPOCH + " to " + Schedule.LATEST);
        }
        return instant.truncatedTo(ChronoUnit.MILLIS);
    }
}
