package io.ostraka.core.time;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks strictly one after the other, in order, on a shared executor: a serial queue without a thread of its own.
 * Thread-safe, without locks. A task's writes are visible to the next. A lane runs some tasks before others have their turn;
 * a task that throws ends the turn, what it threw goes to the executor's thread, and the next task runs in another turn.
 */
public final class Lane implements Executor {
    /** Going through the executor costs more than a short task: so many share it. */
    public static final int TURN = 16;

    /** Set while a turn is under way or asked for; what is above it counts the tasks that wait. */
    private static final int ACTIVE = 1;

    private static final int ONE_WAITS = 2;

    private final Executor executor;
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    /** A task is counted after it is in the queue, so that there are never fewer than are counted. */
    private final AtomicInteger state = new AtomicInteger();

    private final int turn;
    private final @Nullable LaneStatistics statistics;

    /** Runs on the given executor, a task a turn. */
    public Lane(Executor executor) {
        this(executor, 1, null);
    }

    /**
     * Runs on the given executor.
     *
     * @param turn how many tasks it runs before others have their turn, from 1
     * @param statistics told what it does; null for none
     */
    public Lane(Executor executor, int turn, @Nullable LaneStatistics statistics) {
        this.executor = executor;
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
        try {
            executor.execute(this::takeTurn);
        } catch (RejectedExecutionException e) {
            // the executor is shut down: the process is closing, and nothing of this lane matters any more
            do {
                take();
            } while (goesOn());
        }
    }
}
