package io.ostraka.api;

/** Thrown if an {@link HttpJob} receives a response with a status outside the range from 200 to 299. */
public final class HttpFailedException extends OstrakaException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String body;

    /**
     * Creates an exception for a response.
     *
     * @param description description of the request and the response's status
     * @param status status of the response
     * @param body beginning of the response's body
     */
    public HttpFailedException(String description, int status, String body) {
        super(
                body.isEmpty()
                        ? description
                        : description + ": " + String.join(" ", body.lines().toList()),
                null);
        this.status = status;
        this.body = body;
    }

    /** Returns the HTTP status of the response. */
    public int status() {
        return status;
    }

    /** Returns the first 4 KiB of the response's body, decoded as UTF-8; empty if there was no body. */
    public String body() {
        return body;
    }
}
