package io.ostraka.core.time;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/** What several lanes have to do and have done, counted as it happens. Thread-safe; reading it holds up no lane. */
public final class SerialExecutorStatistics {
    private final AtomicInteger active = new AtomicInteger();
    private final LongAdder added = new LongAdder();
    private final LongAdder removed = new LongAdder();
    private final LongAdder completed = new LongAdder();
    private final LongAccumulator longest = new LongAccumulator(Math::max, 0);

    /** Before anybody can take it: nothing is counted as gone that isn't as come. */
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

    /** Returns how many lanes have something to do. */
    public int active() {
        return active.get();
    }

    /** Returns how many tasks wait, in all lanes. */
    public long queued() {
        long gone = removed.sum(); // first: what is counted meanwhile makes the difference no less than zero
        return added.sum() - gone;
    }

    /** Returns how many tasks have ended. */
    public long completed() {
        return completed.sum();
    }

    /** Returns how many tasks waited in one lane at most. */
    public int longest() {
        return (int) longest.get();
    }
}
