package io.ostraka.core.time;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/** Counts the tasks of several serial executors. Thread-safe. Reading the counts does not block the executors. */
public final class SerialExecutorStatistics {
    private final AtomicInteger active = new AtomicInteger();
    private final LongAdder added = new LongAdder();
    private final LongAdder removed = new LongAdder();
    private final LongAdder completed = new LongAdder();
    private final LongAccumulator longest = new LongAccumulator(Math::max, 0);

    /**
     * Counts a task. Called before the task is queued, so the removal of a task is never counted before its addition.
     */
    void added() {
        added.increment();
    }

    void waiting(int tasks) {
        longest.accumulate(tasks);
    }

    void removed() {
        removed.increment();
    }

    void ended() {
        completed.increment();
    }

    void active(boolean now) {
        if (now) {
            active.incrementAndGet();
        } else {
            active.decrementAndGet();
        }
    }

    /** Returns the number of serial executors that have waiting or running tasks. */
    public int active() {
        return active.get();
    }

    /** Returns the number of waiting tasks in all serial executors. */
    public long queued() {
        long gone = removed.sum(); // read first, so concurrent changes cannot make the difference negative
        return added.sum() - gone;
    }

    /** Returns the number of tasks that have ended. */
    public long completed() {
        return completed.sum();
    }

    /** Returns the largest number of tasks that ever waited in one serial executor. */
    public int longest() {
        return (int) longest.get();
    }
}
