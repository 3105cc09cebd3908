package io.ostraka.api;

/**
 * Root of all job types. Implement {@link SimpleJob} or {@link DataflowJob}, describe a {@link ScriptJob} or an {@link
 * HttpJob}, or define a job type with a {@link JobItemExecutor} that runs it.
 *
 * <p>One object runs all items of a job in a process, several at the same time. Implementations must therefore be
 * thread-safe.
 */
public interface Job {
    /**
     * Prepares the job in this process. The engine calls this method on a worker thread before the first run of the job
     * in the process. Does nothing by default.
     *
     * @throws Exception anything; the run that was about to start fails with this exception, and the next run calls the
     *     method again
     */
    default void init() throws Exception {}

    /**
     * Releases the resources of the job in this process. The engine calls this method after the last run in the
     * process, when the bootstrap or the registry is closed, and only if {@link #init()} has succeeded. Does nothing by
     * default.
     *
     * @throws Exception anything; the engine logs it with the job's name and continues
     */
    default void destroy() throws Exception {}
}
