package io.ostraka.api;

/**
 * Thrown to the code of a run if this instance no longer owns the item, or cannot be sure that it still does. The code
 * should return without further effects.
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
