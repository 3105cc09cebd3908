package io.ostraka.api;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a run of an item exceeds {@link JobConfiguration#timeout()}, or a task exceeds its {@linkplain Tasks#within
 * limit}.
 */
public final class RunTimeoutException extends OstrakaException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message names the run or task that took too long
     * @param cause exception that the code threw when it was cancelled; null if it returned
     */
    public RunTimeoutException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
