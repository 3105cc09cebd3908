package io.ostraka.core.tree;

import com.google.gson.JsonArray;
import com.google.gson.JsonDeserializationContext;
import com.google.gson.JsonDeserializer;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonSerializationContext;
import com.google.gson.JsonSerializer;
import com.google.gson.reflect.TypeToken;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.core.model.ItemKeys;
import io.ostraka.core.model.PlacementReasons;
import io.ostraka.core.model.ShardingPlan;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Encodes a plan. Item keys are written as ranges such as {@code 0-3,7}. Long lists of ranges are compressed, because a
 * node's size is limited.
 */
final class PlanForm implements JsonSerializer<ShardingPlan>, JsonDeserializer<ShardingPlan> {
    /**
     * Name of the field for the compressed items and placement reasons, which replaces {@code items} and {@code
     * grounds}.
     */
    static final String ITEMS_GZIP = "itemsGzip";

    private static final String ITEMS = "items";

    /** Name of the field for replaced schedules. */
    private static final String FORMER = "former";

    /** Name of the field for placement reasons. Omitted if there are none. */
    private static final String GROUNDS = "grounds";

    private static final String SCHEDULE = "schedule";

    private static final TypeToken<Map<String, String>> RANGES = new TypeToken<>() {};
    private static final Pattern RANGE = Pattern.compile("(\\d{1,6})-(\\d{1,6})");

    @Override
    public JsonElement serialize(ShardingPlan plan, Type type, JsonSerializationContext context) {
        JsonObject json = Values.GSON
                .toJsonTree(plan.with(Map.of(), PlacementReasons.NONE))
                .getAsJsonObject();
        JsonObject placed = new JsonObject();
        placed.add(ITEMS, ranges(plan.items()));
        json.remove(GROUNDS);
        if (!plan.grounds().equals(PlacementReasons.NONE)) {
            placed.add(GROUNDS, grounds(plan.grounds()));
        }
        String text = placed.toString();
        if (text.length() > CompressedText.PLAIN_LENGTH) {
            json.add(ITEMS, new JsonObject());
            json.addProperty(ITEMS_GZIP, CompressedText.pack(text));
        } else {
            placed.asMap().forEach(json::add);
        }
        return json;
    }

    @Override
    public ShardingPlan deserialize(JsonElement element, Type type, JsonDeserializationContext context) {
        JsonObject json = element.getAsJsonObject();
        JsonObject placed = json.has(ITEMS_GZIP) ? CompressedText.unpack(json, ITEMS_GZIP, JsonObject.class) : json;
        Map<String, List<String>> items = keys(placed, ITEMS);
        PlacementReasons grounds = grounds(placed.get(GROUNDS));
        json.add(ITEMS, new JsonObject());
        json.add(GROUNDS, Values.GSON.toJsonTree(PlacementReasons.NONE));
        readableSchedule(json);
        if (json.get(FORMER) instanceof JsonArray former) {
            former.forEach(PlanForm::readableSchedule);
        }
        return Values.GSON.fromJson(json, ShardingPlan.class).with(items, grounds);
    }

    private static JsonObject grounds(PlacementReasons grounds) {
        JsonObject json = new JsonObject();
        json.addProperty("strategy", grounds.strategy());
        json.addProperty("state", grounds.state());
        json.add("moves", ranges(grounds.moves()));
        json.add("unplaced", ranges(grounds.unplaced()));
        json.add("awaited", ranges(grounds.awaited()));
        json.asMap().values().removeIf(value -> value.isJsonNull() || value.equals(new JsonObject()));
        return json;
    }

    /**
     * Reads the placement reasons. If they are missing or unreadable, returns no reasons, since only operators and
     * strategies use them.
     */
    private static PlacementReasons grounds(@Nullable JsonElement element) {
        if (element == null) {
            return PlacementReasons.NONE;
        }
        try {
            JsonObject json = element.getAsJsonObject();
            JsonElement strategy = json.get("strategy");
            JsonElement state = json.get("state");
            return new PlacementReasons(
                    strategy == null ? null : strategy.getAsString(),
                    state == null ? "" : state.getAsString(),
                    keysIn(json, "moves"),
                    keysIn(json, "unplaced"),
                    keysIn(json, "awaited"));
        } catch (RuntimeException e) {
            return PlacementReasons.NONE;
        }
    }

    private static Map<String, List<String>> keysIn(JsonObject json, String field) {
        return json.has(field) ? keys(json, field) : Map.of();
    }

    private static JsonObject ranges(Map<String, List<String>> items) {
        JsonObject json = new JsonObject();
        items.forEach((name, keys) -> json.addProperty(name, ranges(keys)));
        return json;
    }

    /** Returns the keys of the ranges in a field, by instance or by reason; at most as many as a job has items. */
    static Map<String, List<String>> keys(JsonObject json, String field) {
        Map<String, List<String>> items = new TreeMap<>();
        int most = JobConfiguration.MAX_ITEMS;
        for (Map.Entry<String, String> each : Values.part(json, field, RANGES).entrySet()) {
            List<String> keys = keys(each.getValue(), most);
            items.put(each.getKey(), keys);
            most -= keys.size();
        }
        return items;
    }

    /**
     * Replaces an unreadable schedule with a schedule without fires, so that the rest of the plan remains usable. A
     * schedule is unreadable if a newer version has written it, or if the node is damaged.
     *
     * @param element JSON of the plan, or of one of its former schedules
     */
    private static void readableSchedule(JsonElement element) {
        if (element instanceof JsonObject json && json.has(SCHEDULE)) {
            try {
                Schedule readable = Values.GSON.fromJson(json.get(SCHEDULE), Schedule.class);
                Objects.requireNonNull(readable, SCHEDULE);
            } catch (RuntimeException e) {
                json.add(SCHEDULE, Values.GSON.toJsonTree(Schedule.onDemand(), Schedule.class));
            }
        }
    }

    /** Returns sorted keys as ranges such as {@code 0-3,7}. */
    static String ranges(List<String> keys) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < keys.size(); ) {
            int end = i;
            while (end + 1 < keys.size() && ItemKeys.follows(keys.get(end), keys.get(end + 1))) {
                end++;
            }
            text.append(i == 0 ? "" : ",").append(keys.get(i));
            if (end > i) {
                text.append('-').append(keys.get(end));
            }
            i = end + 1;
        }
        return text.toString();
    }

    /** Returns the keys of ranges such as {@code 0-3,7}. */
    static List<String> keys(String ranges) {
        return keys(ranges, JobConfiguration.MAX_ITEMS);
    }

    /** Counts before it creates the keys of a range, because a short text can hold many ranges. */
    private static List<String> keys(String ranges, int most) {
        List<String> keys = new ArrayList<>();
        for (String part : ranges.isEmpty() ? new String[0] : ranges.split(",", -1)) {
            Matcher range = RANGE.matcher(part);
            int first = range.matches() ? Integer.parseInt(range.group(1)) : 0;
            int last = range.matches() ? Integer.parseInt(range.group(2)) : 0;
            if (keys.size() + Math.max(0, last - first) + 1 > most) {
                throw new JsonParseException("more than " + JobConfiguration.MAX_ITEMS + " items");
            }
            if (range.matches()) {
                IntStream.rangeClosed(first, last).forEach(item -> keys.add(Integer.toString(item)));
            } else {
                keys.add(part);
            }
        }
        return keys;
    }
}
