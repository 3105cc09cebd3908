package io.ostraka.api;

/**
 * Handles the failed item runs of the jobs that choose it with {@link JobConfiguration#errorHandler()}. {@link
 * java.util.ServiceLoader} finds handlers beside {@code LOG}, {@code IGNORE} and {@code WEBHOOK}. Must be thread-safe.
 */
public interface JobErrorHandler {
    /** Returns the name that {@link JobConfiguration#errorHandler()} refers to. Must always return the same name. */
    String type();

    /**
     * Handles a run that has failed or timed out and that this instance does not retry. The engine calls this method on
     * the worker thread of the run, after it has released the item, so a long call delays no item.
     *
     * <p>The handler does not receive runs that were stopped, or that failed after they may have lost their item. The
     * fire of such a run runs again or is recorded as interrupted.
     *
     * @param failure the failed run
     * @param error exception of the job's code; a {@link RunTimeoutException} for a run that timed out
     * @throws Exception anything; the engine logs it with the job's name
     */
    void handle(ItemFailure failure, Throwable error) throws Exception;
}
