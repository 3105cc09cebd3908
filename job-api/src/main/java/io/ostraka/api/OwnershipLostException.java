package io.ostraka.api;

/** The run that asked no longer owns its item, or can no longer be sure of it; it should end without further effects. */
public final class OwnershipLostException extends OstrakaException {
    private static final long serialVersionUID = 1L;

    /** Names the job, the item and why. */
    public OwnershipLostException(String message) {
        super(message, null);
    }
}
