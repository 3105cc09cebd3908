package io.ostraka.core.coordination;

/** Result of a request to cancel a delayed trigger. */
public sealed interface Cancellation {
    /** The trigger was cancelled. Its run never starts. */
    record Cancelled(String runId) implements Cancellation {}

    /** An earlier request has already cancelled the trigger. */
    record Unchanged(String runId) implements Cancellation {}

    /** The trigger was due before it could be cancelled, so its run has started or will start. */
    record Released(String runId) implements Cancellation {}

    /**
     * No delayed trigger was found by this key or run id. Either the trigger never existed, or its run ended more than
     * an hour ago, or the caller named the key of a trigger that was released. A released trigger can be found only by
     * its run id.
     */
    record NotFound() implements Cancellation {}

    /**
     * The answer was lost. The trigger was cancelled, will be cancelled before this session ends, or will not be
     * cancelled. Repeat the same request to learn the result.
     */
    record Unknown(String runId) implements Cancellation {}
}
