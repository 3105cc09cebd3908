package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * Checks I5: placement follows the limits of the job. Only instances that match the job's requirement get and claim
 * items. No instance gets more items than the maximum, or gets an item while it owns items of a job that this job
 * avoids. Preferred instances own the items while they have capacity.
 */
final class PlacedAsAsked extends Invariant {
    /** Longest time by which a leader's view may be outdated when the leader writes a plan. */
    private static final Duration VIEW = Duration.ofSeconds(30);

    /** Time since which each instance has owned items of a job, by job and instance. */
    private final Map<String, Map<String, Instant>> since = new HashMap<>();

    @Override
    void transaction(Event.Transaction transaction, State before) {
        for (Write write : transaction.writes()) {
            String[] parts = write.path().split("/", -1);
            String data = write.data();
            if (parts.length == 4 && parts[1].equals("jobs") && parts[3].equals("sharding") && !data.isEmpty()) {
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
                    Eligible.isRequired(definition, owner, before),
                    "an instance that gets an item matches the job's requirement",
                    plan.json,
                    item);
            boolean yields = !apart.getOrDefault(owner, at).isBefore(at.minus(VIEW));
            expect(yields, "an instance that gets an item owns none of a job to keep apart from", plan.json, item);
            boolean home = from == null
                    || !counts.containsKey(from)
                    || definition.has("maxItemsPerInstance")
                    || !Eligible.isPreferred(definition, from, before)
                    || Eligible.isPreferred(definition, owner, before)
                    || before.unreturned(at.minus(VIEW));
            expect(home, "no item leaves a preferred instance for one that is not", plan.json, item);
        });
    }

    @Override
    void move(Move move, State before) {
        JsonObject definition = before.definition(move.item().job());
        if (move.claims() && definition != null) {
            boolean required = Eligible.isRequired(definition, move.next().owner(), before);
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
