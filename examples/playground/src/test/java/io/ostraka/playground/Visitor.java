package io.ostraka.playground;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.stream.StreamSupport;

/** A visitor of the playground, who has followed the printed link. */
final class Visitor {
    private static final String NAMESPACE = "/api/v1/namespaces/playground";

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI site;
    private String cookie = "";

    private Visitor(URI site) {
        this.site = site;
    }

    /** Logs in with the one-time password of a link. */
    static Visitor follow(URI link) throws Exception {
        String fragment = link.getFragment();
        assertThat(fragment).startsWith("/login?password=");
        Visitor visitor = new Visitor(link.resolve("/"));
        HttpResponse<String> response = visitor.send(
                "/api/v1/session",
                "{'user':'admin','password':'%s'}".formatted(fragment.substring(fragment.indexOf('=') + 1)));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        visitor.cookie =
                response.headers().firstValue("Set-Cookie").orElseThrow().replaceFirst(";.*", "");
        return visitor;
    }

    private HttpResponse<String> send(String path, String body) throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(site.resolve(path)).header("Sec-Fetch-Site", "same-origin");
        if (!cookie.isEmpty()) {
            request.header("Cookie", cookie);
        }
        if (!body.isEmpty()) {
            request.header("Content-Type", "application/json").POST(BodyPublishers.ofString(body.replace('\'', '"')));
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    JsonObject get(String path) throws Exception {
        HttpResponse<String> response = send(path, "");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JsonParser.parseString(response.body()).getAsJsonObject();
    }

    /** Sends a command to the playground, and returns the status. */
    int command(String verb, String worker) throws Exception {
        return send("/api/v1/playground/" + verb, "{'worker':'" + worker + "'}").statusCode();
    }

    /** Returns the states of the workers. */
    List<String> workers() throws Exception {
        return list(get("/api/v1/playground"), "workers").stream()
                .map(each ->
                        each.get("name").getAsString() + " " + each.get("state").getAsString())
                .toList();
    }

    List<JsonObject> jobs() throws Exception {
        return list(get(NAMESPACE + "/jobs"), "jobs");
    }

    JsonObject job(String name) throws Exception {
        return get(NAMESPACE + "/jobs/" + name);
    }

    /** Returns the names of the instances. */
    List<String> instances() throws Exception {
        return list(get(NAMESPACE + "/instances"), "instances").stream()
                .map(each -> each.getAsJsonObject("instance").get("id").getAsString())
                .map(id -> id.substring(0, id.indexOf('@')))
                .toList();
    }

    private static List<JsonObject> list(JsonObject json, String name) {
        JsonArray array = json.getAsJsonArray(name);
        return StreamSupport.stream(array.spliterator(), false)
                .map(JsonElement::getAsJsonObject)
                .toList();
    }
}
