package io.ostraka.console.live;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.ostraka.console.Api;
import io.ostraka.console.Caller;
import io.ostraka.console.EventRoutes;
import io.ostraka.console.Request;
import io.ostraka.console.Response;
import io.ostraka.console.live.Frames.Received;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A client that keeps a copy of the lists by the rules of the documentation. Not thread-safe. */
final class LiveClient {
    private static final String ROOT = "/api/v1/namespaces/prod";

    private final Api api;
    private final LiveStream stream;
    private final Caller caller;
    private final List<String> jobs;
    /** Names of the other jobs that the client displays; empty if it displays all jobs. */
    private List<String> shown = List.of();

    private final Frames frames = new Frames();
    /** Events that the client has received, in order. */
    final List<Received> received = new ArrayList<>();
    /** Values by key, by list. */
    private final Map<String, Map<String, JsonElement>> lists = new TreeMap<>();
    /** Events that arrived before the lists were read. */
    private final List<Received> early = new ArrayList<>();
    /** True if the client reads the lists only when {@link #readLists} is called. */
    boolean patient;

    BooleanSupplier valid = () -> true;
    private boolean mustRead;
    private @Nullable Subscription subscription;

    LiveClient(Api api, LiveStream stream, Caller caller, String... jobs) {
        this.api = api;
        this.stream = stream;
        this.caller = caller;
        this.jobs = List.of(jobs);
    }

    /** Limits the client to some jobs. */
    LiveClient showing(String... names) {
        shown = List.of(names);
        return this;
    }

    private boolean shows(String job) {
        return shown.isEmpty() || shown.contains(job) || jobs.contains(job);
    }

    static Request get(String path, String query, Map<String, List<String>> headers) {
        return new Request("GET", path, query, headers, new byte[0], "test", false);
    }

    LiveClient connect() {
        return connect(frames.lastId());
    }

    LiveClient connect(String lastEventId) {
        Request request = get(
                ROOT + "/events",
                Stream.concat(
                                jobs.stream().map(job -> "job=" + job),
                                shown.stream().map(job -> "show=" + job))
                        .collect(Collectors.joining("&")),
                lastEventId.isEmpty() ? Map.of() : Map.of("Last-Event-ID", List.of(lastEventId)));
        subscription = stream.subscribe(EventRoutes.match(request).orElseThrow(), caller, () -> valid.getAsBoolean());
        return this;
    }

    void disconnect() {
        if (subscription != null) {
            subscription.close();
            subscription = null;
        }
    }

    boolean connected() {
        return subscription != null;
    }

    Subscription subscription() {
        return subscription;
    }

    Frames frames() {
        return frames;
    }

    /** Takes all events that wait. */
    LiveClient drain() {
        for (byte[] bytes = subscription.poll(); bytes != null; bytes = subscription.poll()) {
            for (Received each : frames.read(bytes)) {
                received.add(each);
                handle(each);
            }
        }
        return this;
    }

    List<String> types() {
        return received.stream().map(Received::type).toList();
    }

    private void handle(Received event) {
        if (event.type().equals("hello") || event.type().equals("reset")) {
            early.clear();
            mustRead = true;
            if (!patient) {
                readLists();
            }
        } else if (mustRead) {
            early.add(event);
        } else {
            apply(event);
        }
    }

