package io.ostraka.core.leader;

import io.ostraka.api.JobConfiguration;
import io.ostraka.core.decide.AntiAffinity;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.ShardingPlan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What all jobs have where, as the leader knows it in its term, for jobs whose placing depends on others: what a plan gives
 * counts from the moment that it is decided, and what it takes away once it is written. Confined to the leader's lane.
 */
final class ItemDistribution {
    private final Consumer<String> reconcile;
    private final Map<String, Holding> jobs = new HashMap<>();
    /** Which job each one keeps apart from, of those that do. */
    private final Map<String, String> named = new HashMap<>();
    /** How many items of all jobs an instance has, by its id. */
    private final Map<String, Integer> all = new HashMap<>();
    /** Jobs that there are and that were not read yet. */
    private final TreeSet<String> unread = new TreeSet<>();
    /** Who waits for the reading of which. */
    private final Map<String, Set<String>> waiting = new HashMap<>();

    /** How many items of one job an instance has, by its id. */
    private record Holding(Map<String, Integer> counts) {
        static final Holding NOTHING = new Holding(Map.of());

        static Holding of(ShardingPlan plan) {
            Map<String, Integer> counts = new HashMap<>();
            plan.items().forEach((instance, items) -> counts.put(instance, items.size()));
            return new Holding(counts);
        }

        Holding and(Holding other) {
            Map<String, Integer> both = new HashMap<>(counts);
            other.counts.forEach((instance, count) -> both.merge(instance, count, Math::max));
            return new Holding(both);
        }
    }

    /**
     * @param reconcile has a job looked at, later
     */
    ItemDistribution(Consumer<String> reconcile) {
        this.reconcile = reconcile;
    }

    /** There is such a job, of which nothing is known yet. */
    void expect(String job) {
        if (!jobs.containsKey(job)) {
            unread.add(job);
        }
    }

    /** A job was read. What of it can't be, is null here, and stays as it was. */
    void read(String job, @Nullable JobConfiguration definition, @Nullable ShardingPlan plan) {
        boolean other = definition != null && renamed(job, definition.antiAffinity());
        if (plan != null) {
            other |= placed(job, Holding.of(plan));
        } else {
            jobs.putIfAbsent(job, Holding.NOTHING);
        }
        if (other) {
            reconcileDependents(job);
        }
        if (unread.remove(job)) {
            waiting.getOrDefault(job, Set.of()).forEach(reconcile);
            waiting.remove(job);
        }
    }

    /** A job's plan was decided: until it is written, items count where they are and where they are to be. */
    void decided(String job, ShardingPlan plan) {
        if (placed(job, jobs.getOrDefault(job, Holding.NOTHING).and(Holding.of(plan)))) {
            reconcileDependents(job);
        }
    }

    /** A job's plan was written. */
    void written(String job, ShardingPlan plan) {
        if (placed(job, Holding.of(plan))) {
            reconcileDependents(job);
        }
    }

    /** A job is gone. */
    void forget(String job) {
        if (placed(job, Holding.NOTHING)) {
            reconcileDependents(job);
        }
        read(job, null, null);
        jobs.remove(job);
        named.remove(job);
    }

    private boolean renamed(String job, Optional<String> other) {
        String before = other.isPresent() ? named.put(job, other.get()) : named.remove(job);
        return !Optional.ofNullable(before).equals(other);
    }

    private boolean placed(String job, Holding next) {
        Holding before = jobs.put(job, next);
        if (next.equals(before)) {
            return false;
        }
        next.counts.forEach((instance, count) -> all.merge(instance, count, Integer::sum));
        if (before != null) {
            before.counts.forEach((instance, count) -> all.compute(
                    instance, (id, sum) -> sum == null || sum <= count ? null : Integer.valueOf(sum - count)));
        }
        return true;
    }

    /** Jobs that keep apart from this one; what goes by numbers alone has time until the next look at everything. */
    private void reconcileDependents(String job) {
        named.forEach((other, from) -> {
            if (from.equals(job)) {
                reconcile.accept(other);
            }
        });
    }

    /**
     * Tells whether enough is known to place a job. If not, it is looked at again once more is.
     *
     * @param counting whether it depends on what all others have
     */
    boolean ready(String job, boolean counting) {
        Optional<String> missing = missing(job, counting);
        missing.ifPresent(
                other -> waiting.computeIfAbsent(other, key -> new HashSet<>()).add(job));
        return missing.isEmpty();
    }

    private Optional<String> missing(String job, boolean counting) {
        if (unread.isEmpty()) {
            return Optional.empty();
        }
        if (counting) {
            return Optional.of(unread.last());
        }
        Set<String> path = new HashSet<>();
        for (String next = named.get(job); next != null && path.add(next); next = named.get(next)) {
            if (unread.contains(next)) {
                return Optional.of(next);
            }
        }
        return Optional.empty();
    }

    /** Returns how many items of other jobs each instance has, under its present id or one that its process had before. */
    Map<String, Integer> otherItems(String job, List<InstanceInfo> instances) {
        Map<String, Integer> own = jobs.getOrDefault(job, Holding.NOTHING).counts;
        Map<String, Integer> others = new HashMap<>();
        for (InstanceInfo instance : instances) {
            int count = 0;
            for (String id : ids(instance)) {
                count += all.getOrDefault(id, 0) - own.getOrDefault(id, 0);
            }
            if (count > 0) {
                others.put(instance.id(), count);
            }
        }
        return others;
    }

    /** Returns the instances that have items of the job that this one yields to. */
    Set<String> apart(String job, List<InstanceInfo> instances) {
        if (!named.containsKey(job)) {
            return Set.of();
        }
        Map<String, Integer> counts = AntiAffinity.yieldsTo(job, named)
                .map(other -> jobs.getOrDefault(other, Holding.NOTHING).counts)
                .orElse(Map.of());
        Set<String> apart = new HashSet<>();
        for (InstanceInfo instance : instances) {
            if (ids(instance).stream().anyMatch(id -> counts.getOrDefault(id, 0) > 0)) {
                apart.add(instance.id());
            }
        }
        return apart;
    }

    private static List<String> ids(InstanceInfo instance) {
        if (instance.earlierIds().isEmpty()) {
            return List.of(instance.id());
        }
        List<String> ids = new ArrayList<>(instance.earlierIds());
        ids.add(instance.id());
        return ids;
    }
}
