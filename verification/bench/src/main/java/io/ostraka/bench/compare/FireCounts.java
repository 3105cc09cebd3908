package io.ostraka.bench.compare;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Write;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Counts the fires of each item by their outcome. A fire is lost if it did not run to its end and the item's record
 * does not list it as skipped.
 */
final class FireCounts {
    private static final Pattern RECORD = Pattern.compile("/jobs/([^/]+)/sharding/([^/]+)");

    /**
     * Numbers of fires. Each item of a fire counts separately.
     *
     * @param due number of due fires
     * @param twice number of fires that ran to the end more than once
     * @param skipped number of fires that did not run to the end and are recorded as skipped
     * @param lost number of fires that neither ran to the end nor are recorded as skipped
     */
    record Count(int due, int twice, int skipped, int lost) {
        Count plus(Count other) {
            return new Count(due + other.due, twice + other.twice, skipped + other.skipped, lost + other.lost);
        }
    }

    /** A range of fires that a record lists as skipped, in milliseconds. */
    private record Skipped(long from, long to) {}

    private final Map<String, TreeMap<Long, Integer>> ends = new HashMap<>();
    private final Map<String, List<Skipped>> skipped = new HashMap<>();

    /**
     * Processes entries and transactions.
     *
     * @param transactions writes of the items' records; empty if the scheduler has no such records
     */
    FireCounts(List<Entry> entries, List<Event.Transaction> transactions) {
        for (Entry entry : entries) {
            if (entry.kind() == Entry.Kind.END) {
                ends.computeIfAbsent(entry.key(), key -> new TreeMap<>()).merge(entry.fire(), 1, Integer::sum);
            }
        }
        for (Event.Transaction transaction : transactions) {
            transaction.writes().forEach(this::read);
        }
    }

    private void read(Write write) {
        Matcher record = RECORD.matcher(write.path());
        if (!(write instanceof Write.Changed changed) || !record.matches()) {
            return;
        }
        JsonObject written = JsonParser.parseString(changed.data()).getAsJsonObject();
        if (!written.has("skipped")) {
            return;
        }
        for (JsonElement each : written.getAsJsonArray("skipped")) {
            skipped.computeIfAbsent(record.group(1) + "/" + record.group(2), key -> new ArrayList<>())
                    .add(new Skipped(millis(each.getAsJsonObject(), "from"), millis(each.getAsJsonObject(), "to")));
        }
    }

    private static long millis(JsonObject of, String field) {
        return Instant.parse(of.get(field).getAsString()).toEpochMilli();
    }

    /**
     * Returns the time of a job's first fire that at least one item ran to the end; {@link Long#MAX_VALUE} if there is
     * none.
     */
    long first(RecurringJob job) {
        return ends.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(job.name() + "/"))
                .mapToLong(entry -> entry.getValue().firstKey())
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Counts the fires of all items of a job between two instants, both included, in milliseconds. */
    Count count(RecurringJob job, long from, long to) {
        Count count = new Count(0, 0, 0, 0);
        long first = job.fireAt(from) < from ? job.fireAt(from) + job.periodMillis() : from;
        for (int item = 0; item < job.items(); item++) {
            String key = job.name() + "/" + item;
            for (long fire = first; fire <= to; fire += job.periodMillis()) {
                int times = ends.getOrDefault(key, new TreeMap<>()).getOrDefault(fire, 0);
                boolean told = times == 0 && isSkipped(key, fire);
                count = count.plus(new Count(1, times > 1 ? 1 : 0, told ? 1 : 0, times == 0 && !told ? 1 : 0));
            }
        }
        return count;
    }

    private boolean isSkipped(String key, long fire) {
        return skipped.getOrDefault(key, List.of()).stream().anyMatch(skip -> skip.from <= fire && fire <= skip.to);
    }
}
