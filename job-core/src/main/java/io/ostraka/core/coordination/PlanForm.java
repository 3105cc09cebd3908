package io.ostraka.core.coordination;

import com.google.gson.JsonArray;
import com.google.gson.JsonDeserializationContext;
import com.google.gson.JsonDeserializer;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonSerializationContext;
import com.google.gson.JsonSerializer;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
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

/** The form of a plan: item keys as ranges, {@code 0-3,7}: a plan of many items stays small. */
final class PlanForm implements JsonSerializer<ShardingPlan>, JsonDeserializer<ShardingPlan> {
    /** Not there in plans of before. */
    private static final String FORMER = "former";

    private static final String SCHEDULE = "schedule";

    private static final Pattern RANGE = Pattern.compile("(\\d{1,6})-(\\d{1,6})");

    @Override
    public JsonElement serialize(ShardingPlan plan, Type type, JsonSerializationContext context) {
        JsonObject json = Values.GSON.toJsonTree(plan.withItems(Map.of())).getAsJsonObject();
        JsonObject items = new JsonObject();
        plan.items().forEach((instance, keys) -> items.addProperty(instance, ranges(keys)));
        json.add("items", items);
        return json;
    }

    @Override
    public ShardingPlan deserialize(JsonElement element, Type type, JsonDeserializationContext context) {
        JsonObject json = element.getAsJsonObject().deepCopy();
        Map<String, List<String>> items = new TreeMap<>();
        json.getAsJsonObject("items")
                .asMap()
                .forEach((instance, keys) -> items.put(instance, keys(keys.getAsString())));
        json.add("items", new JsonObject());
        if (!json.has(FORMER)) {
            json.add(FORMER, new JsonArray());
        }
        readableSchedule(json);
        json.getAsJsonArray(FORMER).forEach(former -> readableSchedule(former.getAsJsonObject()));
        return Values.GSON.fromJson(json, ShardingPlan.class).withItems(items);
    }

    /**
     * A schedule of the past that can't be read, since somebody has damaged it or a newer version knows more, is taken for
     * one without fires: the plan around it can do without.
     */
    private static void readableSchedule(JsonObject json) {
        if (json.has(SCHEDULE)) {
            try {
                Schedule readable = Values.GSON.fromJson(json.get(SCHEDULE), Schedule.class);
                Objects.requireNonNull(readable, SCHEDULE);
            } catch (RuntimeException e) {
                json.add(SCHEDULE, Values.GSON.toJsonTree(Schedule.onDemand(), Schedule.class));
            }
        }
    }

    private static String ranges(List<String> keys) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < keys.size(); ) {
            int end = i;
            while (end + 1 < keys.size() && follows(keys.get(end), keys.get(end + 1))) {
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

    private static boolean follows(String first, String second) {
        return first.matches("\\d{1,6}")
                && second.matches("\\d{1,6}")
                && Integer.parseInt(first) + 1 == Integer.parseInt(second);
    }

    private static List<String> keys(String ranges) {
        List<String> keys = new ArrayList<>();
        for (String part : ranges.isEmpty() ? new String[0] : ranges.split(",", -1)) {
            Matcher range = RANGE.matcher(part);
            if (range.matches()) {
                IntStream.rangeClosed(Integer.parseInt(range.group(1)), Integer.parseInt(range.group(2)))
                        .forEach(item -> keys.add(Integer.toString(item)));
            } else {
                keys.add(part);
            }
            if (keys.size() > JobConfiguration.MAX_ITEMS) {
                throw new JsonParseException("more than " + JobConfiguration.MAX_ITEMS + " items");
            }
        }
        return keys;
    }
}
