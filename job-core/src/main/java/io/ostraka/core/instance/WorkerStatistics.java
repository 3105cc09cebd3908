package io.ostraka.core.instance;

import io.ostraka.api.metrics.Load;
import io.ostraka.core.model.LogContext;
import io.ostraka.core.run.UserCode;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks on the threads for user code, and counts the tasks. A task sees nothing of the tasks before it on its
 * thread: this class resets the thread's name, priority, context class loader, exception handler and MDC. Thread-safe;
 * reading the counts does not block tasks.
 */
final class WorkerStatistics implements Executor {
    private final Executor threads;
    private final UserCode code = new UserCode(this, null);
    private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();
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
            Runnable reset = begin(Thread.currentThread());
            try {
                task.run();
            } finally {
                reset.run();
                active.decrementAndGet();
                completed.incrementAndGet();
            }
        });
    }

    /**
     * Prepares a thread for a task.
     *
     * @return an action that undoes what the task has changed
     */
    private Runnable begin(Thread thread) {
        UserCode before = UserCode.enter(code);
        String name = thread.getName();
        int priority = thread.getPriority();
        ClassLoader loaderBefore = thread.getContextClassLoader();
        Thread.UncaughtExceptionHandler handler = thread.getUncaughtExceptionHandler();
        LogContext logged = LogContext.EMPTY.apply();
        thread.setContextClassLoader(loader); // a virtual thread has none of its own
        return () -> {
            UserCode.enter(before);
            if (!name.equals(thread.getName())) { // otherwise a call of the operating system for each task
                thread.setName(name);
            }
            thread.setPriority(priority);
            thread.setContextClassLoader(loaderBefore);
            thread.setUncaughtExceptionHandler(handler);
            logged.apply();
        };
    }

    /** Returns whether the calling thread runs a task of this executor. */
    boolean isCurrent() {
        UserCode current = UserCode.current();
        return current != null && current.workers() == this;
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
