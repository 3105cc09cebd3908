package io.ostraka.zk;

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
 * The one thread of a store: runs tasks in order, now or later. What one of them throws is logged. Thread-safe. Every answer of
 * ZooKeeper comes by here, so its queue is a plain one; the few tasks that wait for their time do so in the JDK's own timer.
 */
final class StoreThread implements Executor {
    private static final Logger log = LoggerFactory.getLogger(StoreThread.class);

    private final ThreadPoolExecutor executor;
    private volatile @Nullable Thread thread;

    StoreThread(String name) {
        executor = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            var made = new Thread(task, name);
            made.setDaemon(true);
            thread = made;
            return made;
        });
        executor.prestartCoreThread(); // while there is a thread to be had
    }

    /** Runs a task after those before it; after {@link #stop} on the caller's thread, as somebody may wait. */
    @Override
    public void execute(Runnable task) {
        try {
            executor.execute(() -> run(task));
        } catch (RejectedExecutionException e) {
            run(task);
        }
    }

    /** Runs a task after a while, unless the thread has been stopped by then. */
    void after(Duration delay, Runnable task) {
        CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS, this::unlessStopped)
                .execute(task);
    }

    private void unlessStopped(Runnable task) {
        try {
            executor.execute(() -> run(task));
        } catch (RejectedExecutionException e) {
            log.debug("The store was closed before a task's time came");
        } catch (Throwable e) { // such as that there is no memory now: what is done again and again would end here
            log.error("A task of the ZooKeeper store waits for its turn; the next attempt is in a second", e);
            after(Duration.ofSeconds(1), task);
        }
    }

    /** Runs a task again and again, with pauses between. */
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

    /** Ends the thread when it has done what was given to it before. */
    void stop() {
        executor.shutdown();
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) { // the thread lives on: another might not be had
            log.error("A task of the ZooKeeper store failed; the store goes on", e);
        }
    }
}
