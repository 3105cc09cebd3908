package io.ostraka.api;

/**
 * Is told of every item run that has failed, by the jobs that choose it with {@link JobConfiguration#errorHandler()}. Found
 * by {@link java.util.ServiceLoader}, beside {@code LOG}, {@code IGNORE} and {@code WEBHOOK}. Thread-safe.
 */
public interface JobErrorHandler {
    /** Returns the name by which {@link JobConfiguration#errorHandler()} chooses it; always the same. */
    String type();

    /**
     * An item run has failed or timed out, and isn't tried again here. Called on the worker thread that ran it, once the item no longer waits for it: however long
     * the call takes, no item is held up. What it throws is logged and harmless.
     *
     * <p>A run that was told to end, or that failed after it may have lost its item, is no failure: its fire runs again, or
     * is recorded as interrupted.
     *
     * @param failure what failed
     * @param error what the job threw; of a run that timed out a {@link RunTimeoutException}
     * @throws Exception anything; it is logged with the job's name
     */
    void handle(ItemFailure failure, Throwable error) throws Exception;
}
