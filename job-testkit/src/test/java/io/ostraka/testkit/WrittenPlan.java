package io.ostraka.testkit;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A plan as it stands in its node. */
record WrittenPlan(JsonObject json) {
    private static final Pattern PERIOD = Pattern.compile("period=(\\w+(\\.\\w+)?)]");

    int total() {
        return json.get("total").getAsInt();
    }

    long incarnation() {
        return json.get("incarnation").getAsLong();
    }

    long overrideMzxid() {
        return json.get("overrideMzxid").getAsLong();
    }

    boolean closed() {
        return json.has("change");
    }

    Instant since() {
        return Instant.parse(json.get("since").getAsString());
    }

    Instant anchor() {
        return Instant.parse(json.get("anchor").getAsString());
    }

    /** The distance between two fires of a fixed rate. */
    Duration period() {
        Matcher text = PERIOD.matcher(json.get("schedule").getAsString());
        if (!text.find()) {
            throw new IllegalArgumentException("no period: " + json);
        }
        return Duration.parse(text.group(1));
    }

    /** How many fires lie in a span of time. */
    long fires(Instant after, Instant upTo) {
        return number(upTo) - number(after);
    }

    private long number(Instant at) {
        return Math.floorDiv(Duration.between(anchor(), at).toMillis(), period().toMillis());
    }

    Optional<String> owner(String item) {
        int number = Integer.parseInt(item);
        return json.getAsJsonObject("items").asMap().entrySet().stream()
                .filter(entry -> contains(entry.getValue().getAsString(), number))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    private static boolean contains(String ranges, int item) {
        for (String range : ranges.split(",", -1)) {
            String[] ends = range.split("-", -1);
            if (Integer.parseInt(ends[0]) <= item && item <= Integer.parseInt(ends[ends.length - 1])) {
                return true;
            }
        }
        return false;
    }
}
