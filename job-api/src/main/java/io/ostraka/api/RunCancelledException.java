package io.ostraka.api;

/**
 * Thrown if the result of a run is requested that an operator has cancelled before it was due. No item of the run has
 * started or will start. The message names the operator and the reason.
 */
public final class RunCancelledException extends OstrakaException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message names the run, its job and the operator
     */
    public RunCancelledException(String message) {
        super(message, null);
    }
}
