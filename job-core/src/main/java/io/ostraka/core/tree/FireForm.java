package io.ostraka.core.tree;

import com.google.gson.JsonDeserializationContext;
import com.google.gson.JsonDeserializer;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonSerializationContext;
import com.google.gson.JsonSerializer;
import io.ostraka.api.ItemOutcome;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.ItemKeys;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Encodes the progress of a fire. If a fire has few items, the node lists each of them in a form that people can read.
 * Many items are written as compressed ranges, because every completion rewrites the node, and the plain text for
 * 100,000 items would take two megabytes.
 */
final class FireForm implements JsonSerializer<FireProgress>, JsonDeserializer<FireProgress> {
    private static final String LEFT = "left";
    private static final String OUTCOMES = "outcomes";
    private static final String ITEMS_GZIP = "itemsGzip";
    /** Length of an item's entry without the key, in characters: quotes, a colon, a comma and the longest outcome. */
    private static final int PLAIN_BESIDE_KEY = 6 + 11;

    @Override
    public JsonElement serialize(FireProgress fire, Type type, JsonSerializationContext context) {
        long plain = 0;
        for (Collection<String> keys : List.of(fire.left(), fire.outcomes().keySet())) {
            for (String key : keys) {
                plain += key.length() + PLAIN_BESIDE_KEY;
            }
        }
        if (plain <= CompressedText.PLAIN_LENGTH) {
            return Values.GSON.toJsonTree(fire);
        }
        Map<ItemOutcome, List<String>> byOutcome = new EnumMap<>(ItemOutcome.class);
        fire.outcomes().forEach((item, outcome) -> byOutcome
                .computeIfAbsent(outcome, key -> new ArrayList<>())
                .add(item));
        JsonObject items = new JsonObject();
        items.addProperty(LEFT, ranges(fire.left()));
        JsonObject outcomes = new JsonObject();
        byOutcome.forEach((outcome, keys) -> outcomes.addProperty(outcome.name(), ranges(keys)));
        items.add(OUTCOMES, outcomes);
        JsonObject json = Values.GSON
                .toJsonTree(new FireProgress(fire.trigger(), Set.of(), Map.of(), fire.once()))
                .getAsJsonObject();
        json.addProperty(ITEMS_GZIP, CompressedText.pack(items.toString()));
        return json;
    }

    private static String ranges(Collection<String> keys) {
        return PlanForm.ranges(keys.stream().sorted(ItemKeys.ORDER).toList());
    }

    @Override
    public FireProgress deserialize(JsonElement element, Type type, JsonDeserializationContext context) {
        JsonObject json = element.getAsJsonObject();
        if (!json.has(ITEMS_GZIP)) {
            return Values.GSON.fromJson(json, FireProgress.class);
        }
        JsonObject rest = json.deepCopy();
        JsonObject items = CompressedText.unpack(rest, ITEMS_GZIP, JsonObject.class);
        FireProgress empty = Values.GSON.fromJson(rest, FireProgress.class);
        Map<String, ItemOutcome> outcomes = new TreeMap<>();
        PlanForm.keys(items, OUTCOMES).forEach((outcome, keys) -> {
            ItemOutcome known = ItemOutcome.valueOf(outcome);
            for (String key : keys) {
                if (outcomes.put(key, known) != null) {
                    throw new JsonParseException("item " + key + " has two outcomes");
                }
            }
        });
        return new FireProgress(
                empty.trigger(),
                new HashSet<>(PlanForm.keys(Values.part(items, LEFT, String.class))),
                outcomes,
                empty.once());
    }
}
