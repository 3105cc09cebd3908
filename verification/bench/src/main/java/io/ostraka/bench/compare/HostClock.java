package io.ostraka.bench.compare;

import java.time.Duration;
import java.time.Instant;

/** Converts between the two clocks that all processes of this host share. */
final class HostClock {
    private HostClock() {}

    static long millis() {
        return System.currentTimeMillis();
    }

    /** Returns the value that {@link System#nanoTime} has at a past or future instant of the wall clock. */
    static long nanos(Instant at) {
        return System.nanoTime() - Duration.between(at, Instant.now()).toNanos();
    }

    static long nanos(long millis) {
        return nanos(Instant.ofEpochMilli(millis));
    }

    /** Sleeps until the wall clock shows the given milliseconds since 1970. Returns at once if this time has passed. */
    static void sleepUntil(long millis) throws InterruptedException {
        Thread.sleep(Math.max(0, millis - millis()));
    }

    static double millisBetween(long fromNanos, long toNanos) {
        return Math.round((toNanos - fromNanos) / 1e4) / 100.0;
    }

    static double secondsBetween(long fromNanos, long toNanos) {
        return Math.round((toNanos - fromNanos) / 1e7) / 100.0;
    }
}
