package io.ostraka.core.tree;

import com.google.gson.JsonDeserializationContext;
import com.google.gson.JsonDeserializer;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonSerializationContext;
import com.google.gson.JsonSerializer;
import com.google.gson.reflect.TypeToken;
import io.ostraka.api.Exclusions;
import java.lang.reflect.Type;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.MonthDay;
import java.time.ZoneId;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** The form of a schedule's exclusions. Kinds that came later are there only where they exclude something. */
final class ExclusionsForm implements JsonSerializer<Exclusions>, JsonDeserializer<Exclusions> {
    private static final String ZONE = "zone";
    private static final String WEEKDAYS = "weekdays";
    private static final String DATES = "dates";
    private static final String WINDOWS = "windows";
    private static final String YEARLY = "yearly";
    private static final String MONTHLY = "monthly";
    private static final String CRONS = "crons";

    @Override
    public JsonElement serialize(Exclusions value, Type type, JsonSerializationContext context) {
        JsonObject json = new JsonObject();
        json.addProperty(ZONE, value.zone().toString());
        json.add(WEEKDAYS, context.serialize(value.weekdays()));
        json.add(DATES, context.serialize(value.dates()));
        json.add(WINDOWS, context.serialize(value.windows()));
        add(json, YEARLY, value.yearly(), context);
        add(json, MONTHLY, value.monthly(), context);
        add(json, CRONS, value.crons(), context);
        return json;
    }

    private static void add(JsonObject json, String field, Collection<?> some, JsonSerializationContext context) {
        if (!some.isEmpty()) {
            json.add(field, context.serialize(some));
        }
    }

    @Override
    public Exclusions deserialize(JsonElement element, Type type, JsonDeserializationContext context) {
        if (!(element instanceof JsonObject json)) {
            throw new JsonParseException("excluded is " + element + "; accepted: an object");
        }
        try {
            return exclusions(json, context);
        } catch (RuntimeException e) {
            throw NodeFields.within(".excluded", e);
        }
    }

    private static Exclusions exclusions(JsonObject json, JsonDeserializationContext context) {
        return new Exclusions(
                part(json, ZONE, TypeToken.get(ZoneId.class), context),
                part(json, WEEKDAYS, new TypeToken<Set<DayOfWeek>>() {}, context),
                part(json, DATES, new TypeToken<Set<LocalDate>>() {}, context),
                json.has(YEARLY) ? part(json, YEARLY, new TypeToken<Set<MonthDay>>() {}, context) : Set.of(),
                json.has(MONTHLY) ? part(json, MONTHLY, new TypeToken<Set<Integer>>() {}, context) : Set.of(),
                part(json, WINDOWS, new TypeToken<List<Exclusions.Window>>() {}, context),
                json.has(CRONS) ? part(json, CRONS, new TypeToken<List<String>>() {}, context) : List.of());
    }

    private static <T> T part(JsonObject json, String field, TypeToken<T> type, JsonDeserializationContext context) {
        return NodeFields.part(json, field, type, context::deserialize);
    }
}
