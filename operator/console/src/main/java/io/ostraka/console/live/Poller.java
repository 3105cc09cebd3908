package io.ostraka.console.live;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the cycles of a feed, one at a time: on request, or after the time that the previous cycle has returned.
 * Thread-safe.
 */
final class Poller {
    /** Time until the next cycle after one that failed. */
    static final Duration RETRY = Duration.ofSeconds(2);

    private final Executor reads;
    private final ScheduledExecutorService timer;
    private final Supplier<Optional<Duration>> cycle;

    // guarded by this
    private boolean running;
    /** True if another cycle must follow, because the present one may have begun too early for the latest call. */
    private boolean again;

    private @Nullable Future<?> next;

    /**
     * Creates a poller that does nothing until {@link #poll}.
     *
     * @param reads runs the cycles, which block
     * @param timer starts the cycles; its tasks do not block
     * @param cycle runs a cycle, and returns the time until the next one; empty if none is needed until {@link #poll}.
     *     The poller calls it without locks
     */
    Poller(Executor reads, ScheduledExecutorService timer, Supplier<Optional<Duration>> cycle) {
        this.reads = reads;
        this.timer = timer;
        this.cycle = cycle;
    }

    /** Starts a cycle now, or at once after the present one. Returns at once. */
    void poll() {
        synchronized (this) {
            again = true;
            if (running) {
                return;
            }
            running = true;
            cancel();
        }
        try {
            reads.execute(this::run);
        } catch (RejectedExecutionException e) { // the console shuts down
            synchronized (this) {
                running = false;
            }
        }
    }

    private void run() {
        Optional<Duration> wait = Optional.of(RETRY);
        try {
            synchronized (this) {
                again = false;
            }
            wait = cycle.get();
        } finally {
            ended(wait);
        }
    }

    private void ended(Optional<Duration> wait) {
        boolean now;
        synchronized (this) {
            running = false;
            now = again;
            if (!now) {
                cancel();
                wait.ifPresent(this::schedule);
            }
        }
        if (now) {
            poll();
        }
    }

    private void schedule(Duration wait) {
        try {
            next = timer.schedule(this::poll, wait.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) { // the console shuts down
            next = null;
        }
    }

    /** Cancels the next cycle. A running cycle is not interrupted. */
    synchronized void cancel() {
        if (next != null) {
            next.cancel(false);
            next = null;
        }
    }
}
