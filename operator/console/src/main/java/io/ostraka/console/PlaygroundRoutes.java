package io.ostraka.console;

/** Routes below {@value #PATH}, which only the console of a playground has. Thread-safe. */
public interface PlaygroundRoutes {
    /** Path of the routes. */
    String PATH = "/api/v1/playground";

    /** Returns the namespace of the playground. Only callers with the role ADMIN in it reach {@link #answer}. */
    String namespace();

    /**
     * Answers a request whose path is {@value #PATH} or below it.
     *
     * @throws Problem if the request is refused
     */
    Response answer(Request request);
}
