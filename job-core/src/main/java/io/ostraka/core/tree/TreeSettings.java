package io.ostraka.core.tree;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.ostraka.api.CoordinationException;
import io.ostraka.core.coordination.Settings;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.Names;
import io.ostraka.core.model.Orders;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Exports and restores the nodes that operators have written. The document contains the JSON of these nodes. */
final class TreeSettings implements Settings {
    private static final String FORMAT = "format";
    private static final String REQUESTS = "requests";
    private static final String SKIP_TO = "skipTo";
    private static final String CHANGES = "changes";
    private static final String ORDERS = "orders";
    private static final String FROZEN = "frozen";
    private static final String UNTIL = "until";
    private static final String OVERRIDES = "overrides";
    /** Largest size of a document, in characters. */
    private static final int LARGEST = 64 << 20;

    private final Nodes nodes;

    TreeSettings(Nodes nodes) {
        this.nodes = nodes;
    }

    /** Returns the settings of all nodes, by path. */
    private CompletionStage<Map<String, JsonObject>> read() {
        return nodes.store
                .sync()
                .thenCompose(synced -> nodes.store.children(Paths.JOBS))
                .thenCompose(jobs -> {
                    List<String> paths = new ArrayList<>(
                            jobs.stream().sorted().map(Paths::override).toList());
                    paths.add(Paths.ORDERS);
                    return nodes.read(paths, false).thenApply(read -> {
                        Map<String, JsonObject> contents = new TreeMap<>();
                        read.stream()
                                .flatMap(Optional::stream)
                                .forEach(node -> contents.put(node.path(), content(node)));
                        return contents;
                    });
                });
    }

    /** Returns the settings of a node. */
    private static JsonObject content(Node node) {
        try {
            Codec.decode(node, typeOf(node.path())); // rejects content that an instance would reject
        } catch (Codec.Unreadable e) {
            throw CoordinationException.refused(e.damage().text("correct or delete the node first"));
        }
        JsonObject json = Codec.json(new String(node.data(), StandardCharsets.UTF_8), LARGEST);
        json.remove(FORMAT);
        json.remove(REQUESTS);
        return json;
    }

    private static Class<?> typeOf(String path) {
        return path.equals(Paths.ORDERS) ? Orders.class : JobOverride.class;
    }

    @Override
    public CompletionStage<String> export() {
        return read().thenApply(present -> {
            JsonObject overrides = new JsonObject();
            JsonObject document = new JsonObject();
            document.addProperty(FORMAT, Codec.FORMAT);
            document.addProperty("exportedAt", nodes.serverTime().toString());
            present.forEach((path, content) -> {
                if (path.equals(Paths.ORDERS)) {
                    document.add(ORDERS, content);
                } else {
                    overrides.add(Paths.name(Paths.parent(path)), content);
                }
            });
            document.add(OVERRIDES, overrides);
            return Codec.text(document);
        });
    }

    /** Returns the settings in a document, by the path of their node. */
    private Map<String, JsonObject> parsed(String document) {
        JsonObject json;
        try {
            json = Codec.json(document, LARGEST);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException("the document is no JSON object: " + e.getMessage(), e);
        }
        if (!new JsonPrimitive(Codec.FORMAT).equals(json.get(FORMAT))) {
            throw new IllegalArgumentException(
                    "format of the document is " + json.get(FORMAT) + "; accepted: " + Codec.FORMAT);
        }
        Map<String, JsonObject> contents = new TreeMap<>();
        JsonElement overrides = json.get(OVERRIDES);
        if (!(overrides instanceof JsonObject jobs)) {
            throw new IllegalArgumentException("overrides of the document is " + overrides + "; accepted: an object");
        }
        for (String job : jobs.keySet()) {
            contents.put(Paths.override(Names.requireJob(job)), checked(Paths.override(job), jobs.get(job)));
        }
        if (json.has(ORDERS)) {
            contents.put(Paths.ORDERS, checked(Paths.ORDERS, json.get(ORDERS)));
        }
        return contents;
    }

    private JsonObject checked(String path, JsonElement content) {
        if (!(content instanceof JsonObject json)) {
            throw new IllegalArgumentException(path + " of the document is " + content + "; accepted: an object");
        }
        JsonObject settings = json.deepCopy();
        settings.remove(REQUESTS);
        try {
            Object value = Codec.decode(nodeOf(path, settings), typeOf(path)).value();
            Instant latest = nodes.serverTime().plus(Definition.FURTHEST_SKIP);
            if (value instanceof JobOverride override
                    && override.skipTo() != null
                    && override.skipTo().isAfter(latest)) {
                throw new IllegalArgumentException(path + " of the document has skipTo " + override.skipTo()
                        + "; accepted: until " + Definition.FURTHEST_SKIP.toDays() + " days after now, " + latest);
            }
        } catch (Codec.Unreadable e) {
            throw new IllegalArgumentException("the document contains an invalid setting: " + e.getMessage(), e);
        }
        return settings;
    }

