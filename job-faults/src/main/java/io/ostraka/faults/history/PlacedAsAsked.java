package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * I5: items are where their job wants them: given to and claimed by instances alone that have what it requires, no more of them
 * on one than it allows, on none that has items of what it keeps apart from, and on those that it prefers while these have room.
 */
final class PlacedAsAsked extends Invariant {
    /** How old what a leader knows may be when it is written. */
    private static final Duration VIEW = Duration.ofSeconds(30);

    /** The node of every instance that there was, by id. */
    private final Map<String, JsonObject> instances = new HashMap<>();
    /** Since when each instance has items of a job, by both. */
    private final Map<String, Map<String, Instant>> since = new HashMap<>();

    @Override
    void transaction(Event.Transaction transaction, State before) {
        for (Write write : transaction.writes()) {
            String[] parts = write.path().split("/", -1);
            String data = write instanceof Write.Created created
                    ? created.data()
                    : write instanceof Write.Changed changed ? changed.data() : "";
            if (data.isEmpty()) {
                continue;
            }
            if (parts.length == 3 && parts[1].equals("instances")) {
                instances.put(parts[2], State.json(data));
            } else if (parts.length == 4 && parts[1].equals("jobs") && parts[3].equals("sharding")) {
                planned(parts[2], new WrittenPlan(State.json(data)), transaction.at(), before);
            }
        }
    }

    private void planned(String job, WrittenPlan plan, Instant at, State before) {
        since.computeIfAbsent(job, key -> new HashMap<>()).keySet().retainAll(plan.owners.values());
        plan.owners.values().forEach(owner -> since.getOrDefault(job, new HashMap<>())
                .putIfAbsent(owner, at));
        JsonObject definition = before.definition(job);
        if (definition == null) {
            return;
        }
        long most = Eligible.most(definition);
        Map<String, Integer> counts = new HashMap<>();
        plan.owners.values().forEach(owner -> counts.merge(owner, 1, Integer::sum));
        boolean within = !plan.numbered() || counts.values().stream().allMatch(count -> count <= most);
        expect(within, "an instance has " + most + " items of job " + job + " at most", plan.json, null);
        Map<String, Instant> apart = Eligible.yieldsTo(job, before)
                .map(other -> since.getOrDefault(other, Map.of()))
                .orElse(Map.of());
        WrittenPlan last = before.plan(job);
        plan.owners.forEach((key, owner) -> {
            String from = last == null ? null : last.owners.get(key);
            if (owner.equals(from)) {
                return;
            }
            Item item = new Item(job, key);
            expect(
                    isRequired(definition, owner),
                    "who gets an item is one of those that are required",
                    plan.json,
                    item);
            boolean yields = !apart.getOrDefault(owner, at).isBefore(at.minus(VIEW));
            expect(yields, "who gets an item has none of what its job keeps apart from", plan.json, item);
            boolean home = from == null
                    || !counts.containsKey(from)
                    || definition.has("maxItemsPerInstance")
                    || !isPreferred(definition, from)
                    || isPreferred(definition, owner)
                    || before.unreturned(at.minus(VIEW));
            expect(home, "no item leaves a preferred instance for another", plan.json, item);
        });
    }

    private boolean isRequired(JsonObject definition, @Nullable String instance) {
        return Eligible.meant(definition, "requiredInstances", instances.get(instance));
    }

    private boolean isPreferred(JsonObject definition, String instance) {
        return Eligible.meant(definition, "preferredInstances", instances.get(instance));
    }

    @Override
    void move(Move move, State before) {
        JsonObject definition = before.definition(move.item().job());
        if (move.claims() && definition != null) {
            boolean required = isRequired(definition, move.next().owner());
            expect(required, "who claims is one of those that are required", move, move.item());
        }
    }

    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Over) {
            for (String job : before.jobs()) {
                WrittenPlan plan = before.plan(job);
                if (plan != null && plan.numbered() && plan.total > 0 && Recovers.isLibrarys(job, before)) {
                    Eligible.of(job, before)
                            .objection(plan)
                            .ifPresent(what -> expected("in job " + job + " " + what, plan.json, null));
                }
            }
        }
    }
}
