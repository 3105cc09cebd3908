package io.ostraka.core.model;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Assigns the items of a job to instances. The leader writes the plan, and every claim checks it.
 *
 * @param total present item count; 0 marks a removed job
 * @param incarnation incarnation that a record must have to be claimed
 * @param configMzxid version of the definition that the plan was made from
 * @param overrideMzxid version of the override that the plan was made from; 0 without one
 * @param fenceEpoch high bits of every fencing token
 * @param schedule schedule in force since {@code since}
 * @param since time on the server's clock when the schedule came into force; earlier fires are never due
 * @param anchor origin of fixed rates; schedules that count from an item's last run count from this instant at the earliest
 * @param former replaced schedules, the latest first: items may have undecided fires of them
 * @param generation transaction that is the base of generation tokens
 * @param change the change under way; null while the plan is open
 * @param retryChangeAt time on the server's clock before which an abandoned change does not begin again; null if there is
 *     none
 * @param items item keys by instance id
 * @param grounds reasons for the owners, or for their absence
 * @param scope scope of the items
 */
public record ShardingPlan(
        int total,
        long incarnation,
        long configMzxid,
        long overrideMzxid,
        int fenceEpoch,
        Schedule schedule,
        Instant since,
        Instant anchor,
        List<Former> former,
        long generation,
        @Nullable Change change,
        @Nullable Instant retryChangeAt,
        Map<String, List<String>> items,
        PlacementReasons grounds,
        Scope scope) {
    /**
     * A change of the item count or the scope. No fire begins until the begun ones have ended.
     *
     * @param target new item count; 0 removes the job
     * @param incarnation incarnation that every record gets before the plan opens
     * @param closedAt time on the server's clock when the plan closed
     * @param scope new scope
     */
    public record Change(int target, long incarnation, Instant closedAt, Scope scope) {
        /** Creates a change of a sharded job. */
        public Change(int target, long incarnation, Instant closedAt) {
            this(target, incarnation, closedAt, Scope.SHARDED);
        }

        /** Refuses an invalid target. */
        public Change {
            Names.requireRange("target", target, 0, JobConfiguration.MAX_ITEMS);
        }
    }

    /**
     * A replaced schedule.
     *
     * @param schedule the schedule
     * @param anchor origin of the schedule
     * @param since time on the server's clock when the schedule came into force
     * @param until time on the server's clock when it was replaced
     */
    public record Former(Schedule schedule, Instant anchor, Instant since, Instant until) {}

    /** Copies the items; refuses an item with two owners. */
    public ShardingPlan {
        former = List.copyOf(former);
        Names.requireRange("total", total, 0, JobConfiguration.MAX_ITEMS);
        Names.requireRange("fenceEpoch", fenceEpoch, 0, 2047);
        Names.requireRange("generation", generation, 1, Long.MAX_VALUE);
        Map<String, List<String>> copy = new TreeMap<>();
        Map<String, String> owners = new HashMap<>(2 * total);
        items.forEach((instance, keys) -> {
            Names.require("item", keys);
            for (String key : keys) {
                String other = owners.put(key, instance);
                if (other != null) {
                    throw new IllegalArgumentException(
                            "plan gives item " + key + " to both " + other + " and " + instance);
                }
            }
            List<String> sorted = new ArrayList<>(keys);
            sorted.sort(ItemKeys.ORDER);
            copy.put(instance, List.copyOf(sorted));
        });
        items = Collections.unmodifiableMap(copy);
    }

    /** Returns the keys of all items, in order. Items without numbers exist only while they have an owner. */
    public List<String> keys() {
        return numbered(scope)
                ? keys(total)
                : items.values().stream()
                        .flatMap(List::stream)
                        .sorted(ItemKeys.ORDER)
                        .toList();
    }

    /** Returns whether the items of a scope are numbered from 0 up to the job's item count. */
    public static boolean numbered(Scope scope) {
        return scope == Scope.SHARDED || scope == Scope.SINGLETON;
    }

    /** Returns the keys of the first {@code count} numbered items. */
    public static List<String> keys(int count) {
        return IntStream.range(0, count).mapToObj(Integer::toString).toList();
    }

    /**
     * Returns the argument if it can be an item's key.
     *
     * @throws IllegalArgumentException if it cannot
     */
    public static String requireKey(String item) {
        Names.require("item", item);
        return item;
    }

    /** Returns the items of one instance, in order. */
    public List<String> itemsOf(String instanceId) {
        return items.getOrDefault(instanceId, List.of());
    }

    /** Returns the owner of each item. */
    public Map<String, String> owners() {
        Map<String, String> owners = new LinkedHashMap<>(2 * total);
        items.forEach((instance, keys) -> keys.forEach(key -> owners.put(key, instance)));
        return owners;
    }

    /** Returns whether a change is under way: no new scheduled fire may start. */
    public boolean closed() {
        return change != null;
    }

    /** Returns whether the job is removed: only the plan remains, as a marker. */
    public boolean removed() {
        return change == null && total == 0;
    }

    /** Returns the description of a change under way. */
    public String changing(Change to) {
        return to.target > 0 && total > 0 && to.scope != scope
                ? "the scope changes from " + scope + " to " + to.scope + ", since " + to.closedAt
                : "the item count changes from " + total + " to " + to.target + ", since " + to.closedAt;
    }

    /** Returns an incarnation that was never used. */
    public long nextIncarnation() {
        return Math.max(incarnation, change == null ? 0 : change.incarnation) + 1;
    }

    /**
     * Returns an open plan without owners, whose schedule counts from an instant.
     *
     * @param since server's clock when the schedule came into force, and its anchor
     * @param generation transaction whose number is the base of generation tokens
     */
    public static ShardingPlan of(
            int total, long incarnation, Scope scope, Schedule schedule, Instant since, long generation) {
        return new ShardingPlan(
                total,
                incarnation,
                0,
                0,
                0,
                schedule,
                since,
                since,
                List.of(),
                generation,
                null,
                null,
                Map.of(),
                PlacementReasons.NONE,
                scope);
    }

    /** Returns the same plan, made from other versions of the definition and the override, and with a fence epoch. */
    public ShardingPlan madeFrom(long config, long override, int epoch) {
        return with(next -> {
            next.configMzxid = config;
            next.overrideMzxid = override;
            next.fenceEpoch = epoch;
        });
    }

    /** Returns the same plan with a schedule and the schedules that it replaced. */
    public ShardingPlan scheduled(Schedule present, Instant from, Instant origin, List<Former> replaced) {
        return with(next -> {
            next.schedule = present;
            next.since = from;
            next.anchor = origin;
            next.former = replaced;
        });
    }

    /** Returns the same plan with other owners, and the reasons for them. */
    public ShardingPlan with(Map<String, List<String>> owned, PlacementReasons why) {
        return with(next -> {
            next.items = owned;
            next.grounds = why;
        });
    }

    /** Returns the same plan, closed for a change. */
    public ShardingPlan closedFor(Change begun) {
        return with(next -> {
            next.change = begun;
            next.retryChangeAt = null;
        });
    }

    /** Returns the same plan, open under its old item count until an instant. */
    public ShardingPlan reopened(Instant retryAt) {
        return with(next -> {
            next.change = null;
            next.retryChangeAt = retryAt;
        });
    }

    /** Returns the same plan without a time for retrying a change, which is no longer wanted. */
    public ShardingPlan withoutRetry() {
        return with(next -> next.retryChangeAt = null);
    }

    /** Returns the plan that a change ends in; its items get owners with {@link #with}. */
    public ShardingPlan opened(Change done, long closedMzxid) {
        return with(next -> {
            next.total = done.target;
            next.incarnation = done.incarnation;
            next.scope = done.scope;
            next.generation = closedMzxid;
            next.change = null;
            next.retryChangeAt = null;
        });
    }

    private ShardingPlan with(Consumer<Draft> move) {
        Draft next = new Draft(this);
        move.accept(next);
        return new ShardingPlan(
                next.total,
                next.incarnation,
                next.configMzxid,
                next.overrideMzxid,
                next.fenceEpoch,
                next.schedule,
                next.since,
                next.anchor,
                next.former,
                next.generation,
                next.change,
                next.retryChangeAt,
                next.items,
                next.grounds,
                next.scope);
    }

    /** Mutable copy of a plan. */
    private static final class Draft {
        int total;
        long incarnation;
        long configMzxid;
        long overrideMzxid;
        int fenceEpoch;
        Schedule schedule;
        Instant since;
        Instant anchor;
        List<Former> former;
        long generation;

        @Nullable Change change;

        @Nullable Instant retryChangeAt;

        Map<String, List<String>> items;
        PlacementReasons grounds;
        Scope scope;

        Draft(ShardingPlan from) {
            this.total = from.total;
            this.incarnation = from.incarnation;
            this.configMzxid = from.configMzxid;
            this.overrideMzxid = from.overrideMzxid;
            this.fenceEpoch = from.fenceEpoch;
            this.schedule = from.schedule;
            this.since = from.since;
            this.anchor = from.anchor;
            this.former = from.former;
            this.generation = from.generation;
            this.change = from.change;
            this.retryChangeAt = from.retryChangeAt;
            this.items = from.items;
            this.grounds = from.grounds;
            this.scope = from.scope;
        }
    }
}
