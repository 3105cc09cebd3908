package io.ostraka.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParser;
import io.ostraka.api.operations.Operations;
import io.ostraka.console.security.SecuredApi;
import io.ostraka.console.security.SecuritySettings;
import io.ostraka.console.security.Sent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares the OpenAPI document with the routes. {@code -Dostraka.openapi=write} replaces the document. */
@Tag("smoke")
class OpenApiTest {
    private static final Path DOCUMENT =
            Path.of("src", "main", "resources", "io", "ostraka", "console", "openapi.json");
    private static final Gson PRETTY =
            new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

    /** One-time passwords. */
    private final List<String> printed = new ArrayList<>();

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

    @Tag("slow")
    @Test
    void documentDescribesTheSession() {
        DocumentedAnswers documented = new DocumentedAnswers();
        SecuredApi api = api();
        Sent login = Sent.post(SecuredApi.SESSION, "{\"user\":\"admin\",\"password\":\"" + printed.get(0) + "\"}")
                .with("sec-fetch-site", "same-origin");
        Response loggedIn = api.handle(login.request());
        assertThat(loggedIn.status()).as(loggedIn.text()).isEqualTo(200);
        documented.check("POST", SecuredApi.SESSION, loggedIn);
        String setCookie = loggedIn.headers().get("Set-Cookie");
        String cookie = setCookie.substring(0, setCookie.indexOf(';'));

        Response shown =
                api.handle(Sent.get(SecuredApi.SESSION).with("cookie", cookie).request());
        assertThat(shown.status()).isEqualTo(200);
        documented.check("GET", SecuredApi.SESSION, shown);
        documented.check(
                "GET",
                SecuredApi.SESSION,
                api.handle(Sent.get(SecuredApi.SESSION).request()));
        documented.check(
                "GET",
                OpenApi.PATH,
                api.handle(Sent.get(OpenApi.PATH).with("cookie", cookie).request()));

        Response put = api.handle(Sent.of("PUT", SecuredApi.SESSION)
                .with("content-type", "application/json")
                .with("sec-fetch-site", "same-origin")
                .with("cookie", cookie)
                .request());
        assertThat(Set.of(put.headers().get("Allow").toLowerCase(Locale.ROOT).split(", ")))
                .isEqualTo(documented.methods(SecuredApi.SESSION));

        Response loggedOut = api.handle(Sent.delete(SecuredApi.SESSION)
                .with("sec-fetch-site", "same-origin")
                .with("cookie", cookie)
                .request());
        assertThat(documented.statuses("DELETE", SecuredApi.SESSION)).contains(String.valueOf(loggedOut.status()));
        assertThat(loggedOut.body()).isEmpty();
    }

    @Test
    void documentDescribesTheEvents() {
        DocumentedAnswers documented = new DocumentedAnswers();
        assertThat(documented.methods(EventRoutes.PATH)).containsExactly("get");
        String path = EventRoutes.PATH.replace("{namespace}", "orders");
        assertThat(EventRoutes.match(Sent.get(path + "?job=a&show=b").request()))
                .contains(new EventRequest("orders", List.of("a"), Set.of("b"), null));
    }

    private SecuredApi api() {
        Namespaces none = new Namespaces() {
            @Override
            public List<String> names() {
                return List.of();
            }

            @Override
            public Optional<Operations> operations(String namespace) {
                return Optional.empty();
            }
        };
        return new SecuredApi(
                new Api(none, false),
                SecuritySettings.newBuilder().build(),
                (namespace, job) -> Map.of(),
                Clock.systemUTC(),
                (name, client, success, reason) -> {},
                printed::add);
    }
}
