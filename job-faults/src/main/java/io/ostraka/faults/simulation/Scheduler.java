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
 * The one order of all that happens in a simulation. A step is a task of one of the queues that have any, by the seed's
 * choice, or, when none has, the next thing that time brings. Not thread-safe.
 */
final class Scheduler {
    /** So many steps at one moment are a circle. */
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
     * Makes one at the beginning of its time.
     *
     * @param momentOver run when nothing is left to do at a moment and time goes on
     */
    Scheduler(long seed, Instant start, Runnable momentOver) {
        this.momentOver = momentOver;
        random = new SplittableRandom(seed);
        origin = start;
    }

    /** Something that happens at a moment, or after a number of steps. */
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

    /** Tasks that run in order, each a step. */
    final class Tasks implements Executor {
        private final Queue<Runnable> queue = new ArrayDeque<>();
        /** Where it stands among those that are ready; -1 if it doesn't. */
        private int place = -1;

        private boolean stopped;

        @Override
        public void execute(Runnable task) {
            queue.add(task);
            show();
        }

        /** Whether its tasks run; they wait otherwise. */
        void stop(boolean stop) {
            stopped = stop;
            show();
        }

        /** Drops its tasks. */
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

    /** Chance, for whatever is not part of a scenario. */
    SplittableRandom random() {
        return random;
    }

    /** The true time. */
    Instant now() {
        return origin.plusNanos(nanos);
    }

    long nanos() {
        return nanos;
    }

    /** How many steps there were. */
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

    /** Has something happen that many steps from now, or as soon as there are none. */
    void afterSteps(int number, Runnable task) {
        atSteps.add(new Due(steps + number, numbers++, task));
    }

    /** Lets time pass, and all happen that comes due. */
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
                throw new IllegalStateException("round and round at " + now());
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
