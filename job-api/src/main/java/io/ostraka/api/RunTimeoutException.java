package io.ostraka.api;

import org.jspecify.annotations.Nullable;

/** A run of an item has taken longer than {@link JobConfiguration#timeout()}. */
public final class RunTimeoutException extends OstrakaException {
    private static final long serialVersionUID = 1L;

    /** Says what took too long; the cause is what the code threw when it was told to end, null if it returned. */
    public RunTimeoutException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
