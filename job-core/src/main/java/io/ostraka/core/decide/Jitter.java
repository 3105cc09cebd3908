package io.ostraka.core.decide;

import io.ostraka.api.Schedule;
import java.time.Duration;

/** The delay between a fire and its start: a hash of job and item, so that every instance computes the same delay. */
final class Jitter {
    private Jitter() {}

    /** Returns the delay in whole milliseconds; zero for a schedule without jitter. */
    static Duration of(Schedule schedule, String job, String item) {
        if (!(schedule instanceof Schedule.Bounded bounded) || bounded.jitter().isZero()) {
            return Duration.ZERO;
        }
        return Duration.ofMillis(
                Math.floorMod(mixed(job, item), bounded.jitter().toMillis()));
    }

    /** Returns a hash for keys that differ in a single character; the steps of SplitMix64 spread it. */
    private static long mixed(String job, String item) {
        long hash = ((long) job.hashCode() << 32) | (item.hashCode() & 0xffff_ffffL);
        hash = (hash ^ (hash >>> 30)) * 0xbf58476d1ce4e5b9L;
        hash = (hash ^ (hash >>> 27)) * 0x94d049bb133111ebL;
        return hash ^ (hash >>> 31);
    }
}
