package io.ostraka.faults.history;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks backfills. A backfill runs each of its dates once: the transaction that triggers a date also enters the date
 * into the backfill's node. The leader enters the dates in order and within the limits of the request. Only an
 * operator's command stops or resumes a backfill. Each command adds its request id and takes effect once. Each ended
 * fire is counted once, by its outcomes. At the end of the calm phase, no backfill is still running.
 */
final class BackfillsKept extends Invariant {
    private static final String ROOT = "/backfills/";

    private final Map<String, Written> backfills = new HashMap<>();
    /** Request ids seen so far, by job. */
    private final Map<String, Set<String>> requests = new HashMap<>();
    /** Ids of the runs that were triggered so far. */
    private final Set<String> triggered = new HashSet<>();

    /** Content of the node of a backfill. */
    private record Written(JsonObject json) {
        private JsonObject request() {
            return json.getAsJsonObject("request");
        }

        private JsonObject progress() {
            return json.getAsJsonObject("progress");
        }

        String id() {
            return request().get("id").getAsString();
        }

        String state() {
            return json.get("state").getAsString();
        }

        boolean is(String state) {
            return state().equals(state);
        }

        int limit(String name) {
            return request().get(name).getAsInt();
        }

        int count(String name) {
            return progress().get(name).getAsInt();
        }

        int ended() {
            return count("succeeded") + count("failed") + count("unknown");
        }

        List<Instant> running() {
            return progress().getAsJsonArray("running").asList().stream()
                    .map(date -> Instant.parse(date.getAsString()))
                    .toList();
        }

        List<String> requests() {
            return json.getAsJsonArray("requests").asList().stream()
                    .map(JsonElement::getAsString)
                    .toList();
        }

        /** Returns the dates of the request, which the node stores as series. */
        List<Instant> dates() {
            List<Instant> dates = new ArrayList<>();
            JsonArray all = request().getAsJsonArray("dates");
            for (JsonElement each : all) {
                JsonObject series = each.getAsJsonObject();
                Instant from = Instant.parse(series.get("from").getAsString());
                Duration every = Duration.parse(series.get("every").getAsString());
                for (int i = 0; i < series.get("count").getAsInt(); i++) {
                    dates.add(from.plus(every.multipliedBy(i)));
                }
            }
            return dates;
        }

        String runId(Instant date) {
            return id() + "-" + date.toEpochMilli();
        }
    }

    @Override
    void transaction(Event.Transaction transaction, State before) {
        Set<String> entered = new HashSet<>();
        for (Write write : transaction.writes()) {
            if (!write.path().startsWith(ROOT)) {
                continue;
            }
            String job = write.path().substring(ROOT.length());
            String data = write.data();
            expect(!data.isEmpty(), "the backfill of job " + job + " keeps its node", transaction, null);
            if (!data.isEmpty()) {
                entered.addAll(write(job, new Written(State.json(data)), transaction, before));
            }
        }
        for (Write write : transaction.writes()) {
            if (write instanceof Write.Created created && created.path().startsWith("/triggers/")) {
                created(State.json(created.data()), entered, transaction);
            }
        }
        expect(entered.isEmpty(), "a date is entered together with its trigger", transaction, null);
    }

    /**
     * Checks a new trigger. If the trigger belongs to a backfill, removes its run id from the set of ids that the same
     * transaction has entered.
     */
    private void created(JsonObject trigger, Set<String> entered, Event.Transaction by) {
        String runId = trigger.get("runId").getAsString();
        Written backfill = backfills.get(trigger.get("job").getAsString());
        if (backfill == null || !runId.startsWith(backfill.id() + "-")) {
            return;
        }
        expect(entered.remove(runId), "a date is triggered together with its entry in the node", by, null);
        expect(triggered.add(runId), "a date is triggered once", by, null);
        boolean dated = trigger.has("fireTime")
                && runId.equals(
                        backfill.runId(Instant.parse(trigger.get("fireTime").getAsString())));
        expect(dated, "the fire of a backfill has its date", by, null);
    }

    /** Checks a write to a backfill's node. Returns the run ids of the dates that the write enters. */
    private Set<String> write(String job, Written next, Event.Transaction by, State before) {
        Written last = backfills.put(job, next);
        if (last != null && last.json.equals(next.json)) {
            return Set.of(); // the transaction that creates a node also writes the same content again
        }
        List<String> own = new ArrayList<>(next.requests());
        own.removeAll(last == null ? List.of() : last.requests());
        own.forEach(request -> expect(
                requests.computeIfAbsent(job, key -> new HashSet<>()).add(request),
                "a request changes the backfill of job " + job + " once",
                by,
                null));
        List<String> known = last == null ? List.of() : last.requests();
        boolean kept = known.isEmpty() || next.requests().contains(known.get(known.size() - 1));
        expect(kept, "no write takes back the latest request for the backfill of job " + job, by, null);
        if (last == null || !last.id().equals(next.id())) {
            requested(last, next, own, by);
            return Set.of();
        }
        expect(last.request().equals(next.request()), "the request of a backfill stays", by, null);
        boolean valid = next.running().size() <= next.limit("parallel");
        expect(valid, "no more fires of a backfill run than requested", by, null);
        if (!own.isEmpty()) {
            commanded(last, next, by);
            return Set.of();
        }
        counted(job, last, next, by, before);
        state(last, next, by);
        return entered(last, next, by);
    }

