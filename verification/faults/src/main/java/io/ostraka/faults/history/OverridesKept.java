package io.ostraka.faults.history;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Checks overrides. A request changes the override of a job once, and no later write undoes the latest request. A
 * change with an end time does not end before that time; if there is a leader, it ends soon after that time.
 */
final class OverridesKept extends Invariant {
    /**
     * Longest time by which a change may end too early. The leader estimates the server's clock, and its estimate may
     * be ahead by the latency of its fastest request.
     */
    private static final Duration EARLY = Duration.ofSeconds(3);
    /**
     * Longest time by which a change may end too late. A leader may compute a plan shortly before the end of the
     * change, and may then be stopped or wait long for its write request.
     */
    private static final Duration LATE = Duration.ofSeconds(30);

    /** Ids of the requests seen so far, by job. */
    private final Map<String, Set<String>> requests = new TreeMap<>();

    @Override
    void transaction(Event.Transaction transaction, State before) {
        for (Write write : transaction.writes()) {
            String[] parts = write.path().split("/", -1);
            String data = write.data();
            if (parts.length == 4 && parts[1].equals("jobs") && !data.isEmpty()) {
                if (parts[3].equals("override")) {
                    override(parts[2], State.json(data), transaction, before);
                } else if (parts[3].equals("sharding")) {
                    plan(parts[2], before.writtenPlan(data), transaction, before);
                }
            }
        }
    }

    private void override(String job, JsonObject next, Event.Transaction by, State before) {
        JsonObject last = before.override(job).orElse(null);
        List<String> known = requests(last);
        List<String> now = requests(next);
        boolean kept = known.isEmpty() || now.contains(known.get(known.size() - 1));
        expect(kept, "no write takes back the latest request on the override of job " + job, next, null);
        Set<String> own = new HashSet<>(now);
        known.forEach(own::remove);
        for (String request : own) {
            boolean first =
                    requests.computeIfAbsent(job, key -> new HashSet<>()).add(request);
            expect(first, "a request changes the override of job " + job + " once", request, null);
        }
        if (own.isEmpty()) {
            ends(last).forEach((name, end) -> {
                boolean ended = !ends(next).containsKey(name);
                boolean early = by.at().isBefore(end.minus(EARLY));
                expect(!ended || !early, "the change of " + name + " of job " + job + " does not end early", by, null);
            });
        }
    }

    private void plan(String job, WrittenPlan plan, Event.Transaction by, State before) {
        WrittenPlan last = before.plan(job);
        if (last != null && plan.json.equals(last.json)) {
            return; // the leader writes the same plan again to announce abandoned fires
        }
        ends(before.override(job, plan.overrideMzxid())).forEach((name, end) -> {
            boolean late = by.at().isAfter(end.plus(LATE));
            expect(!late, "no plan of job " + job + " contains an ended change of " + name, end + ", " + by.at(), null);
        });
    }

    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Over over) {
            for (String job : before.jobs()) {
                ends(before.override(job).orElse(null)).forEach((name, end) -> {
                    boolean late = over.at().isAfter(end.plus(LATE));
                    expect(!late, "the change of " + name + " of job " + job + " has ended", end, null);
                });
            }
        }
    }

    private static List<String> requests(@Nullable JsonObject override) {
        return override == null || !override.has("requests")
                ? List.of()
                : override.getAsJsonArray("requests").asList().stream()
                        .map(JsonElement::getAsString)
                        .toList();
    }

    /** Returns the end times of all changes that have one, by the name of the change. */
    private static Map<String, Instant> ends(@Nullable JsonObject override) {
        Map<String, Instant> ends = new LinkedHashMap<>();
        if (override != null && override.has("changes")) {
            override.getAsJsonObject("changes").asMap().forEach((name, change) -> {
                JsonElement until = change.getAsJsonObject().get("until");
                if (until != null) {
                    ends.put(name, Instant.parse(until.getAsString()));
                }
            });
        }
        return ends;
    }
}
