package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * I7: once nothing interferes any more, everything is as it should be, by itself: the living are registered and stand
 * for leader, plans are open, items at rest that are anywhere; every manual trigger has ended and who asked was told how.
 */
final class Recovers extends Invariant {
    /** What is due so close to the beginning or the end of the calm may begin outside of it. */
    static final Duration MARGIN = Duration.ofSeconds(4);

    private static final Set<String> STRATEGIES = Set.of(
            "STICKY_BALANCED",
            "AVG_ALLOCATION",
            "LOAD_AWARE",
            "ZONE_SPREAD",
            "WEIGHTED",
            "CONSISTENT_HASH",
            "ROUND",
            "LEAST_RECENTLY_USED",
            "SPREAD");

    private final Map<String, Event.Asked> asked = new TreeMap<>();
    private final Map<String, Event.Told> told = new HashMap<>();
    /** Which items the job of each trigger's fire had when that began; none if the job had been removed. */
    private final Map<String, Set<String>> items = new HashMap<>();
    /** How the items of each trigger's fire have ended, by their records. */
    private final Map<String, Map<String, String>> ends = new HashMap<>();

    @Override
    void transaction(Event.Transaction transaction, State before) {
        for (Write write : transaction.writes()) {
            State.Node node = before.node(write.path());
            String[] parts = write.path().split("/", -1);
            if (write instanceof Write.Created && parts.length == 5 && parts[3].equals("fires")) {
                WrittenPlan plan = before.plan(parts[2]);
                if (plan != null && plan.total > 0) {
                    items.put(parts[2] + "/" + parts[4], plan.keys());
                }
            }
            if (write instanceof Write.Deleted && write.path().startsWith("/triggers/") && node != null) {
                JsonObject trigger = State.json(node.data());
                String job = trigger.get("job").getAsString();
                String fire = "/jobs/" + job + "/fires/" + trigger.get("runId").getAsString();
                WrittenPlan plan = before.plan(job);
                boolean removed = plan == null || plan.total == 0 || (plan.closed() && plan.target() == 0);
                boolean ended = written(transaction, fire).contains("\"left\":[]");
                State.Node progress = before.node(fire);
                ended |= progress != null && progress.data().contains("\"left\":[]");
                expect(removed || ended, "a trigger goes when all its items have ended", transaction, null);
            }
            if (write instanceof Write.Deleted && write.path().startsWith("/delayed/") && node != null) {
                JsonObject delayed = State.json(node.data());
                boolean early = transaction.at().isBefore(due(delayed));
                expect(!early, "a trigger that is to come later doesn't come before", transaction, null);
                boolean comes = transaction.writes().stream()
                        .anyMatch(other -> other instanceof Write.Created created
                                && created.path().startsWith("/triggers/")
                                && runId(State.json(created.data())).equals(runId(delayed.getAsJsonObject("request"))));
                expect(comes, "a trigger that is to come later goes as it comes", transaction, null);
            }
        }
    }

    private static Instant due(JsonObject delayed) {
        return Instant.parse(delayed.get("due").getAsString());
    }

    private static String runId(JsonObject request) {
        return request.get("runId").getAsString();
    }

    private static String written(Event.Transaction transaction, String path) {
        for (Write write : transaction.writes()) {
            if (write.path().equals(path)) {
                return write instanceof Write.Changed changed
                        ? changed.data()
                        : write instanceof Write.Created created ? created.data() : "";
            }
        }
        return "";
    }

