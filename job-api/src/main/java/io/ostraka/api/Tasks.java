package io.ostraka.api;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Runs child tasks of an item's run on other worker threads, in parallel with the run's own code. {@link
 * ShardingContext#tasks()} returns this object. A task can be submitted {@linkplain #inOrder under a key}, so that
 * tasks with the same key run in order, and {@linkplain #within with a time limit}. Each {@link Task} can override
 * callbacks that receive its result or its failure.
 *
 * <p><b>A run ends when its code and all its tasks have ended.</b> Until then the fire is not completed, and the item
 * stays with this instance.
 *
 * <p>The first exception of the run's code or of a task fails the run. Later exceptions are added to the first one as
 * suppressed exceptions. After the first exception no further task begins, but running tasks continue to their end.
 *
 * <p>When the run is {@linkplain ShardingContext#isCancelled() cancelled}, no further task begins. The engine
 * interrupts the threads of the running tasks when it interrupts the run's own thread. A retry of the run starts
 * without any tasks.
 *
 * <p>A run can have at most {@value #MOST} waiting and running tasks at a time. In addition, one process runs at most
 * 256 tasks of all its jobs at the same time; further tasks wait. The registry's builder can change this second limit.
 *
 * <p>Thread-safe. The object can be used while the run's code or one of its tasks runs.
 */
public interface Tasks {
    /** Maximum number of waiting and running tasks of a run. */
    int MOST = 1000;

    /**
     * The code of a task, with callbacks for its end. When the code has ended, the engine calls exactly one of {@link
     * #succeeded}, {@link #failed} and {@link #timedOut}, and then {@link #completed}. It makes both calls on the
     * thread that ran the code, before the next task of the same key begins. If a callback throws an exception, the
     * task and its run fail. All callbacks do nothing by default, so a lambda is a valid task.
     *
     * @param <T> type of the result
     */
    @FunctionalInterface
    interface Task<T extends @Nullable Object> {
        /**
         * Does the work.
         *
         * @return the result; may be null
         * @throws Exception any exception; it fails the task and its run. Catch exceptions that should not fail the run
         */
        T call() throws Exception;

        /**
         * Called when the code has returned normally within its time limit.
         *
         * @param result result of the code
         * @throws Exception any exception; it fails the task and its run
         */
        default void succeeded(T result) throws Exception {}

        /**
         * Called when the code has thrown an exception within its time limit, or when the task will never begin because
         * the run has failed or was cancelled.
         *
         * @param failure exception of the code; a {@link CancellationException} if the task did not begin
         * @throws Exception any exception; it is added to the failure of the run
         */
        default void failed(Throwable failure) throws Exception {}

        /**
         * Called when the code has exceeded its {@linkplain Tasks#within time limit} and has ended. The engine does not
         * call this method earlier, because the code can have further effects until it ends.
         *
         * @param cancelled true if the code ended with an exception; false if it returned normally, so its work is
         *     done, but late
         * @throws Exception any exception; it is added to the failure of the run
         */
        default void timedOut(boolean cancelled) throws Exception {}

        /**
         * Called last, after {@link #succeeded}, {@link #failed} or {@link #timedOut}. Also called for a task that
         * never began.
         *
         * @throws Exception any exception; it fails the task and its run
         */
        default void completed() throws Exception {}
    }

    /** The code of a task without a result. */
    @FunctionalInterface
    interface Action {
        /**
         * Does the work.
         *
         * @throws Exception any exception; it fails the task and its run
         */
        void run() throws Exception;
    }

    /**
     * Returns a view that submits tasks under a key. Tasks with the same key run one at a time, in the order of their
     * submission, and each task sees the memory effects of the previous one. Tasks with different keys run
     * independently of each other. A key applies within one run only, and a large number of keys is cheap.
     *
     * @param key key, compared with {@code equals}; replaces the key of this view, if it has one
     */
    Tasks inOrder(Object key);

    /**
     * Returns a view that submits tasks with a time limit. The time starts when the task's code starts, so time in a
     * queue is not included. When the limit has passed, the engine interrupts the thread. When the code has then ended,
     * the task fails with a {@link RunTimeoutException}. Code that does not return blocks the later tasks of its key
     * and the end of the run. If it still runs ten seconds after the limit, the log reports it.
     *
     * @param limit time limit of the code, without its callbacks; replaces the limit of this view, if it has one
     * @throws IllegalArgumentException if the limit is not positive
     */
    Tasks within(Duration limit);

    /**
     * Submits a task. If the run already has {@value #MOST} waiting and running tasks, a call by the run's own code
     * blocks until half of them have ended.
     *
     * @return a stage that completes on the thread of the callbacks, when the task and its callbacks have ended. It
     *     completes with the result or with the exception that failed the task. If the task never begins, the stage
     *     completes with a {@link CancellationException}. A task should not wait for another task
     * @throws CancellationException if the run was cancelled, or one of its tasks has failed
     * @throws RejectedExecutionException if a task calls this method while the run has {@value #MOST} tasks, since the
     *     task would wait for itself
     * @throws IllegalStateException if the run's code has returned and the caller is not one of the run's tasks
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
     * Waits until all tasks of the run have ended. Use it, for example, before a checkpoint that covers their work. A
     * run does not need this call at its end, because the engine waits for the tasks there.
     *
     * @throws CancellationException if the run was cancelled, or one of its tasks has failed; some tasks may still be
     *     running
     * @throws IllegalStateException if a task calls this method, since the task would wait for itself
     */
    void join();
}
