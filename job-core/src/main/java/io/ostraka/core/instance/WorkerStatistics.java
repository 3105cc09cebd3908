package io.ostraka.core.instance;

import io.ostraka.api.metrics.Load;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what runs on the threads for users' code. Thread-safe; reading it holds up none of them. */
final class WorkerStatistics implements Executor {
    private final Executor threads;
    private final AtomicInteger active = new AtomicInteger();
    private final AtomicInteger largest = new AtomicInteger();
    private final AtomicLong completed = new AtomicLong();

    WorkerStatistics(Executor threads) {
        this.threads = threads;
    }

    @Override
    public void execute(Runnable task) {
        threads.execute(() -> {
            int now = active.incrementAndGet();
            largest.accumulateAndGet(now, Math::max);
            try {
                task.run();
            } finally {
                active.decrementAndGet();
                completed.incrementAndGet();
            }
        });
    }

    /** Threads that are no pool, such as virtual ones, are as many as are active. */
    Load.Workers load() {
        int now = active.get();
        int most = largest.get();
        Optional<Load.Pool> pool = pool(threads);
        return new Load.Workers(
                now,
                most,
                completed.get(),
                pool.map(Load.Pool::size).orElse(now),
                pool.map(Load.Pool::largestSize).orElse(most));
    }

    /** Returns what a pool counts itself; empty for threads that are none. */
    static Optional<Load.Pool> pool(Executor threads) {
        return threads instanceof ThreadPoolExecutor pool
                ? Optional.of(new Load.Pool(
                        pool.getActiveCount(),
                        pool.getQueue().size(),
                        pool.getCompletedTaskCount(),
                        pool.getPoolSize(),
                        pool.getLargestPoolSize()))
                : Optional.empty();
    }
}