    private void apply(Received event) {
        JsonObject json = JsonParser.parseString(event.data()).getAsJsonObject();
        switch (event.type()) {
            case "job" -> list("jobs").put(json.get("job").getAsString(), timeless(json));
            case "job-removed" -> list("jobs").remove(json.get("job").getAsString());
            case "alarm" -> list("alarms").put(json.get("id").getAsString(), json);
            case "alarm-removed" -> list("alarms").remove(json.get("id").getAsString());
            case "instance" ->
                list("instances").put(json.getAsJsonObject("instance").get("id").getAsString(), json);
            case "instance-removed" ->
                list("instances").remove(json.get("instance").getAsString());
            case "namespace" -> list("namespace").put("", timeless(json));
            case "activity" -> list("activity").put(json.get("job").getAsString(), json);
            case "activity-removed" -> list("activity").remove(json.get("job").getAsString());
            case "items" -> {
                String job = json.get("job").getAsString();
                if (json.has("many")) {
                    mustRead = true;
                    readLists();
                    return;
                }
                Map<String, JsonElement> items = list("items " + job);
                json.getAsJsonArray("removed").forEach(key -> items.remove(key.getAsString()));
                json.getAsJsonArray("items")
                        .forEach(item ->
                                items.put(item.getAsJsonObject().get("item").getAsString(), item));
            }
            case "available", "unavailable" -> {}
            default -> throw new AssertionError("unknown event " + event);
        }
    }

    /** Reads the lists if the client has to. Does nothing while ZooKeeper does not answer. */
    void readLists() {
        if (!mustRead) {
            return;
        }
        Map<String, Map<String, JsonElement>> read = read();
        if (read == null) {
            return;
        }
        mustRead = false;
        lists.clear();
        lists.putAll(read);
        List<Received> later = List.copyOf(early);
        early.clear();
        later.forEach(this::handle);
    }

    /** Returns the copy. */
    Map<String, Map<String, JsonElement>> copy() {
        lists.values().removeIf(Map::isEmpty);
        return lists;
    }

    /** Returns the lists as the routes show them to this caller; null if ZooKeeper does not answer. */
    @Nullable Map<String, Map<String, JsonElement>> read() {
        Map<String, Map<String, JsonElement>> all = new TreeMap<>();
        List<String> paths = new ArrayList<>(List.of("jobs", "alarms", "instances"));
        for (String path : paths) {
            JsonObject json = get("/" + path, path.equals("jobs") ? "limit=1000" : "");
            if (json == null) {
                return null;
            }
            for (JsonElement each : json.getAsJsonArray(path)) {
                JsonObject value = each.getAsJsonObject();
                if (value.get("job") instanceof JsonPrimitive job && !shows(job.getAsString())) {
                    continue; // a job or its alarm that the client does not display
                }
                String key =
                        switch (path) {
                            case "jobs" -> value.get("job").getAsString();
                            case "alarms" -> value.get("id").getAsString();
                            default ->
                                value.getAsJsonObject("instance").get("id").getAsString();
                        };
                all.computeIfAbsent(path, name -> new TreeMap<>()).put(key, timeless(value));
            }
        }
        JsonObject namespace = get("", "");
        if (namespace == null) {
            return null;
        }
        all.put("namespace", new TreeMap<>(Map.of("", timeless(namespace))));
        for (String job : jobs) {
            JsonObject items = get("/jobs/" + job + "/items", "limit=1000");
            JsonObject activity = get("/activity", "job=" + job);
            if (activity == null) {
                return null;
            }
            put(all, "items " + job, items == null ? new JsonArray() : items.getAsJsonArray("items"), "item");
            put(all, "activity", activity.getAsJsonArray("activity"), "job");
        }
        return all;
    }

    private static void put(Map<String, Map<String, JsonElement>> all, String list, JsonArray values, String key) {
        for (JsonElement each : values) {
            all.computeIfAbsent(list, name -> new TreeMap<>())
                    .put(each.getAsJsonObject().get(key).getAsString(), each);
        }
    }

    private @Nullable JsonObject get(String path, String query) {
        Response response = api.handle(get(ROOT + path, query, Map.of()), caller);
        return response.status() == 200
                ? JsonParser.parseString(response.text()).getAsJsonObject()
                : null;
    }

    private Map<String, JsonElement> list(String name) {
        return lists.computeIfAbsent(name, key -> new TreeMap<>());
    }

    private static JsonObject timeless(JsonObject json) {
        json.remove("at");
        return json;
    }
}
