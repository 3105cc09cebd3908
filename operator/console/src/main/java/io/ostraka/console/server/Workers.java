package io.ostraka.console.server;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that answer requests, with a bounded queue. Refuses a task if all threads are busy and the queue is full.
 * Notices if no task ends any more. Thread-safe.
 */
final class Workers extends ThreadPoolExecutor {
    /** Time after which busy threads are stuck if none of them has ended a task. The usual time limits are shorter. */
    static final Duration STUCK = Duration.ofSeconds(60);

    private static final long IDLE_SECONDS = 60;

    private final InstantSource clock;
    private volatile Instant moved;

    Workers(String name, int threads, int queue, InstantSource clock) {
        super(threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new ArrayBlockingQueue<>(queue));
        AtomicInteger number = new AtomicInteger();
        setThreadFactory(task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        allowCoreThreadTimeOut(true);
        this.clock = clock;
        this.moved = clock.instant();
    }

    @Override
    protected void beforeExecute(Thread thread, Runnable task) {
        moved = clock.instant();
    }

    @Override
    protected void afterExecute(Runnable task, Throwable failure) {
        moved = clock.instant();
    }

    /** Returns whether all threads are busy, and none of them has begun or ended a task for {@link #STUCK}. */
    boolean areStuck() {
        return getActiveCount() == getMaximumPoolSize() && !clock.instant().isBefore(moved.plus(STUCK));
    }
}
