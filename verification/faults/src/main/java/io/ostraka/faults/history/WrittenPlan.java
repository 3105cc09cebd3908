package io.ostraka.faults.history;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** A plan as stored in its node, plain or compressed. */
final class WrittenPlan {
    static final String BROADCAST = "BROADCAST";
    static final String ONE_PER_ZONE = "ONE_PER_ZONE";

    final JsonObject json;
    final int total;
    /** Scope of the job, which determines the kind of its items. */
    final String scope;

    final long incarnation;
    /** Owner of each item. */
    final Map<String, String> owners;
    /** True if the plan contains an item twice. */
    final boolean repeats;

    final WrittenSchedule schedule;
    private final Map<String, String> awaited;
    private final Map<String, String> unplaced;

    WrittenPlan(JsonObject json) {
        this.json = json;
        total = json.get("total").getAsInt();
        scope = json.has("scope") ? json.get("scope").getAsString() : "SHARDED";
        incarnation = json.get("incarnation").getAsLong();
        JsonObject placed =
                json.has("itemsGzip") ? unpacked(json.get("itemsGzip").getAsString()) : json;
        Map<String, String> found = new LinkedHashMap<>();
        repeats = byItem(placed.getAsJsonObject("items"), found);
        owners = Collections.unmodifiableMap(found);
        JsonObject grounds = placed.getAsJsonObject("grounds");
        awaited = grounds(grounds, "awaited");
        unplaced = grounds(grounds, "unplaced");
        schedule = new WrittenSchedule(json.getAsJsonObject("schedule"), anchor());
    }

    private static JsonObject unpacked(String text) {
        try (var gzip =
                new GZIPInputStream(new ByteArrayInputStream(Base64.getDecoder().decode(text)))) {
            return State.json(new String(gzip.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("a plan cannot be decompressed", e);
        }
    }

    /**
     * Reads the items of each instance, or of each reason for unplaced items, from ranges. Returns whether an item
     * occurs twice.
     */
    private boolean byItem(JsonObject ranges, Map<String, String> found) {
        boolean twice = false;
        for (Map.Entry<String, JsonElement> entry : ranges.entrySet()) {
            for (String range : entry.getValue().getAsString().split(",", -1)) {
                if (!range.isEmpty() && !numbered()) {
                    twice |= found.put(range, entry.getKey()) != null;
                } else if (!range.isEmpty()) {
                    String[] ends = range.split("-", -1);
                    for (int i = Integer.parseInt(ends[0]); i <= Integer.parseInt(ends[ends.length - 1]); i++) {
                        twice |= found.put(Integer.toString(i), entry.getKey()) != null;
                    }
                }
            }
        }
        return twice;
    }

    private Map<String, String> grounds(@Nullable JsonObject grounds, String field) {
        Map<String, String> found = new LinkedHashMap<>();
        if (grounds != null && grounds.has(field)) {
            byItem(grounds.getAsJsonObject(field), found);
        }
        return Collections.unmodifiableMap(found);
    }

    /**
     * Returns the host that each waiting item waits for. If the item waits for a restart, the text also contains a
     * blank and the end of the grace.
     */
    Map<String, String> awaited() {
        return awaited;
    }

    /** Returns the reason for each unplaced item. */
    Map<String, String> unplaced() {
        return unplaced;
    }

    /** Returns whether every item has an owner. */
    boolean whole() {
        return owners.keySet().equals(keys());
    }

    /** Returns whether the keys of the plan's items are the numbers below the total. */
    boolean numbered() {
        return !scope.equals(BROADCAST) && !scope.equals(ONE_PER_ZONE);
    }

    /** Returns the keys of all items; if the items have no numbers, the keys of the items with an owner. */
    Set<String> keys() {
        return numbered()
                ? IntStream.range(0, total).mapToObj(Integer::toString).collect(Collectors.toSet())
                : owners.keySet();
    }

    /** Returns whether the item exists. */
    boolean has(String key) {
        return numbered() ? Integer.parseInt(key) < total : owners.containsKey(key);
    }

    /** Returns whether both plans have the same schedule. */
    boolean firesAs(WrittenPlan other) {
        return json.get("schedule").equals(other.json.get("schedule"));
    }

    /** Returns whether the schedule has a single fire, with or without bounds. */
    boolean single() {
        JsonObject schedule = json.getAsJsonObject("schedule");
        while (schedule.get("type").getAsString().equals("bounded")) {
            schedule = schedule.getAsJsonObject("base");
        }
        return schedule.get("type").getAsString().equals("once");
    }

    /** Returns whether a single fire waits for the first item of the plan. */
    boolean waits() {
        return single() && keys().isEmpty() && anchor().equals(Instant.parse("9999-12-31T00:00:00Z"));
    }

    long configMzxid() {
        return json.get("configMzxid").getAsLong();
    }

    long overrideMzxid() {
        return json.get("overrideMzxid").getAsLong();
    }

    boolean closed() {
        return json.has("change");
    }

    /** Returns the new item count of the change in progress. */
    int target() {
        return json.getAsJsonObject("change").get("target").getAsInt();
    }

    Instant since() {
        return Instant.parse(json.get("since").getAsString());
    }

    /** Returns the time before which no scheduled fire starts; empty if no operator has skipped fires. */
    Optional<Instant> skipTo() {
        return json.has("skipTo") ? Optional.of(Instant.parse(json.get("skipTo").getAsString())) : Optional.empty();
    }

    /** Returns whether an operator has skipped a fire of the schedule. */
    boolean skips(Instant fire) {
        return !schedule.isPause() && skipTo().filter(fire::isBefore).isPresent();
    }

    /** Returns the time from which the periods of a fixed rate are counted. */
    Instant anchor() {
        return Instant.parse(json.get("anchor").getAsString());
    }
}
