package io.ostraka.api;

/**
 * Handles failed runs of items. A job selects its handler by name with {@link JobConfiguration#errorHandler()}. Pass a
 * handler to the registry's builder, or let {@link java.util.ServiceLoader} find it; {@code LOG}, {@code IGNORE} and
 * {@code WEBHOOK} are built in. An instance calls a handler on different threads, but makes only one call at a time.
 */
public interface JobErrorHandler {
    /** Returns the name that {@link JobConfiguration#errorHandler()} refers to. Must always return the same name. */
    String type();

    /**
     * Handles a run that has failed in all its attempts or has exceeded its time limit. The engine first releases the
     * run's slot and starts to record the end of the run, so a long call delays no item. The engine calls this method
     * on a worker thread. During a call, up to 499 further failures wait for the handler, and the engine drops those that
     * follow. {@link Health#problem} says how many were dropped, until no failure waits. A shutdown does not wait for
     * this method.
     *
     * <p>The engine does not call the handler if it cancelled the run for a reason other than the time limit, or if the
     * item may already have belonged to another instance when the run failed. In these cases, either the fire runs
     * again, or the item's record contains {@link ItemOutcome#CANCELLED} or {@link ItemOutcome#INTERRUPTED}.
     *
     * @param failure the failed run
     * @param error exception with which the run's last attempt failed. If the run exceeded its time limit, this is a
     *     {@link RunTimeoutException}, whose cause is the exception that the code threw, if any
     * @throws Exception any exception; the engine logs it with the job's name
     */
    void handle(ItemFailure failure, Throwable error) throws Exception;
}
