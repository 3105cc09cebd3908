package io.ostraka.core.time;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks strictly one after the other, in order, on a shared executor: a serial queue without a thread of its own.
 * Thread-safe, without locks. A task's writes are visible to the next. A lane runs some tasks before others have their turn;
 * a task that throws ends the turn, what it threw goes to the executor's thread, and the next task runs in another turn. If
 * the executor is shut down, tasks are dropped; if it fails otherwise, they wait and it is asked again a second later.
 */
public final class SerialExecutor implements Executor {
    /** Going through the executor costs more than a short task: so many share it. */
    public static final int TURN = 16;

    /** Set while a turn is under way or asked for; what is above it counts the tasks that wait. */
    private static final int ACTIVE = 1;

    private static final int ONE_WAITS = 2;

    private static final Logger log = LoggerFactory.getLogger(SerialExecutor.class);
    /** When an executor is asked again that has failed, which no executor should: mostly there was no thread to be had. */
    private static final Executor A_SECOND_LATER =
            CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS, Runnable::run);

    static {
        A_SECOND_LATER.execute(() -> {}); // it has its thread while there is one to be had
    }

    private final Executor executor;
    private final Executor later;
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    /** A task is counted after it is in the queue, so that there are never fewer than are counted. */
    private final AtomicInteger state = new AtomicInteger();

    /** The turn that was asked for and hasn't begun, or the attempt to ask for one. */
    private final AtomicReference<@Nullable Request> requested = new AtomicReference<>();

    private final int turn;
    private final @Nullable SerialExecutorStatistics statistics;

    /** Runs on the given executor, a task a turn. */
    public SerialExecutor(Executor executor) {
        this(executor, 1, null);
    }

    /**
     * Runs on the given executor.
     *
     * @param turn how many tasks it runs before others have their turn, from 1
     * @param statistics told what it does; null for none
     */
    public SerialExecutor(Executor executor, int turn, @Nullable SerialExecutorStatistics statistics) {
        this(executor, turn, statistics, A_SECOND_LATER);
    }

    /**
     * The same.
     *
     * @param later runs what is given to it after a pause
     */
    SerialExecutor(Executor executor, int turn, @Nullable SerialExecutorStatistics statistics, Executor later) {
        this.executor = executor;
        this.later = later;
        this.turn = turn;
        this.statistics = statistics;
    }

    @Override
    public void execute(Runnable task) {
        if (statistics != null) {
            statistics.added();
        }
        waiting.add(task);
        int before = state.getAndUpdate(was -> (was + ONE_WAITS) | ACTIVE);
        if (statistics != null) {
            statistics.waiting(before / ONE_WAITS + 1);
        }
        if ((before & ACTIVE) == 0) {
            if (statistics != null) {
                statistics.active(true);
            }
            schedule();
        }
    }

    private void takeTurn() {
        boolean more = true;
        try {
            for (int i = 0; more && i < turn; i++) {
                try {
                    take().run();
                } finally {
                    if (statistics != null) {
                        statistics.ended();
                    }
                    more = goesOn();
                }
            }
        } finally {
            if (more) {
                schedule();
            }
        }
    }

    private Runnable take() {
        Runnable task = waiting.remove();
        state.addAndGet(-ONE_WAITS);
        if (statistics != null) {
            statistics.removed();
        }
        return task;
    }

    /** Tells whether something waits; if not, whoever comes next asks for a turn. */
    private boolean goesOn() {
        if (state.get() != ACTIVE || !state.compareAndSet(ACTIVE, 0)) {
            return true;
        }
        if (statistics != null) {
            statistics.active(false);
        }
        return false;
    }

    private void schedule() {
        Request turn = new Request(this::takeTurn);
        requested.set(turn);
        try {
            executor.execute(turn);
        } catch (RejectedExecutionException e) {
            // the executor is shut down: the process is closing, and nothing of this lane matters any more
            if (turn.takeBack()) {
                do {
                    take();
                } while (goesOn());
            }
        } catch (Throwable e) { // a lane without a turn would keep all that comes later for ever
            if (turn.takeBack()) {
                log.error("tasks wait for a thread, which could not be had; the next attempt is in a second", e);
                scheduleLater();
            }
        }
    }

    private void scheduleLater() {
        Request attempt = new Request(this::schedule);
        requested.set(attempt);
        try {
            later.execute(attempt);
        } catch (Throwable e) { // then whatever is added next asks for the turn
            if (attempt.takeBack()) {
                state.addAndGet(-ACTIVE);
                if (statistics != null) {
                    statistics.active(false);
                }
            }
        }
    }

    /** What an executor was asked for. One that fails may have taken it all the same: only what wasn't taken back happens. */
    private final class Request implements Runnable {
        private final Runnable step;

        Request(Runnable step) {
            this.step = step;
        }

        @Override
        public void run() {
            if (takeBack()) {
                step.run();
            }
        }

        /** Tells whether it had neither begun nor been taken back. */
        boolean takeBack() {
            return requested.compareAndSet(this, null);
        }
    }
}
