package io.ostraka.remote;

/**
 * Thrown if an answer of the platform is not accepted. The message names the place in the answer, the value, and the
 * accepted values.
 */
final class RefusedAnswerException extends RuntimeException {
    private static final long serialVersionUID = 1;

    RefusedAnswerException(String message) {
        super(message);
    }

    RefusedAnswerException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Returns an exception with the message of another exception. */
    static RefusedAnswerException of(Throwable cause) {
        return new RefusedAnswerException(String.valueOf(cause.getMessage()), cause);
    }
}
