package io.ostraka.api;

/**
 * Thrown in the code of a run if the run no longer owns its item, or may no longer own it. The code should return
 * without further effects.
 */
public final class OwnershipLostException extends OstrakaException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message names the job, the item and the reason
     */
    public OwnershipLostException(String message) {
        super(message, null);
    }
}
