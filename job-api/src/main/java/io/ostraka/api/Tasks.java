package io.ostraka.api;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Child tasks inside a run of an item, which {@link ShardingContext#tasks()} returns. Tasks run on worker threads
 * beside the run's own code. They can be submitted {@linkplain #inOrder in order for each key}, {@linkplain #within
 * with a time limit}, both or neither. Each {@link Task} can receive a callback for its result.
 *
 * <p><b>A run ends when its tasks have ended</b>, even if its code returns earlier. Until then its fire is not completed,
 * and no other instance gets its item. The run fails with the first exception of its code or of a task; later
 * exceptions are added to it as suppressed. After the first exception no further task begins, but running tasks
 * continue to their end. When the run is {@linkplain ShardingContext#isCancelled() cancelled}, no further task begins,
 * and the engine interrupts the threads of the running tasks together with the run's own thread. Another attempt begins
 * without tasks.
 *
 * <p>A run may have {@value #MOST} waiting or running tasks at a time. The registry's builder limits the number of
 * tasks of all jobs that run in a process at the same time, by default to 256; further tasks wait. Thread-safe; valid
 * while the run's code or one of its tasks runs.
 */
public interface Tasks {
    /** Largest number of waiting and running tasks of a run. */
    int MOST = 1000;

    /**
     * The code of a task, with callbacks for its end. The engine calls one of {@link #succeeded}, {@link #failed} and
     * {@link #timedOut}, and then {@link #completed}. It calls them on the thread that ran the code, before the next
     * task of the same key begins. An exception of a callback fails the task. All callbacks do nothing by default, so a
     * lambda is a task.
     *
     * @param <T> type of the result
     */
    @FunctionalInterface
    interface Task<T extends @Nullable Object> {
        /**
         * Does the work.
         *
         * @return the result; may be null
         * @throws Exception anything; the exception fails the task and its run. Catch exceptions here that should not
         *     fail the run
         */
        T call() throws Exception;

        /**
         * Called when the code has returned in time.
         *
         * @param result result of the code
         * @throws Exception anything; the exception fails the task and its run
         */
        default void succeeded(T result) throws Exception {}

        /**
         * Called when the code has thrown an exception in time, or when the task will not begin any more.
         *
         * @param failure exception of the code; a {@link CancellationException} if the task did not begin
         * @throws Exception anything; the exception fails the run
         */
        default void failed(Throwable failure) throws Exception {}

        /**
         * Called when the code has exceeded its {@linkplain Tasks#within time limit}. The engine calls this method only
         * after the code has returned, since the code can have further effects until then.
         *
         * @param cancelled true if the code has thrown an exception after the interruption; false if it has returned
         *     normally, so that its work is done, but late
         * @throws Exception anything; the exception fails the run
         */
        default void timedOut(boolean cancelled) throws Exception {}

        /**
         * Called last, however the task ended.
         *
         * @throws Exception anything; the exception fails the task and its run
         */
        default void completed() throws Exception {}
    }

    /** The code of a task without a result. */
    @FunctionalInterface
    interface Action {
        /**
         * Does the work.
         *
         * @throws Exception anything; the exception fails the task and its run
         */
        void run() throws Exception;
    }

    /**
     * Returns a view of these tasks that submits under a key. Tasks of one key run one at a time in the order of their
     * submission, and each sees the memory effects of the previous one. Tasks of different keys are independent. Keys
     * belong to one run, and using many of them is cheap.
     *
     * @param key compared with {@code equals}; replaces an earlier key
     */
    Tasks inOrder(Object key);

    /**
     * Returns a view of these tasks that submits with a time limit. The limit counts from the start of the task's code
     * and does not include time in a queue. The engine interrupts the thread when the limit has passed, and the task
     * fails with a {@link RunTimeoutException} when its code has returned. Code that does not return blocks its key and
     * its run; the log reports it after ten seconds.
     *
     * @param limit limit for the code without its callbacks; replaces an earlier limit
     * @throws IllegalArgumentException if the limit is not positive
     */
    Tasks within(Duration limit);

    /**
     * Submits a task. If the run already has {@value #MOST} waiting or running tasks, the run's own code waits here.
     *
     * @return a stage that completes on the task's thread when the task and its callbacks have ended: with the result,
     *     with the exception that failed the task, or with a {@link CancellationException} if the task will not begin
     *     any more. A task should not wait for another task
     * @throws CancellationException if the run was cancelled, or one of its tasks has failed
     * @throws RejectedExecutionException if a task submits while the run has {@value #MOST} tasks; it would wait for
     *     itself
     * @throws IllegalStateException if the run's code has not begun, or has returned and the caller is not one of its
     *     tasks
     */
    <T extends @Nullable Object> CompletionStage<T> submit(Task<T> task);

    /** Submits a task without a result. See {@link #submit(Task)}. */
    @SuppressWarnings("NullAway") // NullAway does not know that T can be a nullable type
    default CompletionStage<@Nullable Void> submit(Action action) {
        return submit((Task<@Nullable Void>) () -> {
            action.run();
            return null;
        });
    }

    /**
     * Waits until all tasks of the run have ended, for example before a checkpoint that covers their work. The end of a
     * run waits for its tasks without this call.
     *
     * @throws CancellationException if the run was cancelled, or one of its tasks has failed; some tasks may still run
     * @throws IllegalStateException if a task calls this method; it would wait for itself
     */
    void join();
}
