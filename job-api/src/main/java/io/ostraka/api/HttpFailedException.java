package io.ostraka.api;

/** An {@link HttpJob}'s request was answered, but not with success. */
public final class HttpFailedException extends OstrakaException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String body;

    /**
     * Tells what was answered.
     *
     * @param what the request and its answer's status
     * @param body the beginning of the answer's body
     */
    public HttpFailedException(String what, int status, String body) {
        super(body.isEmpty() ? what : what + ": " + body, null);
        this.status = status;
        this.body = body;
    }

    /** Returns the answer's status. */
    public int status() {
        return status;
    }

    /** Returns the first 4 KiB, at most, of the answer's body, as UTF-8. */
    public String body() {
        return body;
    }
}
