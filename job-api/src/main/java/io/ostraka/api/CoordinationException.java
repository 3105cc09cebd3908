package io.ostraka.api;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if an operation needs ZooKeeper and cannot be completed, for example because ZooKeeper cannot be reached or
 * refuses the request, because the registry is closed, or because the state of the namespace does not permit the
 * operation. The message names the attempted operation and suggests an action.
 */
public class CoordinationException extends OstrakaException {
    private static final long serialVersionUID = 1L;

    /** Kinds of causes, for callers that handle them differently. */
    public enum Kind {
        /** The job, instance or backfill that the caller named does not exist. */
        NOT_FOUND,
        /** The state of the namespace does not permit the operation. */
        REFUSED,
        /**
         * ZooKeeper did not answer or refused the request, or the connection is closed. The same call may succeed
         * later.
         */
        UNAVAILABLE
    }

    private final Kind kind;

    /**
     * Creates an exception of kind {@link Kind#UNAVAILABLE} without a cause.
     *
     * @param message names the attempted operation and suggests an action
     */
    public CoordinationException(String message) {
        this(Kind.UNAVAILABLE, message, null);
    }

    /**
     * Creates an exception of kind {@link Kind#UNAVAILABLE} with a cause.
     *
     * @param message names the attempted operation and suggests an action
     * @param cause cause of the failure; null if there is none
     */
    public CoordinationException(String message, @Nullable Throwable cause) {
        this(Kind.UNAVAILABLE, message, cause);
    }

    private CoordinationException(Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** Returns an exception of kind {@link Kind#NOT_FOUND}. */
    public static CoordinationException notFound(String message) {
        return new CoordinationException(Kind.NOT_FOUND, message, null);
    }

    /** Returns an exception of kind {@link Kind#REFUSED}. */
    public static CoordinationException refused(String message) {
        return new CoordinationException(Kind.REFUSED, message, null);
    }

    /** Returns the kind of the cause. */
    public Kind kind() {
        return kind;
    }
}
