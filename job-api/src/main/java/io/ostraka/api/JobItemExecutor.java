package io.ostraka.api;

/**
 * Runs the items of an application's own job type, such as a database statement or a message to send. The executor
 * contains the code that all jobs of the type share; each job contains only its own data. {@link
 * java.util.ServiceLoader} finds executors.
 *
 * <p>One object runs all jobs of its type in a process, several items at the same time, and must be thread-safe. If
 * several executors support a job, the one with the most specific type runs it. If none is more specific than all
 * others, the registration of the job fails.
 *
 * @param <J> the job type
 */
public interface JobItemExecutor<J extends Job> {
    /** Returns the job type that this executor supports, including subtypes. Must always return the same class. */
    Class<J> type();

    /**
     * Checks a job when it is registered. Accepts every job by default.
     *
     * @param job the job
     * @param configuration configuration that the job is registered with
     * @throws JobConfigurationException to refuse the job; any exception propagates to the caller that registers the
     *     job
     */
    default void validate(J job, JobConfiguration configuration) {}

    /**
     * Runs one item of one fire on a worker thread. The engine interrupts the thread to end the run early. The call
     * should then return soon, because the instance keeps the item until it does.
     *
     * @param job the job
     * @param context the item and its fire; valid until this call returns
     * @throws Exception anything, including an {@code Error}; the item fails with this exception, and other items are
     *     not affected
     */
    void execute(J job, ShardingContext context) throws Exception;
}
