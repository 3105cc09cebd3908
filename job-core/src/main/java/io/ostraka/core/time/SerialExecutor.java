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
 * Runs tasks strictly one after the other, in order, on a shared executor, without a thread of its own. Thread-safe
 * and lock-free. The writes of a task are visible to the next task.
 *
 * <p>A serial executor runs several tasks in one turn before it gives up its thread. A task that throws ends the turn;
 * its exception propagates to the thread of the shared executor, and the next task runs in another turn. If the shared
 * executor is shut down, tasks are dropped. If it fails in another way, tasks wait and the serial executor asks again
 * after a second.
 */
public final class SerialExecutor implements Executor {
    /** Default number of tasks in a turn: submitting a turn costs more than a short task does. */
    public static final int TURN = 16;

    /** Bit that is set while a turn runs or is requested; the higher bits count the waiting tasks. */
    private static final int ACTIVE = 1;

    private static final int ONE_WAITS = 2;

    private static final Logger log = LoggerFactory.getLogger(SerialExecutor.class);
    /** Executor for the retry after the shared executor failed, most often because no thread could be created. */
    private static final Executor A_SECOND_LATER =
            CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS, Runnable::run);

    static {
        A_SECOND_LATER.execute(() -> {}); // creates its thread early, while threads are available
    }

    private final Executor executor;
    private final Executor later;
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    /** A task is counted after it was queued, so the queue never holds fewer tasks than counted. */
    private final AtomicInteger state = new AtomicInteger();

    /** The requested turn that has not begun, or the pending retry of the request. */
    private final AtomicReference<@Nullable Request> requested = new AtomicReference<>();

    private final int turn;
    private final @Nullable SerialExecutorStatistics statistics;

    /** Creates a serial executor that runs one task per turn on the given executor. */
    public SerialExecutor(Executor executor) {
        this(executor, 1, null);
    }

    /**
     * Creates a serial executor on the given executor.
     *
     * @param turn number of tasks in a turn, at least 1
     * @param statistics counts the tasks; null for none
     */
    public SerialExecutor(Executor executor, int turn, @Nullable SerialExecutorStatistics statistics) {
        this(executor, turn, statistics, A_SECOND_LATER);
    }

    /**
     * Creates a serial executor on the given executor.
     *
     * @param later runs each given task after a pause
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

    /** Returns whether a task waits. If none does, the next caller of {@link #execute} requests a turn. */
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
            // the shared executor is shut down because the process ends: the tasks no longer matter
            if (turn.takeBack()) {
                do {
                    take();
                } while (goesOn());
            }
        } catch (Throwable e) { // without another request the queued tasks would wait forever
            if (turn.takeBack()) {
                log.error("no thread is available for waiting tasks; the engine tries again in a second", e);
                scheduleLater();
            }
        }
    }

    private void scheduleLater() {
        Request attempt = new Request(this::schedule);
        requested.set(attempt);
        try {
            later.execute(attempt);
        } catch (Throwable e) { // the next task that is added requests the turn
            if (attempt.takeBack()) {
                state.addAndGet(-ACTIVE);
                if (statistics != null) {
                    statistics.active(false);
                }
            }
        }
    }

    /**
     * Request to the shared executor. An executor that throws may still run the request later, so taking it back
     * decides.
     */
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

        /** Returns true if the request had neither begun nor been taken back before. */
        boolean takeBack() {
            return requested.compareAndSet(this, null);
        }
    }
}
