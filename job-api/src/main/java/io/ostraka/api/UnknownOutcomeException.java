package io.ostraka.api;

/**
 * Thrown if ZooKeeper did not answer a request that changes data. The change may or may not have been made. If the
 * request has an id, the caller can repeat the request with this id: a change that was already made is not made again.
 */
public final class UnknownOutcomeException extends CoordinationException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message names the attempted operation and suggests an action
     */
    public UnknownOutcomeException(String message) {
        super(message);
    }
}
