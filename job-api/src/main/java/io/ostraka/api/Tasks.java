package io.ostraka.api;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Child work inside a run of an item, on the threads that runs have, as {@link ShardingContext#tasks()} gives it. Plain,
 * {@linkplain #inOrder in order under a key}, {@linkplain #within with a time limit}, or both; each {@link Task} may be told
 * how it went.
 *
 * <p><b>A run ends when its tasks have ended</b>: its code may return before, its fire is not completed before, and its item
 * is not given to anyone. The first failure of its code or of a task is the run's failure, and those that follow are
 * suppressed in it. From then on no further task begins; those that run go on to their end. When the run is {@linkplain
 * ShardingContext#isCancelled() told to end}, no further task begins either, and the threads of those that run are
 * interrupted together with the run's own. Another try begins without any tasks.
 *
 * <p>A run may have {@value #MOST} tasks that wait or run. In a process as many run at once as the registry's builder says,
 * 256 by default, of all jobs together; the others wait. Thread-safe; valid while the run's code or one of its tasks runs.
 */
public interface Tasks {
    /** How many tasks of a run may wait or run at a time. */
    int MOST = 1000;

    /**
     * Code, and what it is told of its end. One of {@link #succeeded}, {@link #failed} and {@link #timedOut} is called, then
     * {@link #completed}, all on the thread that ran the code and before anything else of the same key begins. What one of
     * them throws is a failure of the task. They do nothing by default, and so a lambda is a task.
     *
     * @param <T> of its result
     */
    @FunctionalInterface
    interface Task<T extends @Nullable Object> {
        /**
         * Does the work.
         *
         * @return its result; may be null
         * @throws Exception anything; it fails the task and the run. What the run can live with is to be caught here
         */
        T call() throws Exception;

        /** It has returned in time. */
        default void succeeded(T result) throws Exception {}

        /**
         * It has thrown, or it isn't begun any more.
         *
         * @param failure what it has thrown; a {@link CancellationException} when it wasn't begun
         */
        default void failed(Throwable failure) throws Exception {}

        /**
         * It has taken longer than its {@linkplain Tasks#within limit}. Told when its code has really returned, for only
         * then nothing of it can still have an effect.
         *
         * @param cancelled true when the interruption has ended it: it threw; false when it returned all the same, so that
         *     its work is done, but late
         */
        default void timedOut(boolean cancelled) throws Exception {}

        /** It is over, however it went. */
        default void completed() throws Exception {}
    }

    /** Code without a result. */
    @FunctionalInterface
    interface Action {
        /**
         * Does the work.
         *
         * @throws Exception anything; it fails the task and the run
         */
        void run() throws Exception;
    }

    /**
     * Returns the same tasks, submitted under a key: all of one key in the order in which they were submitted, never two
     * at once, each seeing what the one before has written. Different keys have nothing to do with one another. A key
     * belongs to the run; any number of them is cheap.
     *
     * @param key by its {@code equals}; a key given before is replaced
     */
    Tasks inOrder(Object key);

    /**
     * Returns the same tasks, with a limit for each from its beginning, waiting not counted. After it the thread is
     * interrupted; the task fails with a {@link RunTimeoutException} once its code has returned. Code that doesn't return
     * holds its key and its run, and is reported after ten seconds.
     *
     * @param limit of the code alone, not of what it is told afterwards; a limit given before is replaced
     * @throws IllegalArgumentException when it is not positive
     */
    Tasks within(Duration limit);

    /**
     * Submits a task. The run's own code waits here while there are {@value #MOST} of them.
     *
     * @return completed, on the task's thread, when all of the task has ended: with its result or what it failed of, or
     *     with a {@link CancellationException} if it isn't begun any more. A task should not wait for another one
     * @throws CancellationException when the run is to end: it was told to, or one of its tasks has failed
     * @throws RejectedExecutionException when a task submits one too many: it would wait for itself
     * @throws IllegalStateException when the run's code has returned, and this is not called by one of its tasks; or when
     *     it has not begun
     */
    <T extends @Nullable Object> CompletionStage<T> submit(Task<T> task);

    /** Submits a task without a result; otherwise as {@link #submit(Task)}. */
    @SuppressWarnings("NullAway") // which doesn't know that a type variable may stand for what is nullable
    default CompletionStage<@Nullable Void> submit(Action action) {
        return submit((Task<@Nullable Void>) () -> {
            action.run();
            return null;
        });
    }

    /**
     * Waits until all tasks of the run have ended: before a checkpoint that stands for their work, for example. At the end
     * of a run that happens by itself.
     *
     * @throws CancellationException when the run is to end: it was told to, or one of its tasks has failed. Some may still
     *     run
     * @throws IllegalStateException when a task calls it: it would wait for itself
     */
    void join();
}
