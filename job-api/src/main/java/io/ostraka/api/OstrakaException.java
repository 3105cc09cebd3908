package io.ostraka.api;

import org.jspecify.annotations.Nullable;

/** Root of the exceptions that this library throws. */
public class OstrakaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates an exception. */
    protected OstrakaException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
