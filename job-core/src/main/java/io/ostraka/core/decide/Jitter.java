package io.ostraka.core.decide;

import io.ostraka.api.Schedule;
import java.time.Duration;

/**
 * Computes the jitter of an item: the delay between a fire's due time and its start. The jitter is a hash of the job's
 * name and the item's key, so every instance computes the same value.
 */
final class Jitter {
    private Jitter() {}

    /**
     * Returns the item's jitter in whole milliseconds, at least 0 and less than the schedule's jitter. It is 0 if the
     * schedule has no jitter.
     */
    static Duration of(Schedule schedule, String job, String item) {
        if (!(schedule instanceof Schedule.Bounded bounded) || bounded.jitter().isZero()) {
            return Duration.ZERO;
        }
        return Duration.ofMillis(
                Math.floorMod(mixed(job, item), bounded.jitter().toMillis()));
    }

    /**
     * Returns a hash that is well distributed even for keys that differ in only one character. The mixing steps are
     * those of SplitMix64.
     */
    private static long mixed(String job, String item) {
        long hash = ((long) job.hashCode() << 32) | (item.hashCode() & 0xffff_ffffL);
        hash = (hash ^ (hash >>> 30)) * 0xbf58476d1ce4e5b9L;
        hash = (hash ^ (hash >>> 27)) * 0x94d049bb133111ebL;
        return hash ^ (hash >>> 31);
    }
}
