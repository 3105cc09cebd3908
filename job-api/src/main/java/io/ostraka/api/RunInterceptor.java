package io.ostraka.api;

import org.jspecify.annotations.Nullable;

/**
 * Surrounds the code of item runs, for example to set up and remove a context, to measure, to trace or to refuse a run.
 * Pass an interceptor to one job with its {@link JobOptions}. Interceptors that were passed to the registry's builder
 * or found by {@link java.util.ServiceLoader} surround the runs of every job, outside the job's own interceptors. Must
 * be thread-safe, since several items run at the same time.
 *
 * <p>The engine calls all three methods on the worker thread of the run, once for each attempt. Their time counts
 * towards the run's {@linkplain JobConfiguration#timeout() time limit}, and the engine may interrupt the thread as it
 * does for the job's code. The job's {@linkplain ShardingContext#tasks() tasks} run on other threads and end before
 * {@link #after} and {@link #completion}. An interceptor cannot submit tasks.
 */
public interface RunInterceptor {
    /**
     * Returns the position among interceptors, smallest outermost; 0 by default. Must always return the same number.
     */
    default int order() {
        return 0;
    }

    /**
     * Called before an attempt, outermost interceptor first. Does nothing by default.
     *
     * @param context context of the run
     * @throws Exception anything; the run fails with this exception, and neither the inner interceptors nor the job are
     *     called
     */
    default void before(ShardingContext context) throws Exception {}

    /**
     * Called after the job has returned normally and all its {@linkplain ShardingContext#tasks() tasks} have succeeded,
     * innermost interceptor first. Does nothing by default.
     *
     * @param context context of the run
     * @throws Exception anything; the run fails with this exception, and {@code after} is not called on the outer
     *     interceptors
     */
    default void after(ShardingContext context) throws Exception {}

    /**
     * Called after each attempt, successful or not, innermost interceptor first. The engine calls it on each
     * interceptor whose {@link #before} has returned. Does nothing by default.
     *
     * @param context context of the run
     * @param failure exception that the attempt failed with; null if it succeeded
     * @throws Exception anything; the engine logs it with the job's name and continues
     */
    default void completion(ShardingContext context, @Nullable Throwable failure) throws Exception {}
}
