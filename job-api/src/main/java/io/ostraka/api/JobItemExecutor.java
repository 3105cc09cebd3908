package io.ostraka.api;

/**
 * Runs the items of a job type that the application has defined, such as a database statement or a message to send. The
 * executor contains the code that all jobs of the type share; each job contains only its own data. Pass an executor to
 * the registry's builder, or let {@link java.util.ServiceLoader} find it.
 *
 * <p>One executor runs all jobs of its type in a process, several items at the same time, so it must be thread-safe. If
 * several executors support a job, the executor with the most specific type runs it. If no type is more specific than
 * all the others, the registration of the job fails.
 *
 * @param <J> the job type
 */
public interface JobItemExecutor<J extends Job> {
    /**
     * Returns the job type that this executor supports. Subtypes of this type are supported as well. Must always return
     * the same class.
     */
    Class<J> type();

    /**
     * Checks a job when it is registered. Accepts every job by default.
     *
     * @param job the job
     * @param configuration configuration that the job is registered with
     * @throws JobConfigurationException if the job is not accepted; this and any other exception propagates to the
     *     caller that registers the job
     */
    default void validate(J job, JobConfiguration configuration) {}

    /**
     * Runs one item of one fire, on a worker thread. To end the run early, the engine interrupts the thread. This
     * method should then return soon, because the instance keeps the item until it returns.
     *
     * @param job the job
     * @param context the item and its fire; valid until this call returns
     * @throws Exception any exception, including an {@code Error}; the item fails with it, and other items are not
     *     affected
     */
    void execute(J job, ShardingContext context) throws Exception;
}
