package io.ostraka.api;

/**
 * Thrown if a run no longer owns its item, or cannot be sure that it does. The code should return without further
 * effects.
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
