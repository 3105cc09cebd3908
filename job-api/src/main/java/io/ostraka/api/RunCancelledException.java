package io.ostraka.api;

/**
 * Thrown to callers that wait for a run if an operator has cancelled the run before it was due. No item of the run has
 * started or will start. The message names the operator and, if one was given, the reason.
 */
public final class RunCancelledException extends OstrakaException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message names the run, its job, the operator and the reason
     */
    public RunCancelledException(String message) {
        super(message, null);
    }
}
