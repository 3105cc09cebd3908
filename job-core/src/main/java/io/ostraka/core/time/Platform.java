package io.ostraka.core.time;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * What an engine needs of the machine it runs on. One seeded scheduler can stand in for all of it.
 *
 * @param clock wall and monotonic time
 * @param alarm wakes at instants of the wall clock
 * @param timer wakes after spans of monotonic time
 * @param lanes runs the engine's own short, never blocking tasks
 * @param workers runs users' code, which may block
 * @param waiting how a thread of users' code waits for an answer
 * @param turn how many tasks a lane runs before others have their turn: one where a seed is to choose what comes next
 */
public record Platform(
        Clock clock, Alarm alarm, Timer timer, Executor lanes, Executor workers, Waiting waiting, int turn) {
    /** Takes those of a real machine, where lanes have turns of {@value SerialExecutor#TURN}. */
    public Platform(Clock clock, Alarm alarm, Timer timer, Executor lanes, Executor workers, Waiting waiting) {
        this(clock, alarm, timer, lanes, workers, waiting, SerialExecutor.TURN);
    }

    /** Returns the same with other threads for users' code. */
    public Platform withWorkers(Executor others) {
        return new Platform(clock, alarm, timer, lanes, others, waiting, turn);
    }

    /**
     * Runs a short task of the engine's own after a while; on the timer's thread if no other is to be had, for it must run.
     *
     * @return takes it back
     */
    public Runnable later(Duration delay, Runnable task) {
        return timer.after(delay, () -> {
            try {
                lanes.execute(task);
            } catch (RejectedExecutionException e) {
                // the process is closing
            } catch (Throwable e) {
                task.run();
            }
        });
    }

    /** Makes a lane of the engine's own; its tasks are short and never block. */
    public SerialExecutor lane(SerialExecutorStatistics statistics) {
        return new SerialExecutor(lanes, turn, statistics);
    }

    /** Waits for an answer on a thread that may be held up. */
    @FunctionalInterface
    public interface Waiting {
        /**
         * Returns once the answer is there, however it came out.
         *
         * @throws TimeoutException when it is not there in time
         * @throws InterruptedException when the thread is interrupted
         */
        void await(CompletableFuture<?> answer, Duration timeout) throws TimeoutException, InterruptedException;
    }
}
