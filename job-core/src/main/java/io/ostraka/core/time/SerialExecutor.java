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
 * Runs tasks one after the other, in the order of their submission, on the threads of a shared executor. Thread-safe
 * and lock-free. The memory effects of a task are visible to the next task.
 *
 * <p>A turn is one task of the shared executor, in which this executor runs several of its own tasks. If a task throws
 * an exception, the turn ends, the exception propagates to the shared executor's thread, and the next task runs in
 * another turn. If the shared executor is shut down, waiting tasks are dropped. If it rejects a turn for another
 * reason, for example because no thread can be created, this executor submits the turn again after a second.
 */
public final class SerialExecutor implements Executor {
    /**
     * Default number of tasks in a turn. It is greater than one because submitting a turn costs more than running a
     * short task.
     */
    public static final int TURN = 16;

    /** Bit of {@link #state} that is set while a turn runs or is submitted. The higher bits count the waiting tasks. */
    private static final int ACTIVE = 1;

    private static final int ONE_WAITS = 2;

    private static final Logger log = LoggerFactory.getLogger(SerialExecutor.class);
    /** Submits a turn again after the shared executor has failed, for example because no thread could be created. */
    private static final Executor A_SECOND_LATER =
            CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS, Runnable::run);

    static {
        A_SECOND_LATER.execute(() -> {}); // creates the thread now, since no thread may be available later
    }

    private final Executor executor;
    private final Executor later;
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    /**
     * The {@link #ACTIVE} bit and the number of waiting tasks. A task is queued before it is counted, so the queue
     * always contains at least as many tasks as counted.
     */
    private final AtomicInteger state = new AtomicInteger();

    /** The submitted turn that has not started, or its pending retry. */
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
     * @param statistics counts the tasks; null for no statistics
     */
    public SerialExecutor(Executor executor, int turn, @Nullable SerialExecutorStatistics statistics) {
        this(executor, turn, statistics, A_SECOND_LATER);
    }

    /**
     * Creates a serial executor on the given executor.
     *
     * @param later runs each task after a pause; used to submit a turn again
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

    /**
     * Returns whether a submitted task has not started. During a task, the result shows whether another task follows.
     */
    public boolean hasWaitingTasks() {
        return state.get() >= ONE_WAITS;
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

    /**
     * Returns whether a task is waiting. If not, clears the {@link #ACTIVE} bit, so the next call of {@link #execute}
     * submits a turn.
     */
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
            // the shared executor is shut down because the process ends, so the tasks no longer matter
            if (turn.takeBack()) {
                do {
                    take();
                } while (goesOn());
            }
        } catch (Throwable e) { // without a retry, the waiting tasks would never run
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
        } catch (Throwable e) { // the next submitted task requests a turn
            if (attempt.takeBack()) {
                state.addAndGet(-ACTIVE);
                if (statistics != null) {
                    statistics.active(false);
                }
            }
        }
    }

    /**
     * A turn that is submitted to the shared executor. If the submission throws an exception, the executor may still
     * run the turn later. The first call of {@link #takeBack} decides: either the turn runs, or its submission is
     * retried.
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

        /** Marks the turn as started or withdrawn. Returns false if that has already happened. */
        boolean takeBack() {
            return requested.compareAndSet(this, null);
        }
    }
}