    @Override
    void move(Move move, State before) {
        if (move.ends() && move.next().triggered()) {
            ends.computeIfAbsent(move.item().job() + "/" + move.next().fire(), key -> new TreeMap<>())
                    .put(move.item().key(), move.next().outcome());
        }
    }

    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Asked question) {
            asked.put(question.runId(), question);
        } else if (event instanceof Event.Told answer) {
            told.put(answer.runId() + " at " + answer.process(), answer);
        } else if (event instanceof Event.Over over) {
            over(over, before);
        } else if (event instanceof Event.Closed) {
            Set<String> left = before.below("/instances").keySet();
            expect(left.isEmpty(), "nobody is left once closed", left, null);
        }
    }

    private void over(Event.Over over, State before) {
        List<String> left = new ArrayList<>();
        before.below("/triggers").forEach((path, node) -> {
            if (isWhole(State.json(node.data()).get("job").getAsString(), before)) {
                left.add(path);
            }
        });
        before.below("/delayed").forEach((path, node) -> {
            if (due(State.json(node.data())).isBefore(over.at().minus(MARGIN))) {
                left.add(path);
            }
        });
        for (String path : before.below("/jobs").keySet()) {
            String[] parts = path.split("/", -1);
            boolean handedOver =
                    path.contains("/failover/") && !isNowhere(new Item(parts[2], parts[4]), before.plan(parts[2]));
            if ((path.endsWith("/running") || handedOver) && isLibrarys(parts[2], before)) {
                left.add(path);
            }
        }
        expect(left.isEmpty(), "nothing is left behind", left, null);
        Set<String> instances = before.below("/instances").keySet();
        expect(
                instances.size() == over.living().size(),
                "the living are registered: " + over.living(),
                instances,
                null);
        Set<String> candidates = before.below("/leader/latch").keySet();
        expect(
                candidates.size() == over.living().size(),
                "the living are candidates: " + over.living(),
                candidates,
                null);
        for (String job : before.jobs()) {
            if (isLibrarys(job, before)) {
                atRest(job, before);
            }
        }
        asked.values().forEach(question -> ended(question, over, before));
    }

    /** Whether where its items go is not the user's own code: what that does is its own affair. */
    static boolean isLibrarys(String job, State state) {
        JsonObject definition = state.definition(job);
        return definition != null
                && STRATEGIES.contains(definition.get("shardingStrategy").getAsString());
    }

    /** Whether moreover nothing keeps any of its items from being anywhere. */
    static boolean isWhole(String job, State state) {
        WrittenPlan plan = state.plan(job);
        return isLibrarys(job, state) && (plan == null || plan.whole());
    }

    private void atRest(String job, State before) {
        WrittenPlan plan = before.plan(job);
        boolean open = plan != null && (!plan.closed() || holdsUp(job, before));
        expect(open, "the plan of job " + job + " is open", plan == null ? null : plan.json, null);
        if (plan == null) {
            return;
        }
        before.records(job).forEach((item, record) -> {
            boolean idle = plan.has(item.key()) || plan.scope.equals(WrittenPlan.ONE_PER_ZONE); // a zone comes back
            String due = idle ? "IDLE" : "RETIRED";
            boolean away = !plan.numbered() && !plan.has(item.key()) && record.state.equals("RETIRED");
            boolean rests =
                    away || isNowhere(item, plan) || List.of(due, "QUARANTINED").contains(record.state);
            expect(rests, "an item is at rest, " + due, record, item);
        });
        expect(
                plan.owners.values().stream().allMatch(owner -> before.exists("/instances/" + owner)),
                "owners are registered",
                plan.json,
                null);
    }

    /**
     * Whether an item can be nowhere that was interrupted, or that a fire waits for which has begun: a change of the item count
     * waits for it, tries, and tries again.
     */
    static boolean holdsUp(String job, State before) {
        WrittenPlan plan = before.plan(job);
        return before.records(job).entrySet().stream()
                .filter(entry -> isNowhere(entry.getKey(), plan))
                .anyMatch(entry -> entry.getValue().unfinished() || isAwaited(entry.getKey(), before));
    }

    private static boolean isAwaited(Item item, State before) {
        return before.below("/jobs/" + item.job() + "/fires").values().stream()
                .anyMatch(
                        node -> State.json(node.data()).getAsJsonArray("left").contains(new JsonPrimitive(item.key())));
    }

    /** Whether an item that there is has no owner: whether it could have one is asked elsewhere. */
    static boolean isNowhere(Item item, @Nullable WrittenPlan plan) {
        return plan != null
                && !plan.owners.containsKey(item.key())
                && (plan.has(item.key()) || (plan.scope.equals(WrittenPlan.ONE_PER_ZONE) && plan.owners.isEmpty()));
    }

    private void ended(Event.Asked question, Event.Over over, State before) {
        if (!isWhole(question.job(), before)) {
            return;
        }
        State.Node node = before.node("/jobs/" + question.job() + "/fires/" + question.runId());
        boolean lives = over.living().contains(question.process());
        if (node == null) {
            expect(!lives, "what was asked for is taken", question, null);
            return;
        }
        JsonObject progress = State.json(node.data());
        Map<String, String> outcomes = new TreeMap<>();
        progress.getAsJsonObject("outcomes").asMap().forEach((item, how) -> outcomes.put(item, how.getAsString()));
        expect(progress.getAsJsonArray("left").isEmpty(), "every item has ended of " + question, progress, null);
        expect(items(question).equals(outcomes.keySet()), "every item is told of " + question, progress, null);
        Event.Told answer = told.get(question.runId() + " at " + question.process());
        expect(
                !lives || (answer != null && outcomes.equals(answer.outcomes())),
                "who asked is told, " + question,
                answer,
                null);
        Map<String, String> run = new TreeMap<>(outcomes);
        run.values().removeIf("SKIPPED"::equals);
        Map<String, String> written = ends.getOrDefault(question.job() + "/" + question.runId(), Map.of());
        expect(run.equals(written), "what is told is what was written, " + written, progress, null);
    }

    /** The items that were asked for, or all that there were when the fire began. */
    private Set<String> items(Event.Asked question) {
        Set<String> all = items.get(question.job() + "/" + question.runId());
        return all == null ? Set.of() : question.items().isEmpty() ? all : question.items();
    }
}
