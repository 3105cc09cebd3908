package io.ostraka.api;

/**
 * Handles the failed item runs of the jobs that choose it with {@link JobConfiguration#errorHandler()}. {@link
 * java.util.ServiceLoader} finds handlers beside {@code LOG}, {@code IGNORE} and {@code WEBHOOK}. Must be thread-safe.
 */
public interface JobErrorHandler {
    /** Returns the name by which {@link JobConfiguration#errorHandler()} chooses this handler. Must always return the same name. */
    String type();

    /**
     * Handles a run that has failed or timed out and is not retried in this instance. Called on the worker thread of the run, after
     * the item has been released, so a long call holds up no item.
     *
     * <p>A run that was stopped, or that failed after it may have lost its item, is no failure: its fire runs again, or is recorded
     * as interrupted.
     *
     * @param failure the failed run
     * @param error exception of the job's code; a {@link RunTimeoutException} for a run that timed out
     * @throws Exception anything; the engine logs it with the job's name
     */
    void handle(ItemFailure failure, Throwable error) throws Exception;
}