    private static Node nodeOf(String path, JsonObject settings) {
        return new Node(path, data(path, settings), new Node.Stat(0, 0, 0, Instant.EPOCH, Instant.EPOCH, 0));
    }

    private static byte[] data(String path, JsonObject settings) {
        JsonObject whole = settings.deepCopy();
        whole.addProperty(FORMAT, Codec.FORMAT);
        if (path.equals(Paths.ORDERS) && !whole.has(REQUESTS)) {
            whole.add(REQUESTS, new JsonArray());
        }
        return Codec.text(whole).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public CompletionStage<List<String>> diff(String document) {
        Map<String, JsonObject> wanted = parsed(document);
        return read().thenApply(present -> {
            TreeSet<String> paths = new TreeSet<>(wanted.keySet());
            paths.addAll(present.keySet());
            return paths.stream()
                    .map(path -> difference(path, wanted.get(path), present.get(path)))
                    .flatMap(Optional::stream)
                    .toList();
        });
    }

    private static Optional<String> difference(
            String path, @Nullable JsonObject document, @Nullable JsonObject present) {
        JsonObject left = document == null ? new JsonObject() : document;
        JsonObject right = present == null ? new JsonObject() : present;
        TreeSet<String> fields = new TreeSet<>(left.keySet());
        fields.addAll(right.keySet());
        fields.removeIf(field -> neutral(left.get(field)) && neutral(right.get(field))
                || left.has(field) && left.get(field).equals(right.get(field)));
        return fields.isEmpty()
                ? Optional.empty()
                : Optional.of(subject(path) + ": "
                        + fields.stream()
                                .map(field -> field + " is " + shown(left.get(field)) + " in the document and "
                                        + shown(right.get(field)) + " in the namespace")
                                .collect(Collectors.joining("; ")));
    }

    /** Returns whether a value means the same as a missing one. */
    private static boolean neutral(@Nullable JsonElement value) {
        return value == null
                || (value.isJsonArray() && value.getAsJsonArray().isEmpty())
                || (value.isJsonObject() && value.getAsJsonObject().isEmpty())
                || value.equals(new JsonPrimitive(false));
    }

    private static String subject(String path) {
        return path.equals(Paths.ORDERS) ? "the namespace" : "job '" + Paths.name(Paths.parent(path)) + "'";
    }

    private static String shown(@Nullable JsonElement value) {
        return value == null ? "not set" : value.toString();
    }

    /** Checks that each override fits the definition of its job. A job may lack a definition until it is registered. */
    private CompletionStage<Void> requireFits(Map<String, JsonObject> wanted) {
        List<String> overrides = wanted.keySet().stream()
                .filter(path -> !path.equals(Paths.ORDERS))
                .toList();
        List<String> configs = overrides.stream()
                .map(path -> Paths.config(Paths.name(Paths.parent(path))))
                .toList();
        return nodes.read(configs, false).thenAccept(read -> {
            for (int i = 0; i < read.size(); i++) {
                Definition definition = Nodes.valueOf(nodes.part(read.get(i), Definition.class));
                if (definition != null) {
                    String path = overrides.get(i);
                    JsonObject override = Objects.requireNonNull(wanted.get(path));
                    definition.effective(Codec.decode(nodeOf(path, override), JobOverride.class)
                            .value());
                }
            }
        });
    }

    @Override
    public CompletionStage<List<String>> apply(String document) {
        Map<String, JsonObject> wanted = parsed(document);
        // reads all nodes before the first write, so that no node is changed if one is unreadable
        CompletionStage<List<String>> all = requireFits(wanted)
                .thenCompose(fits -> nodes.read(List.copyOf(wanted.keySet()), true))
                .thenAccept(present -> present.forEach(node -> node.ifPresent(TreeSettings::content)))
                .thenCompose(readable -> nodes.createParents())
                .thenApply(ready -> new ArrayList<>());
        List<Map.Entry<String, JsonObject>> order = new ArrayList<>(wanted.entrySet());
        order.sort(Comparator.comparing(entry -> !entry.getKey().equals(Paths.ORDERS))); // a freeze comes first
        for (Map.Entry<String, JsonObject> entry : order) {
            String path = entry.getKey();
            all = all.thenCompose(
                    done -> Nodes.retrying("restore " + subject(path), () -> write(path, entry.getValue()))
                            .thenApply(change -> {
                                change.ifPresent(done::add);
                                return done;
                            }));
        }
        return all;
    }

    /**
     * Returns a copy of the wanted settings. If the present {@code skipTo} is later than the wanted one, the copy keeps
     * the present value, because {@code skipTo} never decreases.
     */
    private static JsonObject keepingSkips(JsonObject wanted, @Nullable JsonObject present) {
        JsonObject settings = wanted.deepCopy();
        if (present == null || !present.has(SKIP_TO)) {
            return settings;
        }
        Instant kept = Instant.parse(present.get(SKIP_TO).getAsString());
        if (settings.has(SKIP_TO)
                && !Instant.parse(settings.get(SKIP_TO).getAsString()).isBefore(kept)) {
            return settings;
        }
        settings.add(SKIP_TO, present.get(SKIP_TO));
        if (present.get(CHANGES) instanceof JsonObject origins && origins.has(SKIP_TO)) {
            JsonObject changes = settings.has(CHANGES) ? settings.getAsJsonObject(CHANGES) : new JsonObject();
            changes.add(SKIP_TO, origins.get(SKIP_TO));
            settings.add(CHANGES, changes);
        }
        return settings;
    }

    /**
     * Returns the wanted settings with the present freeze, if this one ends later. Only the command Thaw ends a freeze
     * before its time.
     */
    private static JsonObject keepingFreeze(JsonObject settings, @Nullable JsonObject present) {
        if (present != null && endOfFreeze(present).isAfter(endOfFreeze(settings))) {
            settings.add(FROZEN, present.get(FROZEN));
        }
        return settings;
    }

    private static Instant endOfFreeze(JsonObject settings) {
        if (!(settings.get(FROZEN) instanceof JsonObject freeze)) {
            return Instant.MIN;
        }
        return freeze.get(UNTIL) instanceof JsonPrimitive until ? Instant.parse(until.getAsString()) : Instant.MAX;
    }

    /** Returns the settings that a node has after the restore. */
    private static JsonObject restored(String path, JsonObject wanted, @Nullable JsonObject present) {
        JsonObject settings = keepingFreeze(keepingSkips(wanted, present), present);
        if (present != null) {
            Codec.decode(nodeOf(path, present), typeOf(path)).unknown().asMap().forEach(settings.asMap()::putIfAbsent);
        }
        return settings;
    }

    @Override
    public CompletionStage<List<String>> preview(String document) {
        Map<String, JsonObject> wanted = parsed(document);
        return requireFits(wanted).thenCompose(fits -> read()).thenApply(present -> wanted.entrySet().stream()
                .map(each -> difference(
                        each.getKey(),
                        restored(each.getKey(), each.getValue(), present.get(each.getKey())),
                        present.get(each.getKey())))
                .flatMap(Optional::stream)
                .toList());
    }

    /** Returns the ids of the latest requests, which must still be recognised after the restore. */
    private static Optional<JsonElement> requests(Node node) {
        return Optional.ofNullable(Codec.json(new String(node.data(), StandardCharsets.UTF_8), LARGEST)
                .get(REQUESTS));
    }

    /** Writes the settings of one node unless the node has them already. */
    private CompletionStage<Optional<Optional<String>>> write(String path, JsonObject wanted) {
        return nodes.readAlone(path, false).thenCompose(node -> {
            JsonObject present = node.map(TreeSettings::content).orElse(null);
            JsonObject settings = restored(path, wanted, present);
            Optional<String> difference = difference(path, settings, present);
            if (difference.isEmpty()) {
                return CompletableFuture.completedStage(Optional.of(Optional.empty()));
            }
            node.flatMap(TreeSettings::requests).ifPresent(requests -> settings.add(REQUESTS, requests));
            byte[] data = data(path, settings);
            NodeOp write = node.isPresent()
                    ? new NodeOp.Set(path, data, node.get().version())
                    : new NodeOp.Create(path, data, NodeOp.Kind.PERSISTENT);
            return nodes.send(List.of(write)).thenCompose(outcome -> {
                if (Nodes.lacksParent(outcome)) { // no instance has registered the job yet
                    return nodes.send(List.of(
                                    new NodeOp.Create(Paths.parent(path), Nodes.NOTHING, NodeOp.Kind.PERSISTENT)))
                            .thenApply(created -> Optional.<Optional<String>>empty());
                }
                return CompletableFuture.completedStage(
                        Nodes.settled(outcome, Optional.of("restored the settings of " + subject(path))));
            });
        });
    }
}
