package io.ostraka.zk;

import io.ostraka.core.time.DaemonThreads;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The single thread of a store, which runs tasks in order and logs their exceptions. All replies from ZooKeeper pass
 * through this thread, so its queue is simple and fast. Delayed tasks are rare and wait in a timer of the JDK before
 * they are queued. Thread-safe.
 */
final class StoreThread implements Executor {
    private static final Logger log = LoggerFactory.getLogger(StoreThread.class);

    private final ThreadPoolExecutor executor;
    private volatile @Nullable Thread thread;

    StoreThread(String name) {
        DaemonThreads threads = DaemonThreads.named(name);
        executor = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            Thread made = threads.newThread(task);
            thread = made;
            return made;
        });
        executor.prestartCoreThread(); // started now, because the process may be unable to start a thread later
    }

    /**
     * Runs a task after all earlier tasks. After {@link #stop} the calling thread runs the task at once, since other
     * code may wait for the result of the task.
     */
    @Override
    public void execute(Runnable task) {
        try {
            executor.execute(() -> run(task));
        } catch (RejectedExecutionException e) {
            run(task);
        }
    }

    /** Runs a task after a delay, unless the thread has been stopped by then. */
    void after(Duration delay, Runnable task) {
        CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS, this::unlessStopped)
                .execute(task);
    }

    private void unlessStopped(Runnable task) {
        try {
            executor.execute(() -> run(task));
        } catch (RejectedExecutionException e) {
            log.debug("the ZooKeeper store was closed before a delayed task was due");
        } catch (Throwable e) { // such as an OutOfMemoryError; without a retry, a periodic task would never run again
            log.error("cannot queue a task of the ZooKeeper store; the store tries again in a second", e);
            after(Duration.ofSeconds(1), task);
        }
    }

    /** Runs a task repeatedly, with a pause after each run. */
    void every(Duration pause, Runnable task) {
        after(pause, () -> {
            try {
                run(task);
            } finally {
                every(pause, task);
            }
        });
    }

    boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    /** Ends the thread after all queued tasks. */
    void stop() {
        executor.shutdown();
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) { // keep the thread alive, since a new one might not start
            log.error(
                    "a task of the ZooKeeper store failed, which is a defect; the store continues. Please report it",
                    e);
        }
    }
}
