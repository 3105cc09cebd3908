package io.ostraka.core.instance;

import io.ostraka.api.metrics.Load;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs tasks on the threads for user code, and counts the tasks. Thread-safe; reading the counts does not block tasks.
 */
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

    /**
     * Returns the current load. If the executor has no pool, as with virtual threads, the number of running tasks is
     * reported as the number of threads.
     */
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

    /** Returns the statistics of a thread pool; empty for other executors. */
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
