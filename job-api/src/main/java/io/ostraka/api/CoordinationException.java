package io.ostraka.api;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if an operation needs ZooKeeper and cannot be completed, for example because ZooKeeper cannot be reached or
 * refuses the request, or because the registry is closed. The message names the attempted operation and suggests an
 * action.
 */
public class CoordinationException extends OstrakaException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception without a cause.
     *
     * @param message names the attempted operation and suggests an action
     */
    public CoordinationException(String message) {
        super(message, null);
    }

    /**
     * Creates an exception with a cause.
     *
     * @param message names the attempted operation and suggests an action
     * @param cause cause of the failure; null if there is none
     */
    public CoordinationException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
