package io.ostraka.console.live;

import io.ostraka.core.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** A timer, an executor and a clock that a test drives. All tasks run on the thread of the test; other threads may
 * only read the clock. */
final class VirtualTimer extends AbstractExecutorService implements ScheduledExecutorService, Clock {
    private static final Instant ORIGIN = Instant.parse("2026-01-01T00:00:00Z");

    private final Queue<Runnable> ready = new ArrayDeque<>();
    private final List<Task> tasks = new ArrayList<>();
    private volatile long nanos;
    private long numbers;

    private final class Task extends FutureTask<Void> implements ScheduledFuture<Void> {
        private final long number = numbers++;
        private final long periodNanos;
        private long dueNanos;

        Task(Runnable action, long delay, long periodNanos) {
            super(action, null);
            this.periodNanos = periodNanos;
            this.dueNanos = nanos + delay;
        }

        void fire() {
            if (periodNanos == 0) {
                run();
            } else if (runAndReset()) {
                dueNanos = nanos + periodNanos;
                tasks.add(this);
            }
        }

        @Override
        public boolean cancel(boolean interrupt) {
            tasks.remove(this);
            return super.cancel(interrupt);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(dueNanos - nanos, TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }

    /** Runs all tasks that are ready, without advancing the time. */
    void settle() {
        for (Runnable task = ready.poll(); task != null; task = ready.poll()) {
            task.run();
        }
    }

    /** Advances the time and runs all tasks that become due. */
    void advance(Duration duration) {
        long end = nanos + duration.toNanos();
        settle();
        while (true) {
            Task next = tasks.stream()
                    .filter(task -> task.dueNanos <= end)
                    .min(Comparator.comparingLong((Task task) -> task.dueNanos).thenComparingLong(task -> task.number))
                    .orElse(null);
            if (next == null) {
                break;
            }
            nanos = Math.max(nanos, next.dueNanos);
            tasks.remove(next);
            next.fire();
            settle();
        }
        nanos = end;
    }

    /** Returns the number of tasks that wait for their time. */
    int waiting() {
        return tasks.size();
    }

    @Override
    public Instant now() {
        return ORIGIN.plusNanos(nanos);
    }

    @Override
    public long monotonicNanos() {
        return nanos;
    }

    @Override
    public void execute(Runnable task) {
        ready.add(task);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return add(new Task(command, unit.toNanos(delay), 0));
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long first, long delay, TimeUnit unit) {
        return add(new Task(command, unit.toNanos(first), unit.toNanos(delay)));
    }

    private Task add(Task task) {
        tasks.add(task);
        return task;
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long first, long period, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void shutdown() {}

    @Override
    public List<Runnable> shutdownNow() {
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public boolean isTerminated() {
        return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return true;
    }
}
