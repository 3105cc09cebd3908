package io.ostraka.core.decide;

import io.ostraka.api.JobShardingStrategy;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.ShardingPlan;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Asks a strategy where items go, and checks what it says. */
final class Placement {
    /** Two or three are enough unless a strategy never comes to rest. */
    private static final int MAX_ROUNDS = 10;
    /** How many forgotten items are named. */
    private static final int MOST_NAMED = 10;

    private Placement() {}

    /** A strategy threw, or said what can't be. */
    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final String reason;

        Refused(String reason) {
            super(reason, null, false, false);
            this.reason = reason;
        }

        String reason() {
            return reason;
        }
    }

    /**
     * Places all items on the instances that take them.
     *
     * @param owners who has them now, whether it lives or not
     * @return items by instance; empty when no instance takes any
     * @throws Refused when the strategy's answer can't be used
     */
    static Map<String, List<String>> place(
            String job,
            List<String> items,
            Map<String, String> owners,
            List<InstanceInfo> instances,
            JobShardingStrategy strategy) {
        List<InstanceInfo> takers = takers(job, instances);
        if (takers.isEmpty() || items.isEmpty()) {
            return Map.of();
        }
        boolean unreturned = takers.stream()
                .anyMatch(taker ->
                        !taker.stillRunning().getOrDefault(job, Set.of()).isEmpty());
        Map<String, String> before = owners;
        for (int round = 1; ; round++) {
            Map<String, List<String>> placed =
                    avoidingUnreturnedRuns(job, ask(job, items, before, takers, strategy), takers);
            Map<String, String> after = new HashMap<>();
            placed.forEach((instance, keys) -> keys.forEach(key -> after.put(key, instance)));
            // what was put elsewhere changes what the strategy says of the rest: now, not when the leader looks again
            if (!unreturned || round == MAX_ROUNDS || after.equals(before)) {
                return placed;
            }
            before = after;
        }
    }

    /** Instances whose clock is ahead start no scheduled fire, but where there are no others somebody must run triggers. */
    private static List<InstanceInfo> takers(String job, List<InstanceInfo> instances) {
        List<InstanceInfo> hosts = instances.stream()
                .filter(instance -> instance.state() == InstanceInfo.State.WORKING
                        && instance.jobs().contains(job))
                .sorted(Comparator.comparing(InstanceInfo::id))
                .toList();
        List<InstanceInfo> onTime =
                hosts.stream().filter(instance -> !instance.clockAhead()).toList();
        return onTime.isEmpty() ? hosts : onTime;
    }

    private static Map<String, List<String>> ask(
            String job,
            List<String> items,
            Map<String, String> owners,
            List<InstanceInfo> takers,
            JobShardingStrategy strategy) {
        try {
            Map<String, List<String>> answer = strategy.shard(new JobShardingStrategy.Request(
                    job, takers.stream().map(InstanceInfo::self).toList(), items, successors(owners, takers, items)));
            if (answer == null) { // users' code
                throw new Refused("returned null");
            }
            Map<String, List<String>> said = new HashMap<>(); // the answer itself is users' code: it is read once
            answer.forEach((instance, placed) -> said.put(instance, placed == null ? null : new ArrayList<>(placed)));
            check(said, items, takers);
            return said;
        } catch (Refused e) {
            throw new Refused("strategy " + told(strategy::type, strategy) + " " + e.reason());
        } catch (Throwable e) { // users' code
            throw new Refused("strategy " + told(strategy::type, strategy) + " threw " + told(e::toString, e));
        }
    }

    /** What users' code says of itself, or its class where it can't. */
    private static String told(Supplier<String> text, Object by) {
        try {
            return String.valueOf(text.get());
        } catch (Throwable e) { // users' code
            return by.getClass().getName();
        }
    }

    /** Owners that live, or live on as the same process under its next session. */
    private static Map<String, String> successors(
            Map<String, String> owners, List<InstanceInfo> takers, List<String> items) {
        Map<String, String> present = new HashMap<>();
        for (InstanceInfo taker : takers) {
            present.put(taker.id(), taker.id());
            taker.earlierIds().forEach(earlier -> present.putIfAbsent(earlier, taker.id()));
        }
        Map<String, String> living = new HashMap<>();
        for (String item : items) {
            String owner = owners.get(item);
            if (owner != null && present.containsKey(owner)) {
                living.put(item, present.get(owner));
            }
        }
        return living;
    }

    private static void check(Map<String, List<String>> answer, List<String> items, List<InstanceInfo> takers) {
        Set<String> ids = new HashSet<>();
        takers.forEach(taker -> ids.add(taker.id()));
        Set<String> missing = new HashSet<>(items);
        answer.forEach((instance, placed) -> {
            if (!ids.contains(instance)) {
                throw new Refused("named '" + instance + "', which is none of the instances it was given");
            }
            if (placed == null) { // users' code
                throw new Refused("gave instance '" + instance + "' null instead of items");
            }
            for (String item : placed) {
                if (!missing.remove(item)) {
                    throw new Refused("placed item '" + item + "' twice, or made it up");
                }
            }
        });
        if (!missing.isEmpty()) {
            List<String> named = missing.stream()
                    .sorted(ShardingPlan.ITEM_ORDER)
                    .limit(MOST_NAMED)
                    .toList();
            throw new Refused("forgot items " + named
                    + (missing.size() > MOST_NAMED ? " and " + (missing.size() - MOST_NAMED) + " more" : ""));
        }
    }

    /** An item that a process still runs for an earlier session goes to another instance, if one takes it. */
    private static Map<String, List<String>> avoidingUnreturnedRuns(
            String job, Map<String, List<String>> answer, List<InstanceInfo> takers) {
        Map<String, List<String>> placed = new TreeMap<>();
        takers.forEach(taker -> placed.put(taker.id(), new ArrayList<>(answer.getOrDefault(taker.id(), List.of()))));
        for (InstanceInfo taker : takers) {
            for (String item : List.copyOf(placed.getOrDefault(taker.id(), List.of()))) {
                if (!taker.takes(job, item)) {
                    takers.stream()
                            .filter(other -> other.takes(job, item))
                            .min(Comparator.comparingInt(other ->
                                    placed.getOrDefault(other.id(), List.of()).size()))
                            .ifPresent(other -> {
                                placed.getOrDefault(taker.id(), List.of()).remove(item);
                                placed.getOrDefault(other.id(), new ArrayList<>())
                                        .add(item);
                            });
                }
            }
        }
        placed.values().removeIf(List::isEmpty);
        return placed;
    }
}
