package io.ostraka.api;

import org.jspecify.annotations.Nullable;

/** Root of the errors that this library throws. */
public class OstrakaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Says what happened. */
    protected OstrakaException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
