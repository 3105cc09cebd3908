package io.ostraka.core.coordination;

/** Result of a request to cancel a delayed trigger. */
public sealed interface Cancellation {
    /** The trigger was cancelled. Its run never starts. */
    record Cancelled(String runId) implements Cancellation {}

    /** An earlier request had cancelled the trigger. */
    record Unchanged(String runId) implements Cancellation {}

    /** The trigger was due before it could be cancelled, so its run has started or will start. */
    record Released(String runId) implements Cancellation {}

    /**
     * No delayed trigger has this key or run id. It may never have existed, or its run may have ended more than an hour
     * ago. A released trigger is found by its run id only.
     */
    record NotFound() implements Cancellation {}

    /**
     * The answer was lost. The trigger is cancelled already, will be cancelled before this session ends, or remains.
     * The same request, sent again, shows which.
     */
    record Unknown(String runId) implements Cancellation {}
}
