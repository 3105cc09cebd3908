package io.ostraka.core.metrics;

import io.ostraka.api.metrics.TaskMetrics;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Counters of the child tasks of one job. Each task is submitted once, and then either cancelled once, or begun and
 * ended once. Thread-safe. No method blocks.
 */
public final class TaskMeter {
    private final LongSupplier monotonicNanos;
    private final Histogram durations = new Histogram();
    private final LongAdder submitted = new LongAdder();
    private final LongAdder begun = new LongAdder();
    private final LongAdder succeeded = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder cancelled = new LongAdder();

    /** Creates a meter with all counts at zero. */
    public TaskMeter(LongSupplier monotonicNanos) {
        this.monotonicNanos = monotonicNanos;
    }

    /** Counts a submitted task. */
    public void submitted() {
        submitted.increment();
    }

    /** Counts a task whose code is about to run. */
    public void begun() {
        begun.increment();
    }

    /**
     * Records that the code of a task has returned or thrown.
     *
     * @param durationNanos run time of the code, in nanoseconds
     */
    public void returned(long durationNanos) {
        durations.add(durationNanos, monotonicNanos.getAsLong());
    }

    /** Counts the end of a task that was begun. */
    public void ended(boolean success) {
        (success ? succeeded : failed).increment();
    }

    /** Counts a task that never begins. */
    public void cancelled() {
        cancelled.increment();
    }

    /** Returns the current metrics. */
    public TaskMetrics read() {
        if (submitted.sum() == 0) {
            return TaskMetrics.NONE; // the usual case: most jobs have no tasks
        }
        // the ends are read first, so that a task that ends in the meantime does not make a count negative
        long successes = succeeded.sum();
        long failures = failed.sum();
        long cancellations = cancelled.sum();
        long begins = begun.sum();
        return new TaskMetrics(
                submitted.sum() - begins - cancellations,
                begins - successes - failures,
                durations.read(monotonicNanos.getAsLong()),
                successes,
                failures,
                cancellations);
    }
}
