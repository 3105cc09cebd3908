package io.ostraka.faults.history;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** A plan as it stands in its node. */
final class WrittenPlan {
    final JsonObject json;
    final int total;
    final long incarnation;
    /** Each item's owner. */
    final Map<String, String> owners;
    /** Whether an item stands in it twice. */
    final boolean repeats;

    final WrittenSchedule schedule;

    WrittenPlan(JsonObject json) {
        this.json = json;
        total = json.get("total").getAsInt();
        incarnation = json.get("incarnation").getAsLong();
        Map<String, String> found = new LinkedHashMap<>();
        boolean twice = false;
        for (Map.Entry<String, JsonElement> entry :
                json.getAsJsonObject("items").entrySet()) {
            for (String range : entry.getValue().getAsString().split(",", -1)) {
                if (!range.isEmpty()) {
                    String[] ends = range.split("-", -1);
                    for (int i = Integer.parseInt(ends[0]); i <= Integer.parseInt(ends[ends.length - 1]); i++) {
                        twice |= found.put(Integer.toString(i), entry.getKey()) != null;
                    }
                }
            }
        }
        owners = Collections.unmodifiableMap(found);
        repeats = twice;
        schedule = new WrittenSchedule(json.getAsJsonObject("schedule"), anchor());
    }

    /** Whether its schedule is another's. */
    boolean firesAs(WrittenPlan other) {
        return json.get("schedule").equals(other.json.get("schedule"));
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

    /** The item count that the change under way leads to. */
    int target() {
        return json.getAsJsonObject("change").get("target").getAsInt();
    }

    Instant since() {
        return Instant.parse(json.get("since").getAsString());
    }

    /** What a fixed rate is counted from. */
    Instant anchor() {
        return Instant.parse(json.get("anchor").getAsString());
    }
}
