package io.ostraka.faults.history;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A plan as it stands in its node. */
final class WrittenPlan {
    private static final Pattern PERIOD = Pattern.compile("period=(\\w+(\\.\\w+)?)]");
    private static final Pattern SECONDS = Pattern.compile("expression=0/(\\d+) \\* \\* \\* \\* \\?");

    final JsonObject json;
    final int total;
    final long incarnation;
    /** Each item's owner. */
    final Map<String, String> owners;
    /** Whether an item stands in it twice. */
    final boolean repeats;

    /** What its fires are, as text. */
    final String schedule;

    private final Optional<Duration> period;
    private final Instant anchor;

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
        schedule = json.get("schedule").getAsString();
        Matcher rate = PERIOD.matcher(schedule);
        Matcher cron = SECONDS.matcher(schedule);
        if (cron.find()) {
            period = Optional.of(Duration.ofSeconds(Integer.parseInt(cron.group(1))));
            anchor = Instant.EPOCH;
        } else {
            period = rate.find() ? Optional.of(Duration.parse(rate.group(1))) : Optional.empty();
            anchor = Instant.parse(json.get("anchor").getAsString());
        }
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

    /** The distance between two fires; empty when the job is only triggered, or has a schedule that isn't understood here. */
    Optional<Duration> period() {
        return period;
    }

    /** Whether it is known here when it fires. */
    boolean isUnderstood() {
        return period.isPresent() || schedule.startsWith("OnDemand");
    }

    /** How many fires lie in a span of time. */
    long fires(Instant after, Instant upTo) {
        return period.isEmpty() ? 0 : number(upTo) - number(after);
    }

    /** The first fire after an instant. */
    Instant next(Instant after) {
        return anchor.plus(period.orElseThrow().multipliedBy(number(after) + 1));
    }

    private long number(Instant at) {
        return Math.floorDiv(
                Duration.between(anchor, at).toMillis(), period.orElseThrow().toMillis());
    }
}
