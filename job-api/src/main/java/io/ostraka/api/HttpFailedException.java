package io.ostraka.api;

/** Thrown if the request of an {@link HttpJob} was answered with a status other than 200 to 299. */
public final class HttpFailedException extends OstrakaException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String body;

    /**
     * Creates an exception for an answer.
     *
     * @param description description of the request and the answer's status
     * @param status status of the answer
     * @param body beginning of the answer's body
     */
    public HttpFailedException(String description, int status, String body) {
        super(body.isEmpty() ? description : description + ": " + body, null);
        this.status = status;
        this.body = body;
    }

    /** Returns the status of the answer. */
    public int status() {
        return status;
    }

    /** Returns the first 4 KiB of the answer's body, decoded as UTF-8; empty text if there was no body. */
    public String body() {
        return body;
    }
}
