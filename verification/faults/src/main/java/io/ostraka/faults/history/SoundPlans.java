package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Checks I5: a plan contains each item once, and contains only existing items. It assigns items only to instances that
 * were registered at some time in the present epoch. It moves no item that could have stayed. Only the leader writes
 * plans and rewrites records.
 */
final class SoundPlans extends Invariant {
    /** Longest time by which a leader's view of the instances may be outdated. */
    private static final Duration VIEW = Duration.ofSeconds(30);

    @Override
    void transaction(Event.Transaction transaction, State before) {
        for (Write write : transaction.writes()) {
            String[] parts = write.path().split("/", -1);
            boolean plan = parts.length == 4 && parts[1].equals("jobs") && parts[3].equals("sharding");
            if (plan
                    && write instanceof Write.Created created
                    && !created.data().isEmpty()) {
                plan(parts[2], created.data(), transaction, before);
            } else if (plan
                    && write instanceof Write.Changed changed
                    && !changed.data().isEmpty()) {
                plan(parts[2], changed.data(), transaction, before);
            }
        }
    }

    @Override
    void move(Move move, State before) {
        if (move.rewrites()) {
            expect(leads(move.by(), before), "only the leader rewrites records", move, move.item());
        }
    }

    /** Returns whether the sender is the first candidate of the election and owns the epoch. */
    private static boolean leads(Event.Transaction transaction, State before) {
        Map.Entry<String, State.Node> first = before.below("/leader/latch").entrySet().stream()
                .min((a, b) -> number(a.getKey()).compareTo(number(b.getKey())))
                .orElse(null);
        State.Node epoch = before.node("/leader/epoch");
        return first != null
                && epoch != null
                && epoch.data().startsWith(State.name(first.getKey()) + " ")
                && before.mayBe(first.getValue().data(), transaction.session());
    }

    private static String number(String candidate) {
        return candidate.substring(candidate.length() - 10);
    }

    private void plan(String job, String data, Event.Transaction transaction, State before) {
        WrittenPlan next = before.writtenPlan(data);
        WrittenPlan last = before.plan(job);
        expect(leads(transaction, before), "only the leader writes the plan of job " + job, transaction, null);
        expect(!next.repeats, "the plan of job " + job + " contains every item once", data, null);
        next.owners.forEach((item, owner) -> {
            boolean exists = next.has(item) || (last != null && last.has(item));
            expect(exists, "item " + item + " in the plan of job " + job + " exists", data, null);
            boolean given = last == null || !owner.equals(last.owners.get(item));
            boolean lived = before.livedInThisEpoch(owner);
            expect(!given || lived, "item " + item + " of job " + job + " goes to a living instance", data, null);
        });
        if (last == null || last.total != next.total) {
            return;
        }
        if (!next.closed()) {
            expect(
                    next.incarnation >= last.incarnation,
                    "the incarnation never decreases in the plan of job " + job,
                    data,
                    null);
            stays(job, last, next, data, transaction.at(), before);
        }
    }

    /** Returns whether the move takes an item from an instance that is not preferred to a preferred instance. */
    private static boolean drawn(JsonObject definition, String from, String to, State before) {
        return !Eligible.isPreferred(definition, from, before) && Eligible.isPreferred(definition, to, before);
    }

    /**
     * Checks that an item moves between two remaining instances only for one of two reasons: either the numbers of
     * items on these instances would otherwise differ by at least two, or the new owner is preferred and the old one is
     * not.
     */
    private void stays(String job, WrittenPlan last, WrittenPlan next, String data, Instant at, State before) {
        JsonObject definition = before.definition(job);
        if (definition == null
                || !definition.get("shardingStrategy").getAsString().equals("STICKY_BALANCED")
                || !next.numbered()
                || before.unreturned(at.minus(VIEW))) { // meanwhile, other instances must own more items
            return;
        }
        Map<String, Integer> counts = new HashMap<>();
        next.owners.values().forEach(owner -> counts.merge(owner, 1, Integer::sum));
        Set<String> moves = new HashSet<>();
        next.owners.forEach((item, to) -> {
            String from = last.owners.get(item);
            if (from == null || from.equals(to) || !counts.containsKey(from)) {
                return;
            }
            if (drawn(definition, from, to, before)) {
                return;
            }
            if (counts.getOrDefault(from, 0) < counts.getOrDefault(to, 0)) {
                expected("item " + item + " of job " + job + " stays", last.json + " to " + data, null);
            }
            moves.add(from + " " + to);
            if (moves.contains(to + " " + from)) {
                expected("two instances don't swap items of job " + job, last.json + " to " + data, null);
            }
        });
    }
}
