package io.ostraka.api;

/**
 * Runs the items of a type of job of one's own, such as a statement for a database or a message to be sent: what it takes
 * to run such a job is written once, and each job says only what is its own. Found by {@link java.util.ServiceLoader}.
 *
 * <p>One object serves all jobs of its type in a process, several items at a time: it must be thread-safe. Of several
 * whose type fits a job the one with the most special type runs it; if no type is more special than all others, the job is
 * refused.
 *
 * @param <J> the type of job
 */
public interface JobItemExecutor<J extends Job> {
    /** Returns the type whose jobs it runs, subtypes included; always the same. */
    Class<J> type();

    /**
     * Refuses a job that can't be run as it is; called when it is registered. Accepts every job by default.
     *
     * @param job the job
     * @param configuration what it is registered with
     * @throws JobConfigurationException to refuse the job; any exception propagates to the caller that registers the job
     */
    default void validate(J job, JobConfiguration configuration) {}

    /**
     * Runs one item of one fire. Called on a worker thread, which is interrupted when the run is to end early: the call must
     * then return, for the item is kept until it has.
     *
     * @param job the job
     * @param context what to work on; valid until this call returns
     * @throws Exception anything, {@code Error} included; it becomes this item's failure and disturbs no other item
     */
    void execute(J job, ShardingContext context) throws Exception;
}
