package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Checks I7: in the calm phase, the cluster recovers by itself. The living processes are registered and are candidates
 * in the leader election. Plans are open, and items with an owner are at rest. Every manual trigger has ended, and its
 * caller has received the outcome.
 */
final class Recovers extends Invariant {
    /** Margin at both ends of the calm phase. A fire that is due within the margin may start outside of the phase. */
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
    /** Due times of delayed triggers, by path. */
    private final Map<String, Instant> due = new HashMap<>();
    /** Items that the job had when a trigger's fire started, by fire. The set is empty for a removed job. */
    private final Map<String, Set<String>> items = new HashMap<>();
    /** Outcomes of the items of each trigger's fire, according to the items' records. */
    private final Map<String, Map<String, String>> ends = new HashMap<>();

    @Override
    void transaction(Event.Transaction transaction, State before) {
        for (Write write : transaction.writes()) {
            State.Node node = before.node(write.path());
            String[] parts = write.path().split("/", -1);
            if (write instanceof Write.Created && parts.length == 5 && parts[3].equals("fires")) {
                WrittenPlan plan = before.plan(parts[2]);
                if (plan != null && plan.total > 0 && !isCancelled(((Write.Created) write).data())) {
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
                expect(removed || ended, "a trigger is deleted after all its items have ended", transaction, null);
            }
            if (write instanceof Write.Created && write.path().startsWith("/delayed/")) {
                JsonObject delayed = State.json(((Write.Created) write).data());
                due.put(
                        write.path(),
                        transaction
                                .at()
                                .plus(Duration.parse(delayed.get("delay").getAsString())));
            }
            if (write instanceof Write.Deleted && write.path().startsWith("/delayed/") && node != null) {
                deleted(State.json(node.data()), write.path(), transaction);
            }
        }
    }

    private void deleted(JsonObject delayed, String path, Event.Transaction transaction) {
        String runId = runId(delayed.getAsJsonObject("request"));
        boolean comes = transaction.writes().stream()
                .anyMatch(other -> other instanceof Write.Created created
                        && created.path().startsWith("/triggers/")
                        && runId(State.json(created.data())).equals(runId));
        boolean cancelled = transaction.writes().stream()
                .anyMatch(other -> other instanceof Write.Created created
                        && created.path().endsWith("/fires/" + runId)
                        && isCancelled(created.data()));
        expect(
                comes != cancelled,
                "a delayed trigger's request becomes a trigger when it is deleted, unless it is cancelled",
                transaction,
                null);
        boolean early = transaction.at().isBefore(due.getOrDefault(path, Instant.MIN));
        expect(cancelled || !early, "a delayed trigger is not created before its time", transaction, null);
    }

    /** Returns whether the node of a fire shows that its delayed trigger was cancelled. */
    static boolean isCancelled(String progress) {
        return progress.contains("\"cancelled\":");
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
            expect(left.isEmpty(), "no instance is registered after the shutdown", left, null);
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
            if (due.getOrDefault(path, Instant.MIN).isBefore(over.at().minus(MARGIN))) {
                left.add(path);
            }
        });
        for (String path : before.below("/jobs").keySet()) {
            String[] parts = path.split("/", -1);
            boolean handedOver =
                    path.contains("/failover/") && !isUnplaced(new Item(parts[2], parts[4]), before.plan(parts[2]));
            if ((path.endsWith("/running") || handedOver) && isBuiltIn(parts[2], before)) {
                left.add(path);
            }
        }
        expect(left.isEmpty(), "no triggers, running nodes or failover nodes remain", left, null);
        Set<String> instances = before.below("/instances").keySet();
        expect(
                instances.size() == over.living().size(),
                "the living processes are registered: " + over.living(),
                instances,
                null);
        Set<String> candidates = before.below("/leader/latch").keySet();
        expect(
                candidates.size() == over.living().size(),
                "the living processes are candidates: " + over.living(),
                candidates,
                null);
        for (String job : before.jobs()) {
            if (isBuiltIn(job, before)) {
                atRest(job, before);
            }
        }
        asked.values().forEach(question -> ended(question, over, before));
    }

    /**
     * Returns whether the job uses a built-in sharding strategy. The invariants make no promise about user strategies.
     */
    static boolean isBuiltIn(String job, State state) {
        JsonObject definition = state.definition(job);
        return definition != null
                && STRATEGIES.contains(definition.get("shardingStrategy").getAsString());
    }

    /** Returns whether the job uses a built-in strategy and all its items are placed. */
    static boolean isWhole(String job, State state) {
        WrittenPlan plan = state.plan(job);
        return isBuiltIn(job, state) && (plan == null || plan.whole());
    }

    private void atRest(String job, State before) {
        WrittenPlan plan = before.plan(job);
        boolean open = plan != null && (!plan.closed() || isBlocked(job, before));
        expect(open, "the plan of job " + job + " is open", plan == null ? null : plan.json, null);
        if (plan == null) {
            return;
        }
        before.records(job).forEach((item, record) -> {
            boolean idle = plan.has(item.key())
                    || plan.scope.equals(WrittenPlan.ONE_PER_ZONE); // the item waits for the zone's next instance
            String due = idle ? "IDLE" : "RETIRED";
            boolean away = !plan.numbered() && !plan.has(item.key()) && record.state.equals("RETIRED");
            boolean rests = away
                    || isUnplaced(item, plan)
                    || List.of(due, "QUARANTINED").contains(record.state);
            expect(rests, "an item is at rest, " + due, record, item);
        });
        expect(
                plan.owners.values().stream().allMatch(owner -> before.exists("/instances/" + owner)),
                "owners are registered",
                plan.json,
                null);
    }

    /**
     * Returns whether an unplaced item has an interrupted fire, or a started fire waits for an unplaced item. A change
     * of the item count cannot proceed meanwhile, and is tried again later.
     */
    static boolean isBlocked(String job, State before) {
        WrittenPlan plan = before.plan(job);
        return before.records(job).entrySet().stream()
                .filter(entry -> isUnplaced(entry.getKey(), plan))
                .anyMatch(entry -> entry.getValue().unfinished() || isAwaited(entry.getKey(), before));
    }

    private static boolean isAwaited(Item item, State before) {
        return before.below("/jobs/" + item.job() + "/fires").values().stream()
                .anyMatch(
                        node -> State.json(node.data()).getAsJsonArray("left").contains(new JsonPrimitive(item.key())));
    }

    /**
     * Returns whether an existing item has no owner. Another invariant checks whether an instance could own the item.
     */
    static boolean isUnplaced(Item item, @Nullable WrittenPlan plan) {
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
            expect(!lives, "a request for a run has started a fire", question, null);
            return;
        }
        JsonObject progress = State.json(node.data());
        Map<String, String> outcomes = new TreeMap<>();
        progress.getAsJsonObject("outcomes").asMap().forEach((item, how) -> outcomes.put(item, how.getAsString()));
        expect(progress.getAsJsonArray("left").isEmpty(), "every item has ended for " + question, progress, null);
        expect(
                items(question).equals(outcomes.keySet()),
                "the fire has an outcome of every item for " + question,
                progress,
                null);
        Event.Told answer = told.get(question.runId() + " at " + question.process());
        Map<String, String> expected = isCancelled(node.data()) ? null : outcomes;
        expect(
                !lives || (answer != null && Objects.equals(expected, answer.outcomes())),
                "the caller got the outcome of " + question,
                answer,
                null);
        Map<String, String> run = new TreeMap<>(outcomes);
        run.values().removeIf("SKIPPED"::equals);
        Map<String, String> written = ends.getOrDefault(question.job() + "/" + question.runId(), Map.of());
        expect(run.equals(written), "the fire's outcomes are those in the records, " + written, progress, null);
    }

    /**
     * Returns the requested items. If the request names none, returns all items that existed at the start of the fire.
     */
    private Set<String> items(Event.Asked question) {
        Set<String> all = items.get(question.job() + "/" + question.runId());
        return all == null ? Set.of() : question.items().isEmpty() ? all : question.items();
    }
}
