package io.ostraka.api;

import org.jspecify.annotations.Nullable;

/** ZooKeeper could not be asked, or refused; the message says what was tried and what to do. */
public final class CoordinationException extends OstrakaException {
    private static final long serialVersionUID = 1L;

    /** Says what was tried. */
    public CoordinationException(String message) {
        super(message, null);
    }

    /** The same, with its cause. */
    public CoordinationException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
