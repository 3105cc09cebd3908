package io.ostraka.core.time;

import java.time.Duration;

/**
 * Limits a periodic task to a tenth of the time: after the task has run, it does not run again for nine times as long
 * as it took. Not thread-safe.
 */
public final class TenthOfTime {
    private static final int REST = 9;
    /** Longest rest. A task that took longer than a ninth of this time was suspended with its process. */
    private static final long LONGEST_REST = Duration.ofMinutes(10).toNanos();

    private final Clock clock;
    private long ended;
    private long rest;

    public TenthOfTime(Clock clock) {
        this.clock = clock;
        this.ended = clock.monotonicNanos();
    }

    /** Runs the task, or does nothing if the task still has to rest. */
    public void run(Runnable task) {
        long begun = clock.monotonicNanos();
        if (begun - ended < rest) {
            return;
        }
        try {
            task.run();
        } finally {
            ended = clock.monotonicNanos();
            rest = Math.min(REST * (ended - begun), LONGEST_REST);
        }
    }
}
