package io.ostraka.api;

import org.jspecify.annotations.Nullable;

/**
 * Failure of a run that has exceeded {@link JobConfiguration#timeout()}, or of a child task that has exceeded its
 * {@linkplain Tasks#within time limit}.
 */
public final class RunTimeoutException extends OstrakaException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message names the run or task that took too long
     * @param cause exception that the code threw when it was cancelled; null if the code returned normally
     */
    public RunTimeoutException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