    private void requested(@Nullable Written last, Written next, List<String> own, Event.Transaction by) {
        boolean over = last == null || (!last.is("RUNNING") && last.running().isEmpty());
        expect(over, "a backfill replaces one that has ended or was stopped", by, null);
        boolean fresh = own.equals(List.of(next.id()))
                && next.is("RUNNING")
                && next.count("triggered") == 0
                && next.running().isEmpty()
                && next.ended() == 0;
        expect(fresh, "a backfill begins with its first date", by, null);
    }

    private void commanded(Written last, Written next, Event.Transaction by) {
        boolean allowed = next.is("STOPPED")
                ? last.is("RUNNING") || last.is("FAILED")
                : next.is("RUNNING") && (last.is("STOPPED") || last.is("FAILED"));
        expect(allowed, "an operator stops or resumes a backfill that has not ended", by, null);
        JsonObject kept = last.progress().deepCopy();
        if (next.is("RUNNING")) {
            kept.addProperty("failures", 0);
        }
        expect(kept.equals(next.progress()), "a command keeps the progress of a backfill", by, null);
    }

    /** Checks the counts of ended fires. */
    private void counted(String job, Written last, Written next, Event.Transaction by, State before) {
        Map<String, Integer> results = new HashMap<>();
        List<Instant> ended = new ArrayList<>(last.running());
        ended.removeAll(next.running());
        for (Instant date : ended) {
            String runId = last.runId(date);
            boolean waits = before.below("/triggers").values().stream()
                    .anyMatch(node ->
                            State.json(node.data()).get("runId").getAsString().equals(runId));
            expect(!waits, "a fire is counted after its end", by, null);
            results.merge(result(before.node("/jobs/" + job + "/fires/" + runId)), 1, Integer::sum);
        }
        int bad = 0;
        for (String result : List.of("succeeded", "failed", "unknown")) {
            int more = results.getOrDefault(result, 0);
            bad += result.equals("succeeded") ? 0 : more;
            boolean agrees = next.count(result) == last.count(result) + more;
            expect(agrees, "each ended fire of a backfill is counted once, by its outcomes", by, null);
        }
        boolean agrees = next.count("failures") == last.count("failures") + bad;
        expect(agrees, "the failures of a backfill are counted", by, null);
    }

    private static String result(State.@Nullable Node fire) {
        if (fire == null) {
            return "unknown";
        }
        JsonObject progress = State.json(fire.data());
        boolean all = progress.getAsJsonArray("left").isEmpty()
                && !progress.getAsJsonObject("outcomes").isEmpty()
                && progress.getAsJsonObject("outcomes").asMap().values().stream()
                        .allMatch(outcome -> outcome.getAsString().equals("SUCCEEDED"));
        return all ? "succeeded" : "failed";
    }

    /** Checks the state that the leader writes. */
    private void state(Written last, Written next, Event.Transaction by) {
        boolean failing = next.count("failures") >= next.limit("maxFailures");
        boolean all =
                next.count("triggered") == next.dates().size() && next.running().isEmpty();
        boolean follows =
                switch (next.state()) {
                    case "RUNNING" -> last.is("RUNNING") && !failing && !all;
                    case "FAILED" -> last.is("FAILED") || (last.is("RUNNING") && failing);
                    case "ENDED" -> last.is("RUNNING") && all && !failing;
                    case "REMOVED" -> !last.is("ENDED"); // a purge also ends a stopped backfill
                    default -> last.is(next.state());
                };
        expect(follows, "only an operator stops or resumes a backfill, and its end follows from its counts", by, null);
    }

    /** Checks the dates that the leader enters. Returns the ids of their runs. */
    private Set<String> entered(Written last, Written next, Event.Transaction by) {
        List<Instant> entered = new ArrayList<>(next.running());
        entered.removeAll(last.running());
        expect(
                entered.isEmpty() || (last.is("RUNNING") && next.is("RUNNING")),
                "only a backfill that runs triggers fires",
                by,
                null);
        int from = Math.min(last.count("triggered"), last.dates().size());
        int to = Math.min(from + entered.size(), last.dates().size());
        boolean ordered = next.count("triggered") == last.count("triggered") + entered.size()
                && entered.equals(last.dates().subList(from, to))
                && entered.size() <= 1;
        expect(ordered, "a backfill triggers its next date", by, null);
        Set<String> runs = new HashSet<>();
        entered.forEach(date -> runs.add(next.runId(date)));
        return runs;
    }

    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Over) {
            State.Node orders = before.node("/orders");
            boolean frozen = orders != null && State.json(orders.data()).has("frozen");
            backfills.forEach((job, last) -> {
                boolean rests = !last.is("RUNNING") && last.running().isEmpty();
                boolean excused = frozen || !Recovers.isWhole(job, before);
                expect(rests || excused, "the backfill of job " + job + " has ended or was stopped", last.json, null);
            });
        }
    }
}
