package io.ostraka.api;

/**
 * Root of everything that can be scheduled. Users implement {@link SimpleJob} or {@link DataflowJob}, describe a {@link
 * ScriptJob} or an {@link HttpJob}, or have a type of their own, whose {@link JobItemExecutor} runs it.
 *
 * <p>One object serves all items of its job in a process, several at a time: implementations must be thread-safe.
 */
public interface Job {
    /**
     * Called once in a process before its first run of the job, on a worker thread. Does nothing by default. If it
     * throws, the run that was about to start fails with what was thrown, and the next run tries again.
     *
     * @throws Exception anything; it becomes that run's failure
     */
    default void init() throws Exception {}

    /**
     * Called once in a process after its last run of the job, when the bootstrap or the registry is closed, and only if
     * {@link #init()} has succeeded. Does nothing by default.
     *
     * @throws Exception anything; it is logged with the job's name and hinders nothing else
     */
    default void destroy() throws Exception {}
}
