package io.ostraka.core.time;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * Clocks, timers and executors that an engine needs from its machine. One seeded scheduler can replace all of them.
 *
 * @param clock wall and monotonic time
 * @param alarm wakes at instants of the wall clock
 * @param timer wakes after spans of monotonic time
 * @param engineThreads executor of the serial executors; runs the engine's own tasks, which are short and never block
 * @param workers runs user code, which may block
 * @param waiting how a thread of user code waits for an answer
 * @param turn number of tasks that a serial executor runs before it gives up its thread; 1 if a seed chooses each next
 *     task
 */
public record Platform(
        Clock clock, Alarm alarm, Timer timer, Executor engineThreads, Executor workers, Waiting waiting, int turn) {
    /** Creates a platform whose serial executors run {@value SerialExecutor#TURN} tasks in a turn. */
    public Platform(Clock clock, Alarm alarm, Timer timer, Executor engineThreads, Executor workers, Waiting waiting) {
        this(clock, alarm, timer, engineThreads, workers, waiting, SerialExecutor.TURN);
    }

    /** Returns a copy with another number of tasks per turn of a serial executor. */
    public Platform withTurn(int tasks) {
        return new Platform(clock, alarm, timer, engineThreads, workers, waiting, tasks);
    }

    /** Returns a copy with another executor for user code. */
    public Platform withWorkers(Executor others) {
        return new Platform(clock, alarm, timer, engineThreads, others, waiting, turn);
    }

    /**
     * Runs a short task of the engine after a delay. If no thread is available, the timer's thread runs the task.
     *
     * @return cancels the task
     */
    public Runnable later(Duration delay, Runnable task) {
        return timer.after(delay, () -> {
            try {
                engineThreads.execute(task);
            } catch (RejectedExecutionException e) {
                // the process is shutting down
            } catch (Throwable e) {
                task.run();
            }
        });
    }

    /** Creates a serial executor for tasks of the engine, which are short and never block. */
    public SerialExecutor serialExecutor(SerialExecutorStatistics statistics) {
        return new SerialExecutor(engineThreads, turn, statistics);
    }

    /** Waits for an answer on a thread that may block. */
    @FunctionalInterface
    public interface Waiting {
        /**
         * Returns once the answer is complete, normally or exceptionally.
         *
         * @throws TimeoutException if the answer does not complete in time
         * @throws InterruptedException if the thread is interrupted
         */
        void await(CompletableFuture<?> answer, Duration timeout) throws TimeoutException, InterruptedException;
    }
}
