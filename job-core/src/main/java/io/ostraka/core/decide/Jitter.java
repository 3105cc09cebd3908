package io.ostraka.core.decide;

import io.ostraka.api.Schedule;
import java.time.Duration;

/** How much later than its fires an item starts: a hash of job and item, so that every instance knows the same. */
final class Jitter {
    private Jitter() {}

    /** Returns it, in whole milliseconds; zero for a schedule without. */
    static Duration of(Schedule schedule, String job, String item) {
        if (!(schedule instanceof Schedule.Bounded bounded) || bounded.jitter().isZero()) {
            return Duration.ZERO;
        }
        return Duration.ofMillis(
                Math.floorMod(mixed(job, item), bounded.jitter().toMillis()));
    }

    /** Texts that differ in one place hash alike; the steps of SplitMix64 spread them. */
    private static long mixed(String job, String item) {
        long hash = ((long) job.hashCode() << 32) | (item.hashCode() & 0xffff_ffffL);
        hash = (hash ^ (hash >>> 30)) * 0xbf58476d1ce4e5b9L;
        hash = (hash ^ (hash >>> 27)) * 0x94d049bb133111ebL;
        return hash ^ (hash >>> 31);
    }
}
