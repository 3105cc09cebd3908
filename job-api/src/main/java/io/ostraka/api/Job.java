package io.ostraka.api;

/**
 * Root of all job types. Implement {@link SimpleJob} or {@link DataflowJob}, or build a {@link ScriptJob} or an {@link
 * HttpJob}. An application can also define a job type of its own, together with a {@link JobItemExecutor} that runs it.
 *
 * <p>One object runs all items of a job in a process, and several items can run at the same time. Implementations must
 * therefore be thread-safe.
 */
public interface Job {
    /**
     * Prepares the job in this process. The engine calls this method on a worker thread before the first run of the job
     * in the process. Does nothing by default.
     *
     * @throws Exception any exception; the run that was about to start fails with it, and the engine calls this method
     *     again before the next run
     */
    default void init() throws Exception {}

    /**
     * Releases the resources of the job in this process. The engine calls this method after the last run in the
     * process, when the bootstrap or the registry is closed, and only if {@link #init()} has succeeded. Does nothing by
     * default.
     *
     * @throws Exception any exception; the engine logs it with the job's name and continues
     */
    default void destroy() throws Exception {}
}
