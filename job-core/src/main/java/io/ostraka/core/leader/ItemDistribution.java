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
 * Counts how many items of each job every instance owns, as far as the leader knows. The placement of some jobs depends
 * on the items of other jobs. When a plan is decided, its items count for their new owners at once. Until the plan is
 * written, they also count for their previous owners. Confined to the leader's executor.
 */
final class ItemDistribution {
    private final Consumer<String> reconcile;
    private final Map<String, Holding> jobs = new HashMap<>();
    /** For each job with an anti-affinity, the job that it must avoid. */
    private final Map<String, String> named = new HashMap<>();
    /** Number of items of all jobs together, by instance id. */
    private final Map<String, Integer> all = new HashMap<>();
    /** Existing jobs that the leader has not read since it became the leader. */
    private final TreeSet<String> unread = new TreeSet<>();
    /** Jobs that wait until the leader has read a job on which they depend, by the name of that job. */
    private final Map<String, Set<String>> waiting = new HashMap<>();

    /** Number of items of one job, by instance id. */
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

    /** @param reconcile schedules the reconciliation of a job */
    ItemDistribution(Consumer<String> reconcile) {
        this.reconcile = reconcile;
    }

    /** Adds an existing job to the jobs that must be read, unless it was read before. */
    void expect(String job) {
        if (!jobs.containsKey(job)) {
            unread.add(job);
        }
    }

    /**
     * Stores the parts of a job that were read. If a part is unreadable, its argument is null, and the earlier value
     * remains.
     */
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

    /**
     * Counts the items of a decided plan. Until the plan is written, an item that moves is counted for both its old and
     * its new owner.
     */
    void decided(String job, ShardingPlan plan) {
        if (placed(job, jobs.getOrDefault(job, Holding.NOTHING).and(Holding.of(plan)))) {
            reconcileDependents(job);
        }
    }

    /** Counts the items of a plan that was written. */
    void written(String job, ShardingPlan plan) {
        if (placed(job, Holding.of(plan))) {
            reconcileDependents(job);
        }
    }

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

    /**
     * Reconciles the jobs that must avoid this job because of their anti-affinity. Jobs that depend only on item counts
     * wait for the next periodic reconciliation.
     */
    private void reconcileDependents(String job) {
        named.forEach((other, from) -> {
            if (from.equals(job)) {
                reconcile.accept(other);
            }
        });
    }

    /**
     * Returns whether the leader has read all jobs on which the placement of this job depends. If one of these jobs is
     * still unread, the leader reconciles this job as soon as it has read that job.
     *
     * @param counting true if the placement depends on the items of all other jobs
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

    /**
     * Returns the number of items of all other jobs, by instance id. The items under earlier ids of an instance's
     * process are included.
     */
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

    /**
     * Returns the instances that this job must avoid, because they own items of the job in its {@code antiAffinity}. If
     * several jobs avoid each other in a cycle, one of them avoids no instance.
     */
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
