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
 * Assigns the items of a job to instances. The leader writes the plan, and each claim checks the plan's version. A plan
 * is closed while its item count or scope changes: instances then finish the fires that have begun, and start no other
 * fires. Otherwise the plan is open.
 *
 * <p>The set of a job's item records has a number, the incarnation. This number rises when the item count or scope
 * changes and when the job is created again. An instance with an old plan therefore cannot claim a new record.
 *
 * @param total current item count; 0 marks a removed job
 * @param incarnation incarnation of the item records; only records with this number can be claimed
 * @param configMzxid transaction that wrote the definition on which the plan is based
 * @param overrideMzxid transaction that wrote the override on which the plan is based; 0 if there is no override
 * @param fenceEpoch high bits of every fencing token, see {@link Token}
 * @param schedule current schedule, in use from {@code since} on
 * @param since time on the server's clock from which the schedule is used; earlier fires of the schedule are never due
 * @param anchor instant from which a fixed-rate schedule counts. A schedule that counts from an item's last run counts
 *     from this instant if the item has not run since then
 * @param former replaced schedules, the latest first. Items may have due fires of a replaced schedule that are neither
 *     claimed nor skipped yet
 * @param generation transaction from which generation tokens are derived
 * @param change the change in progress; null if the plan is open
 * @param retryChangeAt time on the server's clock at which an abandoned change is tried again; null if none was
 *     abandoned
 * @param items item keys by instance id
 * @param grounds reasons why items moved or have no owner
 * @param scope scope of the items
 * @param skipTo instant before which no scheduled fire starts, because an operator has skipped the fires; it never
 *     decreases. Null for none
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
        Scope scope,
        @Nullable Instant skipTo) {
    /**
     * A change of the item count or the scope. The change is complete when all started fires have ended and all records
     * have the new incarnation. Until then, no other fire starts.
     *
     * @param target new item count; 0 removes the job
     * @param incarnation incarnation that every item record must have before the plan opens again
     * @param closedAt time on the server's clock when the plan closed
     * @param scope new scope
     */
    public record Change(int target, long incarnation, Instant closedAt, Scope scope) {
        /** Creates a change with the new scope {@link Scope#SHARDED}. */
        public Change(int target, long incarnation, Instant closedAt) {
            this(target, incarnation, closedAt, Scope.SHARDED);
        }

        /** Checks the target. */
        public Change {
            Names.requireRange("target", target, 0, JobConfiguration.MAX_ITEMS);
        }
    }

    /**
     * A replaced schedule.
     *
     * @param schedule the schedule
     * @param anchor instant from which the schedule counts
     * @param since time on the server's clock from which the schedule was used
     * @param until time on the server's clock at which the schedule was replaced
     */
    public record Former(Schedule schedule, Instant anchor, Instant since, Instant until) {}

    /** Copies and sorts the items, and checks that no item has two owners. */
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

    /**
     * Returns the keys of all items, in order. With {@link Scope#BROADCAST} and {@link Scope#ONE_PER_ZONE}, these are
     * the items that have an owner.
     */
    public List<String> keys() {
        return numbered(scope)
                ? keys(total)
                : items.values().stream()
                        .flatMap(List::stream)
                        .sorted(ItemKeys.ORDER)
                        .toList();
    }

    /** Returns whether the plan has an item with this key. */
    public boolean has(String key) {
        if (numbered(scope)) {
            int number = ItemKeys.number(key);
            return number >= 0 && number < total && key.equals(Integer.toString(number));
        }
        return items.values().stream().anyMatch(ofInstance -> ofInstance.contains(key));
    }

    /** Returns true if the item keys of the scope are the numbers from 0 to the item count minus 1. */
    public static boolean numbered(Scope scope) {
        return scope == Scope.SHARDED || scope == Scope.SINGLETON;
    }

    /** Returns the keys of {@code count} numbered items: the numbers from 0 on. */
    public static List<String> keys(int count) {
        return IntStream.range(0, count).mapToObj(Integer::toString).toList();
    }

    /**
     * Returns the argument if it is a valid item key.
     *
     * @throws IllegalArgumentException if it is not valid
     */
    public static String requireKey(String item) {
        Names.require("item", item);
        return item;
    }

    /** Returns the items of one instance, in order. */
    public List<String> itemsOf(String instanceId) {
        return items.getOrDefault(instanceId, List.of());
    }

    /** Returns the owners by item. */
    public Map<String, String> owners() {
        Map<String, String> owners = new LinkedHashMap<>(2 * total);
        items.forEach((instance, keys) -> keys.forEach(key -> owners.put(key, instance)));
        return owners;
    }

    /** Returns whether the plan is closed for a change of the item count or scope. No scheduled fire starts then. */
    public boolean closed() {
        return change != null;
    }

    /** Returns whether the job is removed. Its plan stays as a marker. */
    public boolean removed() {
        return change == null && total == 0;
    }

    /** Returns a description of a change in progress, for operators. */
    public String changing(Change to) {
        return to.target > 0 && total > 0 && to.scope != scope
                ? "the scope changes from " + scope + " to " + to.scope + ", since " + to.closedAt
                : "the item count changes from " + total + " to " + to.target + ", since " + to.closedAt;
    }

    /** Returns an incarnation that is higher than every incarnation this job has used. */
    public long nextIncarnation() {
        return Math.max(incarnation, change == null ? 0 : change.incarnation) + 1;
    }

    /**
     * Returns an open plan without owners.
     *
     * @param since time on the server's clock from which the schedule is used; it is also the anchor
     * @param generation transaction from which generation tokens are derived
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
                scope,
                null);
    }

    /**
     * Returns the same plan, based on other versions of the definition and the override.
     *
     * @param config transaction that wrote the definition
     * @param override transaction that wrote the override; 0 if there is none
     * @param epoch fence epoch
     */
    public ShardingPlan madeFrom(long config, long override, int epoch) {
        return with(next -> {
            next.configMzxid = config;
            next.overrideMzxid = override;
            next.fenceEpoch = epoch;
        });
    }

    /**
     * Returns the same plan with another schedule.
     *
     * @param from time on the server's clock from which the schedule is used
     * @param origin instant from which the schedule counts
     * @param replaced all replaced schedules, the latest first
     */
    public ShardingPlan scheduled(Schedule present, Instant from, Instant origin, List<Former> replaced) {
        return with(next -> {
            next.schedule = present;
            next.since = from;
            next.anchor = origin;
            next.former = replaced;
        });
    }

    /**
     * Returns the same plan with this instant as {@link #skipTo}, or this plan if its own {@code skipTo} is later.
     *
     * @param to instant before which no scheduled fire starts; null for none
     */
    public ShardingPlan skippingTo(@Nullable Instant to) {
        return to == null || (skipTo != null && !to.isAfter(skipTo)) ? this : with(next -> next.skipTo = to);
    }

    /**
     * Returns the instant after which fires of the schedule start. Fires up to {@link #since} belong to replaced
     * schedules, and do not start. If fires of the schedule can be skipped, fires before {@link #skipTo} do not start
     * either.
     */
    public Instant startsAfter() {
        return skipTo == null || !skipTo.isAfter(since) || !canSkip(schedule) ? since : skipTo.minusNanos(1);
    }

    /**
     * Returns whether fires of a schedule can be skipped up to an instant. This is false if each fire depends on the
     * end of the previous run, and for a schedule without fires.
     */
    public static boolean canSkip(Schedule schedule) {
        Schedule kind = schedule.unbounded();
        return kind instanceof Schedule.Cron || kind instanceof Schedule.FixedRate || kind instanceof Schedule.Once;
    }

    /** Returns the same plan with other owners and placement reasons. */
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

    /**
     * Returns the same plan, open again with its old item count after a change was abandoned.
     *
     * @param retryAt time on the server's clock at which the change is tried again
     */
    public ShardingPlan reopened(Instant retryAt) {
        return with(next -> {
            next.change = null;
            next.retryChangeAt = retryAt;
        });
    }

    /** Returns the same plan without the time at which an abandoned change is tried again. */
    public ShardingPlan withoutRetry() {
        return with(next -> next.retryChangeAt = null);
    }

    /**
     * Returns the plan, open again after a completed change. The returned plan still has the old owners; the caller
     * must then assign the items with {@link #with}.
     *
     * @param closedMzxid transaction that wrote the closed plan
     */
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
                next.scope,
                next.skipTo);
    }

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

        @Nullable Instant skipTo;

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
            this.skipTo = from.skipTo;
        }
    }
}
