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
 * <p>The engine calls all three methods on the worker thread of the run. Their time counts towards the run's
 * {@linkplain JobConfiguration#timeout() time limit}. The engine may interrupt the thread during these calls, just as
 * during the job's code.
 *
 * <p>Interceptors do not surround the {@linkplain ShardingContext#tasks() child tasks} of a run, which run on other
 * threads. All child tasks have ended when the engine calls {@link #after} and {@link #completion}. An interceptor
 * cannot submit tasks.
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
}
