package io.ostraka.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;

/** The OpenAPI document of the routes. A test generates it from the routes and the records, and compares the two. */
final class OpenApi {
    /** Path at which callers read the document. */
    static final String PATH = "/api/v1/openapi.json";

    private static final String RESOURCE = "openapi.json";

    private OpenApi() {}

    static Response response() {
        try (InputStream in = OpenApi.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException(RESOURCE + " is missing in the jar");
            }
            return new Response(200, Map.of("Content-Type", "application/json"), in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
