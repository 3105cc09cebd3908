package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks I5: placement follows the limits of the job. Only instances that match the job's requirement get and claim
 * items. No instance gets more items than the maximum, or gets an item while it owns items of a job that this job
 * avoids. Preferred instances own the items while they have capacity.
 */
final class PlacedAsAsked extends Invariant {
    /** Longest time by which a leader's view may be outdated when the leader writes a plan. */
    private static final Duration VIEW = Duration.ofSeconds(30);

    /** Content of the node of every instance seen so far, by instance id. */
    private final Map<String, JsonObject> instances = new HashMap<>();
    /** Time since which each instance has owned items of a job, by job and instance. */
    private final Map<String, Map<String, Instant>> since = new HashMap<>();

    @Override
    void transaction(Event.Transaction transaction, State before) {
        for (Write write : transaction.writes()) {
            String[] parts = write.path().split("/", -1);
            String data = write.data();
            if (data.isEmpty()) {
                continue;
            }
            if (parts.length == 3 && parts[1].equals("instances")) {
                instances.put(parts[2], State.json(data));
            } else if (parts.length == 4 && parts[1].equals("jobs") && parts[3].equals("sharding")) {
                planned(parts[2], before.writtenPlan(data), transaction.at(), before);
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
        expect(within, "an instance owns at most " + most + " items of job " + job, plan.json, null);
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
                    "an instance that gets an item matches the job's requirement",
                    plan.json,
                    item);
            boolean yields = !apart.getOrDefault(owner, at).isBefore(at.minus(VIEW));
            expect(yields, "an instance that gets an item owns none of a job to keep apart from", plan.json, item);
            boolean home = from == null
                    || !counts.containsKey(from)
                    || definition.has("maxItemsPerInstance")
                    || !isPreferred(definition, from)
                    || isPreferred(definition, owner)
                    || before.unreturned(at.minus(VIEW));
            expect(home, "no item leaves a preferred instance for one that is not", plan.json, item);
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
            expect(required, "an instance that claims matches the job's requirement", move, move.item());
        }
    }

    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Over) {
            for (String job : before.jobs()) {
                WrittenPlan plan = before.plan(job);
                if (plan != null && plan.numbered() && plan.total > 0 && Recovers.isBuiltIn(job, before)) {
                    Eligible.of(job, before)
                            .objection(plan)
                            .ifPresent(what -> expected("in job " + job + " " + what, plan.json, null));
                }
            }
        }
    }
}
