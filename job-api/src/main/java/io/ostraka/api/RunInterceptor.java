package io.ostraka.api;

import org.jspecify.annotations.Nullable;

/**
 * Stands around the code of item runs: sets up what the code needs and takes it down, measures, traces, refuses. Given to
 * one job by its bootstrap; those given to the registry's builder or found by {@link java.util.ServiceLoader} stand around
 * every job's runs, outside of the job's own. Thread-safe: several items run at a time.
 *
 * <p>All of it happens on the worker thread that runs the item, once for each try, and counts in the run's {@linkplain
 * JobConfiguration#timeout() time limit}; the thread may be interrupted like the job's code. The job's {@linkplain
 * ShardingContext#tasks() tasks} begin and end inside, on threads of their own; an interceptor can't submit any.
 */
public interface RunInterceptor {
    /** Returns its place: those with smaller numbers stand further outside; 0 by default, always the same. */
    default int order() {
        return 0;
    }

    /**
     * A try begins; outermost first. Does nothing by default.
     *
     * @throws Exception anything; it becomes the run's failure, and neither those further inside nor the job are called
     */
    default void before(ShardingContext context) throws Exception {}

    /**
     * The job has returned normally, and its {@linkplain ShardingContext#tasks() tasks} have all succeeded; innermost first. Does nothing by default.
     *
     * @throws Exception anything; it becomes the run's failure, and those further outside are not told that it returned
     */
    default void after(ShardingContext context) throws Exception {}

    /**
     * The try is over, however it went; innermost first, each whose {@link #before} has returned. Does nothing by default.
     *
     * @param failure what becomes the run's failure; null when there is none
     * @throws Exception anything; it is logged with the job's name and changes nothing
     */
    default void completion(ShardingContext context, @Nullable Throwable failure) throws Exception {}
}
