package io.ostraka.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares the OpenAPI document with the routes. {@code -Dostraka.openapi=write} replaces the document. */
@Tag("smoke")
class OpenApiTest {
    private static final Path DOCUMENT =
            Path.of("src", "main", "resources", "io", "ostraka", "console", "openapi.json");
    private static final Gson PRETTY =
            new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

    @Test
    void documentDescribesExactlyTheRoutes() throws IOException {
        String generated = PRETTY.toJson(new OpenApiGenerator().generate()) + "\n";
        if ("write".equals(System.getProperty("ostraka.openapi"))) {
            Files.createDirectories(DOCUMENT.getParent());
            Files.writeString(DOCUMENT, generated);
        }

        assertThat(JsonParser.parseString(Files.readString(DOCUMENT)))
                .as("the document; -Dostraka.openapi=write replaces it")
                .isEqualTo(JsonParser.parseString(generated));
    }
}
