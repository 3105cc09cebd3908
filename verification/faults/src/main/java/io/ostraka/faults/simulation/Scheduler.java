package io.ostraka.faults.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;

/**
 * Determines the order of all steps in a simulation. For each step, the seed chooses one of the queues that have tasks,
 * and the step runs the first task of this queue. If all queues are empty, the step runs the next timed task. Not
 * thread-safe.
 */
final class Scheduler {
    /** Number of steps at the same time after which the scheduler assumes an endless loop. */
    private static final int CIRCLE = 1_000_000;

    private final SplittableRandom random;
    private final Instant origin;
    private final List<Tasks> ready = new ArrayList<>();
    private final PriorityQueue<Due> dues =
            new PriorityQueue<>(Comparator.comparingLong(Due::nanos).thenComparingLong(Due::number));
    private final PriorityQueue<Due> atSteps =
            new PriorityQueue<>(Comparator.comparingLong(Due::nanos).thenComparingLong(Due::number));
    private final Runnable momentOver;
    private long nanos;
    private long numbers;
    private long steps;
    private long stepsAtThisMoment;

    /**
     * Creates a scheduler.
     *
     * @param momentOver called before time advances, when no step is left at the present time
     */
    Scheduler(long seed, Instant start, Runnable momentOver) {
        this.momentOver = momentOver;
        random = new SplittableRandom(seed);
        origin = start;
    }

    /** A task that becomes due at a time, or after a number of steps. */
    static final class Due {
        private final long nanos;
        private final long number;
        private final Runnable task;
        private boolean cancelled;

        private Due(long nanos, long number, Runnable task) {
            this.nanos = nanos;
            this.number = number;
            this.task = task;
        }

        private long nanos() {
            return nanos;
        }

        private long number() {
            return number;
        }

        void cancel() {
            cancelled = true;
        }
    }

    /** A queue of tasks that run in order, one per step. */
    final class Tasks implements Executor {
        private final Queue<Runnable> queue = new ArrayDeque<>();
        /** Index of this queue in the list of ready queues; -1 if it is not ready. */
        private int place = -1;

        private boolean stopped;

        @Override
        public void execute(Runnable task) {
            queue.add(task);
            show();
        }

        /** Stops or continues this queue. The tasks of a stopped queue wait. */
        void stop(boolean stop) {
            stopped = stop;
            show();
        }

        /** Drops the tasks of this queue. */
        void clear() {
            queue.clear();
            show();
        }

        private void show() {
            boolean due = !stopped && !queue.isEmpty();
            if (due && place < 0) {
                place = ready.size();
                ready.add(this);
            } else if (!due && place >= 0) {
                Tasks last = ready.remove(ready.size() - 1);
                if (last != this) {
                    ready.set(place, last);
                    last.place = place;
                }
                place = -1;
            }
        }
    }

    Tasks tasks() {
        return new Tasks();
    }

    /** Returns the random source for choices that a scenario does not describe. */
    SplittableRandom random() {
        return random;
    }

    /** Returns the simulated time, which no clock error affects. */
    Instant now() {
        return origin.plusNanos(nanos);
    }

    long nanos() {
        return nanos;
    }

    /** Returns the number of steps so far. */
    long steps() {
        return steps;
    }

    Due after(Duration delay, Runnable task) {
        return at(nanos + Math.max(0, delay.toNanos()), task);
    }

    private Due at(long moment, Runnable task) {
        var due = new Due(moment, numbers++, task);
        dues.add(due);
        return due;
    }

    /** Runs a task after the given number of further steps, or earlier if no other step is left. */
    void afterSteps(int number, Runnable task) {
        atSteps.add(new Due(steps + number, numbers++, task));
    }

    /** Advances time, and runs all tasks that come due. */
    void advance(Duration duration) {
        long end = nanos + duration.toNanos();
        while (step(end)) {}
        nanos = end;
    }

    private boolean step(long end) {
        if (!atSteps.isEmpty() && (ready.isEmpty() || atSteps.element().nanos <= steps)) {
            steps++;
            atSteps.remove().task.run();
            return true;
        }
        if (!ready.isEmpty()) {
            steps++;
            if (++stepsAtThisMoment > CIRCLE) {
                throw new IllegalStateException("endless loop: " + CIRCLE + " steps at " + now());
            }
            Tasks next = ready.get(random.nextInt(ready.size()));
            Runnable task = next.queue.remove();
            next.show();
            task.run();
            return true;
        }
        while (!dues.isEmpty() && dues.element().cancelled) {
            dues.remove();
        }
        if (dues.isEmpty() || dues.element().nanos > end) {
            return false;
        }
        Due due = dues.remove();
        if (due.nanos > nanos) {
            stepsAtThisMoment = 0;
            momentOver.run();
        }
        nanos = Math.max(nanos, due.nanos);
        steps++;
        due.task.run();
        return true;
    }
}
