package io.ostraka.api;

import org.jspecify.annotations.Nullable;

/**
 * Calls code of the application before and after each attempt of an item's run, for example to set up and remove a
 * context, to measure, to trace or to refuse the attempt. Must be thread-safe, since several items run at the same
 * time.
 *
 * <p>Pass an interceptor to one job with its {@link JobOptions}. To intercept the runs of every job, pass the
 * interceptor to the registry's builder, or let {@link java.util.ServiceLoader} find it. Interceptors for every job
 * surround the interceptors for a single job.
 *
 * <p>The engine calls {@link #before}, {@link #after} and {@link #completion} on the worker thread of the run. Their
 * time counts towards the run's {@linkplain JobConfiguration#timeout() time limit}. The engine may interrupt the thread
 * during these calls, just as during the job's code.
 *
 * <p>These three methods do not surround the {@linkplain ShardingContext#tasks() child tasks} of a run, which run on
 * other threads; {@link #aroundTask} does. All child tasks have ended when the engine calls {@link #after} and {@link
 * #completion}. An interceptor cannot submit tasks.
 */
public interface RunInterceptor {
    /**
     * Returns the position of this interceptor; 0 by default. The interceptor with the smallest number is the
     * outermost. Must always return the same number.
     */
    default int order() {
        return 0;
    }

    /**
     * Called before an attempt, outermost interceptor first. Does nothing by default.
     *
     * @param context context of the run
     * @throws Exception any exception; the attempt fails with it, and the engine calls neither the inner interceptors
     *     nor the job
     */
    default void before(ShardingContext context) throws Exception {}

    /**
     * Called after the job has returned normally and all its {@linkplain ShardingContext#tasks() tasks} have succeeded,
     * innermost interceptor first. Does nothing by default.
     *
     * @param context context of the run
     * @throws Exception any exception; the attempt fails with it, and {@code after} is not called on the outer
     *     interceptors
     */
    default void after(ShardingContext context) throws Exception {}

    /**
     * Called after each attempt, successful or not, innermost interceptor first. The engine calls it on each
     * interceptor whose {@link #before} has returned. Does nothing by default.
     *
     * @param context context of the run
     * @param failure exception with which the attempt failed; null if the attempt succeeded
     * @throws Exception any exception; the engine logs it with the job's name and continues
     */
    default void completion(ShardingContext context, @Nullable Throwable failure) throws Exception {}

    /**
     * Adds actions before and after a {@linkplain ShardingContext#tasks() child task}, for example to pass thread-locals
     * of the submitting code to the thread of the task. Called for each task when it is submitted, on the submitting
     * thread, innermost interceptor first. Returns the task itself by default. The engine passes SLF4J's MDC on without
     * an interceptor.
     *
     * <p>The engine runs the result once, on the thread of the task, also if the task is cancelled. An exception of the
     * result fails the attempt. If the result does not run the given task, the engine runs the task afterwards.
     *
     * @param context context of the run
     * @param task code and callbacks of the task, within the actions of the inner interceptors; throws nothing
     * @return the task with the additional actions; never null. An exception of this method propagates to the code that
     *     submits the task
     */
    default Runnable aroundTask(ShardingContext context, Runnable task) {
        return task;
    }
}
