package io.ostraka.console.server;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.ostraka.console.security.Tokens;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Settings of a console for a test, and a client with a token. */
final class Site {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final String token = Tokens.create();
    private final HttpClient client;
    private URI uri = URI.create("http://127.0.0.1:0");

    Site() {
        this(HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build());
    }

    Site(HttpClient client) {
        this.client = client;
    }

    /** Writes a file of settings with a token for everything. */
    Path settings(Path directory, String servers, String... more) throws IOException {
        List<String> lines = new ArrayList<>(List.of(
                "zookeeper.servers=" + servers,
                "listen.port=0",
                "tokens.test.hash=" + Tokens.digest(token),
                "tokens.test.grants=ADMIN",
                "tokens.test.expires=2999-01-01T00:00:00Z"));
        for (String line : more) { // replaces a line with the same key
            lines.removeIf(each -> each.startsWith(line.substring(0, line.indexOf('=') + 1)));
            lines.add(line);
        }
        return Files.write(directory.resolve("console.properties"), lines);
    }

    void at(URI address) {
        uri = address;
    }

    URI uri() {
        return uri;
    }

    /** Sends a GET with the token. */
    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send(request(path).GET());
    }

    /** Sends a command with the token. */
    HttpResponse<String> post(String path, String json) throws IOException, InterruptedException {
        return send(request(path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(json)));
    }

    HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return client.send(request.build(), BodyHandlers.ofString());
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(uri.resolve(path)).timeout(LIMIT).header("Authorization", "Bearer " + token);
    }

    static JsonObject json(HttpResponse<String> response) {
        return JsonParser.parseString(response.body()).getAsJsonObject();
    }
}
