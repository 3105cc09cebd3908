package io.ostraka.cli.transport;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.ostraka.console.Request;
import io.ostraka.console.Response;
import io.ostraka.console.security.SecuredApi;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Sends requests to the API, and turns each response into an answer or a failure. */
public final class Client {
    private static final String ROOT = "/api/v1/namespaces";

    /** Limits of a list, so that a hostile server neither keeps this program busy forever nor fills its memory. */
    private static final int MOST_PAGES = 1000;

    private static final long LARGEST_LIST = HttpTransport.LARGEST;

    private final Transport transport;

    public Client(Transport transport) {
        this.transport = transport;
    }

    /**
     * A parameter of the query.
     *
     * @param name name of the parameter
     * @param value value
     */
    public record Parameter(String name, String value) {}

    /** Returns the path of a view or a command. */
    public static String path(String... segments) {
        StringBuilder path = new StringBuilder(ROOT);
        for (String segment : segments) {
            path.append('/').append(encoded(segment));
        }
        return path.toString();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Reads a view. */
    public <T extends Record> Answer<T> get(Class<T> type, String path, Parameter... query) {
        return Answer.of(read("GET", path, List.of(query), new JsonObject()), type);
    }

    /** Reads a view that needs a body. */
    public <T extends Record> Answer<T> ask(Class<T> type, String path, JsonObject body) {
        return Answer.of(read("POST", path, List.of(), body), type);
    }

    private JsonObject read(String method, String path, List<Parameter> query, JsonObject body) {
        return answer(send(method, path, query, body));
    }

    private Response send(String method, String path, List<Parameter> query, JsonObject body) {
        try {
            return transport.send(request(method, path, query, body, null));
        } catch (Transport.Broken e) {
            throw new Failure(ExitCode.UNREACHABLE, e.text());
        }
    }

    private static JsonObject answer(Response response) {
        return Responses.answer(response).orElseThrow(() -> Responses.failure(response)
                .orElseGet(() -> new Failure(ExitCode.UNREACHABLE, Responses.unexpected(response))));
    }

    /** Returns the name of the caller to whom the token belongs; empty if the server does not answer the request. */
    public Optional<String> person() {
        try {
            return Optional.of(
                    get(Answers.Caller.class, SecuredApi.SESSION).value().name());
        } catch (Failure e) {
            return Optional.empty();
        }
    }

    /** Returns the time of the server; empty if the transport has none. */
    public Optional<Instant> date() {
        try {
            Response response = transport.send(request("GET", ROOT, List.of(), new JsonObject(), null));
            String date = response.headers().getOrDefault("date", "");
            return Optional.of(ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant());
        } catch (Transport.Broken | DateTimeException e) {
            return Optional.empty();
        }
    }

    /**
     * Reads all pages of a list, and returns them as one.
     *
     * @param type record whose first component is the list
     * @throws Failure if the server names a page twice, or if the list is too long for this program
     */
    public <T extends Record> Answer<T> pages(Class<T> type, String path, List<Parameter> query) {
        String name = type.getRecordComponents()[0].getName();
        JsonArray all = new JsonArray();
        JsonObject whole = new JsonObject();
        Set<String> read = new HashSet<>();
        long bytes = 0;
        String after = "";
        do {
            List<Parameter> parameters = new ArrayList<>(query);
            parameters.add(new Parameter("limit", "1000"));
            if (!after.isEmpty()) {
                parameters.add(new Parameter("after", after));
            }
            Response response = send("GET", path, parameters, new JsonObject());
            JsonObject page = answer(response);
            Answer.of(page, type);
            all.addAll(page.getAsJsonArray(name));
            bytes += response.body().length;
            after = Responses.text(page, "next");
            boolean again = !after.isEmpty() && !read.add(after);
            if (again || read.size() > MOST_PAGES || bytes > LARGEST_LIST) {
                throw new Failure(
                        ExitCode.FAILED,
                        "the list of " + name + " was not read to its end: the server "
                                + (again
                                        ? "names the same page twice"
                                        : "sends more than " + MOST_PAGES + " pages or " + (LARGEST_LIST >> 20)
                                                + " MiB")
                                + "; check the address in --server");
            }
        } while (!after.isEmpty());
        whole.add(name, all);
        whole.addProperty("total", all.size());
        return Answer.of(whole, type);
    }

    /**
     * Executes a command.
     *
     * @param expected version for {@code If-Match}; null to accept every version
     * @throws Failure with {@link ExitCode#OUTCOME_UNKNOWN} if the command may have been applied
     */
    public Answer<Answers.Result> command(String path, JsonObject body, boolean dryRun, @Nullable Long expected) {
        Response response;
        List<Parameter> query = dryRun ? List.of(new Parameter("dryRun", "true")) : List.of();
        try {
            response = transport.send(request("POST", path, query, body, expected));
        } catch (Transport.Broken e) {
            throw new Failure(e.sent() && !dryRun ? ExitCode.OUTCOME_UNKNOWN : ExitCode.UNREACHABLE, e.text());
        }
        JsonObject json = Responses.answer(response).orElseThrow(() -> {
            Failure failure = Responses.failure(response).orElse(null);
            if (failure != null && !Responses.mayHaveBeenApplied(failure)) {
                return failure;
            }
            boolean refused = failure == null && response.status() >= 300 && response.status() < 400;
            ExitCode code = dryRun || refused ? ExitCode.UNREACHABLE : ExitCode.OUTCOME_UNKNOWN;
            return failure == null
                    ? new Failure(code, Responses.unexpected(response))
                    : new Failure(code, failure.text(), failure.problem());
        });
        try {
            return Answer.of(json, Answers.Result.class);
        } catch (Failure e) {
            throw new Failure(dryRun ? e.exitCode() : ExitCode.OUTCOME_UNKNOWN, e.text());
        }
    }

    private static Request request(
            String method, String path, List<Parameter> query, JsonObject body, @Nullable Long expected) {
        StringBuilder encoded = new StringBuilder();
        for (Parameter each : query) {
            encoded.append(encoded.isEmpty() ? "" : "&")
                    .append(encoded(each.name()))
                    .append('=')
                    .append(encoded(each.value()));
        }
        Map<String, List<String>> headers = new TreeMap<>();
        headers.put("accept", List.of("application/json"));
        byte[] bytes = new byte[0];
        if (method.equals("POST")) {
            headers.put("content-type", List.of("application/json"));
            bytes = body.toString().getBytes(StandardCharsets.UTF_8);
        }
        if (expected != null) {
            headers.put("if-match", List.of("\"" + expected + "\""));
        }
        return new Request(method, path, encoded.toString(), headers, bytes, "ostraka", true);
    }
}
