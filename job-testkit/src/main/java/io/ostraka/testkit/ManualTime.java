package io.ostraka.testkit;

import io.ostraka.core.run.UserCode;
import io.ostraka.core.time.Clock;
import io.ostraka.core.time.FireTimer;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Clocks, fire timers, timers and executors of any number of instances, driven manually by a test. All tasks run on the
 * thread that calls {@link #runUntilIdle} or {@link #advance}, during the call. Tasks of one executor run in order; a
 * random generator decides which executor is next, so that the same seed always produces the same order. Not
 * thread-safe.
 */
public final class ManualTime {
    private final SplittableRandom random;
    private final Instant origin;
    private final List<Tasks> executors = new ArrayList<>();
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::atNanos).thenComparingLong(Event::number));
    private long nanos;
    private long numbers;

    /** A task with the time at which it is due. */
    private record Event(long atNanos, long number, Runnable task) {}

    /** Creates a time that starts at the given instant. The seed decides the order of concurrent tasks. */
    public ManualTime(Instant start, long seed) {
        this.origin = start;
        this.random = new SplittableRandom(seed);
    }

    /** Returns the true time. The wall clock of an instance may differ from it. */
    public Instant now() {
        return origin.plusNanos(nanos);
    }

    /** Returns a new executor. Its tasks run in order, during calls of {@link #runUntilIdle} and {@link #advance}. */
    public Executor executor() {
        Tasks tasks = new Tasks();
        executors.add(tasks);
        return tasks;
    }

    /**
     * Returns the platform of another instance.
     *
     * @param skew difference between its wall clock and the true time; negative if the wall clock is behind
     */
    public Platform platform(Duration skew) {
        return platform(() -> skew);
    }

    /**
     * Returns the platform of another instance, whose wall clock a test can change at any time.
     *
     * @param skew difference between its wall clock and the true time; negative if the wall clock is behind
     */
    public Platform platform(Supplier<Duration> skew) {
        Clock clock = new Clock() {
            @Override
            public Instant now() {
                return Instant.ofEpochMilli(
                        ManualTime.this.now().plus(skew.get()).toEpochMilli());
            }

            @Override
            public long monotonicNanos() {
                return nanos;
            }
        };
        return new Platform(clock, new ManualFireTimer(skew), new ManualTimer(), executor(), executor(), this::await)
                .withTurn(1);
    }

    /** Runs all tasks that are ready, and all tasks that become ready as a result, without advancing the time. */
    public void runUntilIdle() {
        while (step()) {}
    }

    /** Advances the time and runs everything that becomes due, in the order of due times. */
    public void advance(Duration duration) {
        long end = nanos + duration.toNanos();
        runUntilIdle();
        while (!events.isEmpty() && events.element().atNanos <= end) {
            next();
            runUntilIdle();
        }
        nanos = Math.max(nanos, end); // a task may have called advance itself, and so have advanced the time further
        runUntilIdle();
    }

    /** Runs a task after a delay. */
    public void after(Duration delay, Runnable task) {
        at(nanos + delay.toNanos(), () -> {
            UserCode before = UserCode.enter(null); // the task does not belong to the run that advances the time
            try {
                task.run();
            } finally {
                UserCode.enter(before);
            }
        });
    }

    private void next() {
        Event event = events.remove();
        nanos = Math.max(nanos, event.atNanos);
        event.task.run();
    }

    private boolean step() {
        List<Tasks> ready = new ArrayList<>();
        for (Tasks tasks : executors) {
            if (!tasks.queue.isEmpty()) {
                ready.add(tasks);
            }
        }
        if (ready.isEmpty()) {
            return false;
        }
        ready.get(random.nextInt(ready.size())).queue.remove().run();
        return true;
    }

    /**
     * Waits for an answer, in the way in which users' code does. Meanwhile, runs other tasks and advances the time
     * until the answer is complete.
     */
    private void await(CompletableFuture<?> answer, Duration timeout) throws TimeoutException {
        long end = nanos + timeout.toNanos();
        while (!answer.isDone()) {
            if (!step()) {
                if (events.isEmpty() || events.element().atNanos > end) {
                    throw new TimeoutException("no answer within " + timeout);
                }
                next();
            }
        }
    }

    private Event at(long atNanos, Runnable task) {
        Event event = new Event(Math.max(atNanos, nanos), numbers++, task);
        events.add(event);
        return event;
    }

    private static final class Tasks implements Executor {
        final Queue<Runnable> queue = new ArrayDeque<>();

        @Override
        public void execute(Runnable task) {
            queue.add(task);
        }
    }

    private final class ManualTimer implements Timer {
        private boolean closed;

        @Override
        public Runnable after(Duration delay, Runnable wake) {
            Event event = at(nanos + delay.toNanos(), () -> {
                if (!closed) {
                    wake.run();
                }
            });
            return () -> events.remove(event);
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private final class ManualFireTimer implements FireTimer {
        private final Supplier<Duration> skew;
        private final Map<String, Event> set = new HashMap<>();
        private boolean closed;

        ManualFireTimer(Supplier<Duration> skew) {
            this.skew = skew;
        }

        @Override
        public void wakeAt(String key, Instant at, Runnable wake) {
            cancel(key);
            if (!closed) {
                long moment = Duration.between(origin, at.minus(skew.get())).toNanos();
                set.put(key, at(moment, () -> {
                    set.remove(key);
                    wake.run();
                }));
            }
        }

        @Override
        public void cancel(String key) {
            Event event = set.remove(key);
            if (event != null) {
                events.remove(event);
            }
        }

        @Override
        public void close() {
            closed = true;
            set.values().forEach(events::remove);
            set.clear();
        }
    }
}
