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
import io.ostraka.core.model.Backfill;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes the request of a backfill. Fire times at equal distances are written as one series. A long list of series is
 * compressed.
 */
final class BackfillForm implements JsonSerializer<Backfill.Request>, JsonDeserializer<Backfill.Request> {
    private static final String DATES = "dates";
    private static final String DATES_GZIP = "datesGzip";
    private static final TypeToken<List<Series>> SERIES = new TypeToken<>() {};

    /**
     * Fire times with equal distances.
     *
     * @param from first fire time
     * @param every distance between two successive fire times
     * @param count number of fire times
     */
    private record Series(Instant from, Duration every, int count) {}

    @Override
    public JsonElement serialize(Backfill.Request request, Type type, JsonSerializationContext context) {
        JsonObject json = Values.GSON.toJsonTree(request).getAsJsonObject();
        String series = Values.GSON.toJson(series(request.dates()));
        json.add(DATES, new JsonArray());
        if (series.length() > CompressedText.PLAIN_LENGTH) {
            json.addProperty(DATES_GZIP, CompressedText.pack(series));
        } else {
            json.add(DATES, Values.GSON.fromJson(series, JsonArray.class));
        }
        return json;
    }

    @Override
    public Backfill.Request deserialize(JsonElement element, Type type, JsonDeserializationContext context) {
        JsonObject json = element.getAsJsonObject().deepCopy();
        if (json.has(DATES_GZIP)) {
            json.add(DATES, CompressedText.unpack(json, DATES_GZIP, JsonArray.class));
        }
        json.add(DATES, Values.GSON.toJsonTree(dates(Values.part(json, DATES, SERIES))));
        return Values.GSON.fromJson(json, Backfill.Request.class);
    }

    private static List<Series> series(List<Instant> dates) {
        List<Series> all = new ArrayList<>();
        for (int i = 0; i < dates.size(); ) {
            Instant from = dates.get(i);
            Duration every = i + 1 < dates.size() ? Duration.between(from, dates.get(i + 1)) : Duration.ZERO;
            int end = i + 1;
            while (end < dates.size()
                    && Duration.between(dates.get(end - 1), dates.get(end)).equals(every)) {
                end++;
            }
            all.add(new Series(from, every, end - i));
            i = end;
        }
        return all;
    }

    private static List<Instant> dates(List<Series> all) {
        List<Instant> dates = new ArrayList<>();
        for (Series series : all) {
            if (series.count < 1 || series.count > Backfill.MOST_FIRES - dates.size()) {
                throw new JsonParseException("a series of dates has " + series.count + "; accepted: 1 to "
                        + Backfill.MOST_FIRES + " in all");
            }
            for (int i = 0; i < series.count; i++) {
                dates.add(series.from.plus(series.every.multipliedBy(i)));
            }
        }
        return dates;
    }
}
