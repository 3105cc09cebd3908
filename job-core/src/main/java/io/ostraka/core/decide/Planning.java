package io.ostraka.core.decide;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.api.SkipReason;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.ItemKeys;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.PlacementReasons;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.ShardingPlan.Change;
import io.ostraka.core.model.ShardingPlan.Former;
import io.ostraka.core.model.Skipped;
import io.ostraka.core.placement.StickyBalancedStrategy;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides a job's next plan from the observed state alone. Each decision is one step. The leader applies the step,
 * reads the new state and decides again until no step is left.
 *
 * <p>A change of the item count or scope takes several steps, because items of the old count and of the new count must
 * never run at the same time. First the plan is closed: no new scheduled fire starts, and started fires end. Then all
 * item records are rewritten in batches. Each record gets the next incarnation, which is the number of the set of item
 * records. Finally the plan opens with the new count. The removal of a job is a change to zero items. If the records of
 * a job's first plan do not fit into one transaction, the plan starts as a change from zero items.
 */
public final class Planning {
    /** Largest number of item records that one transaction writes. */
    public static final int BATCH = 400;

    /**
     * Time for which a change in progress runs before another change may replace it. Without this wait, frequent
     * changes could keep the plan closed.
     */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    /**
     * Largest number of replaced schedules that a plan stores. Missed fires of older schedules are not recorded as
     * skipped.
     */
    static final int FORMER = 16;

    /**
     * Misfire threshold that the leader assumes for jobs without one. Instances derive theirs from their session
     * timeouts, which the leader does not know.
     */
    public static final Duration MISFIRE_THRESHOLD = Duration.ofMinutes(1);

    /**
     * Delay of a one-time fire whose instant has passed, if instances or zones are the items. The items of instances that
     * register the job at the same time join the plan one after the other.
     */
    static final Duration JOINING = Duration.ofSeconds(1);

    /**
     * Anchor of a one-time schedule while the plan has no items. Its fire is due when the first item has joined the plan,
     * even if its instant has passed by then.
     */
    static final Instant WAITING = Instant.parse("9999-12-31T00:00:00Z");

    private Planning() {}

    /**
     * The wanted state of the job, from its registered definition and the operators' override.
     *
     * @param configuration effective configuration
     * @param override the operators' override
     * @param configCzxid number of the transaction that created the definition
     * @param configMzxid number of the latest transaction that wrote the definition
     * @param overrideMzxid number of the latest transaction that wrote the override; 0 if there is no override
     */
    public record Wanted(
            JobConfiguration configuration,
            JobOverride override,
            long configCzxid,
            long configMzxid,
            long overrideMzxid) {}

    /**
     * The current state, as the leader has read it.
     *
     * @param plan the current plan; null if the job has none yet
     * @param planMzxid number of the transaction that last wrote the plan. If the job has no plan, the number of the
     *     transaction that made this instance the leader. Generation tokens are derived from this number, and must not
     *     decrease even if an operator has deleted an earlier plan
     * @param ledger item records and running work while the plan is closed for a change; null if the plan is open
     * @param unfinished zones that the plan does not contain but that have an unfinished fire (claimed, not completed)
     * @param deleted the plan under which the job ran until its nodes were deleted by hand; null if this is not known
     */
    public record Present(
            @Nullable ShardingPlan plan,
            long planMzxid,
            @Nullable Ledger ledger,
            Set<String> unfinished,
            @Nullable ShardingPlan deleted) {}

    /**
     * Limits of a change of the plan.
     *
     * @param drainDeadline time for which a change waits for running items; after this time the change is postponed
     * @param batch largest number of item records in one transaction, at most {@link #BATCH}
     * @param clockTolerance time by which the clock of an instance may be ahead. The instance may have started a fire
     *     before its time by as much
     */
    public record Limits(Duration drainDeadline, int batch, Duration clockTolerance) {}

    /**
     * All inputs of the decision.
     *
     * @param times fire times of the current plan's schedule, which may be older than the configured schedule
     * @param now current time on the server's clock
     */
    public record Observation(
            Wanted wanted,
            Present present,
            Placement.Candidates candidates,
            FireTimes times,
            Instant now,
            Limits limits) {
        int desiredTotal() {
            return wanted.override.removed() ? 0 : wanted.configuration.shardingTotalCount();
        }

        /** Returns the latest instant whose fires an instance may have started. */
        Instant latest() {
            return now.plus(limits.clockTolerance);
        }

        boolean wants(int total, Scope scope) {
            return total == desiredTotal() && (total == 0 || scope == wanted.configuration.scope());
        }

        Change change(long incarnation) {
            return new Change(desiredTotal(), incarnation, now, wanted.configuration.scope());
        }

        List<String> keys(Scope scope, int total, ShardingPlan from) {
            Set<String> left = present.ledger == null ? present.unfinished : present.ledger.unfinished();
            return ScopedItems.keys(
                    scope,
                    total,
                    ScopedItems.Participants.of(
                            wanted.configuration,
                            candidates.instances(),
                            candidates.circumstances(),
                            from.keys(),
                            left),
                    present.ledger == null ? limits.batch : 0); // no item joins a closed plan
        }

        /** Returns the keys of the items after a change. They do not depend on the current items. */
        List<String> keys(Change change) {
            return ScopedItems.keys(
                    change.scope(),
                    change.target(),
                    ScopedItems.Participants.of(
                            wanted.configuration,
                            candidates.instances(),
                            candidates.circumstances(),
                            Set.of(),
                            Set.of()),
                    limits.batch);
        }
    }

    /**
     * The item records and the running work of a job with a closed plan. The plan opens when this work has ended.
     *
     * @param records all existing item records, by item
     * @param busy true if an item has a running node (the ephemeral node that marks the item as running), or if a
     *     triggered fire has begun and some of its items have not ended
     * @param abandoned interrupted items that no instance can take over, because the job is being removed and no
     *     instance hosts it
     */
    public record Ledger(Map<String, ItemRecord> records, boolean busy, Set<String> abandoned) {
        boolean drained() {
            return !busy
                    && records.entrySet().stream()
                            .noneMatch(entry -> entry.getValue().unfinished() && !abandoned.contains(entry.getKey()));
        }

        Set<String> unfinished() {
            return records.entrySet().stream()
                    .filter(entry -> entry.getValue().unfinished())
                    .map(Map.Entry::getKey)
                    .collect(Collectors.toSet());
        }

        /** Returns copies of the records in which all unfinished runs have ended as interrupted. */
        Map<String, ItemRecord> settled(Instant now) {
            Map<String, ItemRecord> settled = new TreeMap<>(ItemKeys.ORDER);
            records.forEach((item, record) -> settled.put(
                    item,
                    record.unfinished()
                            ? record.completed(
                                    now, ItemOutcome.INTERRUPTED, "its job was removed, and no instance hosts it")
                            : record));
            return settled;
        }
    }

    /** Decides the next step for the plan. */
    public static PlanDecision decide(Observation seen) {
        try {
            ShardingPlan plan = seen.present.plan;
            if (plan == null || !plan.closed()) {
                requireStrategy(seen); // if the strategy refused the job later, a closed plan could not open
            }
            if (plan == null) {
                return seen.desiredTotal() == 0 ? new PlanDecision.Keep() : first(seen);
            }
            ShardingPlan current = refreshed(plan, seen);
            if (current.change() != null) {
                return changing(current, current.change(), seen);
            }
            boolean held = seen.desiredTotal() > 0
                    && current.retryChangeAt() != null
                    && seen.now.isBefore(current.retryChangeAt());
            return !seen.wants(current.total(), current.scope()) && !held
                    ? write(current.closedFor(seen.change(current.nextIncarnation())), seen)
                    : write(placed(current, seen), seen);
        } catch (PlacementRefusedException e) {
            return new PlanDecision.Refuse(JobHealth.Kind.PLAN_REFUSED, e.reason());
        }
    }

    private static boolean strategyFits(Observation seen) {
        return strategy(seen).isFor(seen.desiredTotal())
                && (seen.wanted.configuration.scope() != Scope.ONE_PER_ZONE
                        || strategy(seen).isForZones());
    }

    private static void requireStrategy(Observation seen) {
        strategy(seen).requireFor(seen.desiredTotal());
        if (seen.wanted.configuration.scope() == Scope.ONE_PER_ZONE) {
            strategy(seen).requireForZones();
        }
    }

    private static CheckedStrategy strategy(Observation seen) {
        return new CheckedStrategy(seen.candidates.strategy());
    }

    private static PlanDecision write(ShardingPlan next, Observation seen) {
        return next.equals(seen.present.plan) ? new PlanDecision.Keep() : new PlanDecision.Write(next, Map.of());
    }

    private static PlanDecision first(Observation seen) {
        int total = seen.desiredTotal();
        boolean fits = total <= seen.limits.batch;
        ShardingPlan open = ShardingPlan.of(
                        fits ? total : 0,
                        fits ? 1 : 0,
                        seen.wanted.configuration.scope(),
                        seen.wanted.configuration.schedule(),
                        seen.now,
                        Math.max(seen.wanted.configCzxid, seen.present.planMzxid))
                .madeFrom(seen.wanted.configMzxid, seen.wanted.overrideMzxid, seen.wanted.configuration.fenceEpoch())
                .skippingTo(seen.wanted.override.skipTo());
        ShardingPlan deleted = seen.present.deleted;
        ShardingPlan plan = once(open)
                        .filter(once -> deleted == null || !mayHaveFired(once, deleted))
                        .isPresent()
                ? waiting(open)
                : open;
        plan = fits ? plan : plan.closedFor(seen.change(1));
        ShardingPlan placed = placed(plan, seen);
        Map<String, ItemRecord> records = new LinkedHashMap<>();
        for (String item : placed.keys()) {
            records.put(item, ItemRecord.fresh(seen.now, seen.wanted.configCzxid, plan.incarnation()));
        }
        return new PlanDecision.Write(placed, records);
    }

    /**
     * Returns the plan, updated from the current definition and override. The item count and the scope stay as they
     * are.
     */
    private static ShardingPlan refreshed(ShardingPlan plan, Observation seen) {
        boolean wanted = seen.wants(plan.total(), plan.scope());
        if (plan.configMzxid() == seen.wanted.configMzxid
                && plan.overrideMzxid() == seen.wanted.overrideMzxid
                && (plan.retryChangeAt() == null || !wanted)) {
            return plan;
        }
        Schedule schedule = seen.wanted.configuration.schedule();
        ShardingPlan current = plan.madeFrom(
                        seen.wanted.configMzxid,
                        seen.wanted.overrideMzxid,
                        Math.max(plan.fenceEpoch(), seen.wanted.configuration.fenceEpoch()))
                .skippingTo(seen.wanted.override.skipTo());
        if (!schedule.equals(plan.schedule())) {
            current = current.scheduled(schedule, seen.now, seen.now, former(plan, seen));
            if (once(current).filter(once -> !mayHaveFired(once, plan)).isPresent()) {
                current = dueWithItems(waiting(current), seen);
            }
        }
        return wanted ? current.withoutRetry() : current;
    }

    private static Optional<Schedule.Once> once(ShardingPlan plan) {
        return Optional.of(plan.schedule().unbounded())
                .filter(Schedule.Once.class::isInstance)
                .map(Schedule.Once.class::cast);
    }

    /** Returns the plan with the anchor at which people expect the fire of a one-time schedule that waits for an item. */
    public static ShardingPlan expected(ShardingPlan plan) {
        return plan.anchor().equals(WAITING)
                ? plan.scheduled(plan.schedule(), plan.since(), plan.since(), plan.former())
                : plan;
    }

    private static ShardingPlan waiting(ShardingPlan plan) {
        return plan.scheduled(plan.schedule(), plan.since(), WAITING, plan.former());
    }

    /**
     * Returns the plan, in which a one-time fire waits if there are no items. If there are items and the fire has waited
     * for them, it counts from now. A fire that was due before is then due directly after this moment, unless the misfire
     * policy skips it.
     */
    private static ShardingPlan dueWithItems(ShardingPlan plan, Observation seen) {
        Schedule.Once once = once(plan).orElse(null);
        boolean waits = plan.anchor().equals(WAITING);
        if (once == null || waits == plan.keys().isEmpty()) {
            return plan;
        }
        if (waits) {
            return plan.scheduled(plan.schedule(), seen.now, anchor(once, plan.scope(), seen), plan.former());
        }
        return once.at().isAfter(seen.latest()) ? waiting(plan) : plan; // otherwise an item may have begun the fire
    }

    private static Instant anchor(Schedule.Once once, Scope scope, Observation seen) {
        JobConfiguration configuration = seen.wanted.configuration;
        if (once.at().isAfter(seen.now)) {
            return seen.now;
        }
        Duration age = Duration.between(once.at(), seen.now);
        boolean kept = age.compareTo(configuration.misfireThreshold().orElse(MISFIRE_THRESHOLD)) < 0
                || (!(configuration.misfire() instanceof MisfirePolicy.Skip)
                        && configuration
                                .catchUpWindow()
                                .map(window -> age.compareTo(window) <= 0)
                                .orElse(true));
        return kept
                ? seen.now
                        .truncatedTo(ChronoUnit.MILLIS)
                        .plus(ShardingPlan.numbered(scope) ? Duration.ofMillis(1) : JOINING)
                : seen.now;
    }

    /** Returns whether a one-time fire may have run under an earlier plan. It must not run twice. */
    private static boolean mayHaveFired(Schedule.Once once, ShardingPlan before) {
        return !once.at().isAfter(before.since())
                || Stream.concat(
                                Stream.of(before.schedule()),
                                before.former().stream().map(Former::schedule))
                        .anyMatch(schedule -> schedule.unbounded().equals(once));
    }

    /**
     * Returns the replaced schedules, latest first. They include the plan's present schedule, which is being replaced,
     * if an item may have begun one of its fires.
     */
    private static List<Former> former(ShardingPlan plan, Observation seen) {
        if (seen.times.latest(plan.since(), seen.latest(), 1).isEmpty()) {
            return plan.former();
        }
        Former replaced = new Former(plan.schedule(), plan.anchor(), plan.since(), seen.now);
        return Stream.concat(Stream.of(replaced), plan.former().stream())
                .limit(FORMER)
                .toList();
    }

    private static ShardingPlan placed(ShardingPlan plan, Observation seen) {
        List<String> items = seen.keys(plan.scope(), plan.total(), plan);
        Placement.Placed placed = place(plan.scope(), items, plan.owners(), plan.grounds(), seen);
        return dueWithItems(plan.with(placed.items(), placed.grounds()), seen);
    }

    private static Placement.Placed place(
            Scope scope, List<String> items, Map<String, String> owners, PlacementReasons grounds, Observation seen) {
        // the newly configured strategy possibly does not accept the old item count
        boolean leaving = !strategy(seen).isFor(items.size()) && items.size() != seen.desiredTotal();
        return ScopedItems.place(
                scope,
                new Placement.Demand(
                        seen.wanted.configuration,
                        items,
                        owners,
                        grounds,
                        leaving ? seen.candidates.with(new StickyBalancedStrategy()) : seen.candidates,
                        seen.now));
    }

    private static PlanDecision changing(ShardingPlan plan, Change change, Observation seen) {
        Ledger ledger = seen.present.ledger;
        if (ledger == null) {
            return new PlanDecision.Keep();
        }
        if (!seen.wants(change.target(), change.scope())
                && strategyFits(seen)
                && !seen.now.isBefore(change.closedAt().plus(PATIENCE))) {
            return write(plan.closedFor(seen.change(plan.nextIncarnation())), seen);
        }
        if (!ledger.drained()) {
            boolean begun =
                    ledger.records.values().stream().anyMatch(record -> record.incarnation() > plan.incarnation());
            // a removal stays closed, because no fire of a removed job may start
            boolean overdue =
                    change.target() > 0 && seen.now.isAfter(change.closedAt().plus(seen.limits.drainDeadline));
            return overdue && !begun
                    ? write(placed(plan.reopened(seen.now.plus(seen.limits.drainDeadline)), seen), seen)
                    : write(placed(plan, seen), seen);
        }
        Ledger settled = new Ledger(ledger.settled(seen.now), false, Set.of());
        Map<String, ItemRecord> rewrites = rewrites(plan, change, seen, settled);
        if (rewrites.size() > seen.limits.batch) {
            return new PlanDecision.Write(null, rewrites);
        }
        // the strategy sees the owners of the items that exist both before and after the change
        List<String> items = seen.keys(change);
        Map<String, String> owners = plan.owners();
        owners.keySet().retainAll(new HashSet<>(items));
        Placement.Placed placed = place(change.scope(), items, owners, plan.grounds(), seen);
        ShardingPlan opened = plan.opened(change, seen.present.planMzxid);
        // items of instances and zones begin now, and so after a fire that came due during the change
        boolean missed = !ShardingPlan.numbered(change.scope()) && undecided(plan, seen, settled);
        ShardingPlan next = (missed ? waiting(opened) : opened).with(placed.items(), placed.grounds());
        return new PlanDecision.Write(dueWithItems(next, seen), rewrites);
    }

    /** Returns whether a one-time fire is due, and no item of the closed plan has run or skipped it. */
    private static boolean undecided(ShardingPlan plan, Observation seen, Ledger ledger) {
        Optional<Instant> fire =
                once(plan).flatMap(once -> seen.times.next(plan.since())).filter(due -> !due.isAfter(seen.now));
        // a record with a later incarnation belongs to an earlier batch of this change
        List<Instant> cursors = plan.keys().stream()
                .map(ledger.records::get)
                .filter(record -> record != null && record.incarnation() <= plan.incarnation())
                .map(ItemRecord::cursor)
                .toList();
        return fire.isPresent()
                && !cursors.isEmpty()
                && ledger.records.keySet().containsAll(plan.keys())
                && cursors.stream().allMatch(cursor -> cursor.isBefore(fire.get()));
    }

    /**
     * Returns the records to write, by item. These are the next records of the items whose records do not have the
     * change's incarnation yet, and the first records of new items. The incarnation is the number of the set of item
     * records.
     */
    private static Map<String, ItemRecord> rewrites(ShardingPlan plan, Change change, Observation seen, Ledger ledger) {
        boolean together = ShardingPlan.numbered(change.scope());
        // the items of a removed job keep their cursors, because the job may soon be registered again
        boolean removal = change.target() == 0;
        Instant common = together ? cursor(plan, change, seen, ledger) : beginning(plan, seen, ledger);
        long triggerCursor = triggerCursor(plan, seen, ledger);
        Set<String> kept = new TreeSet<>(ItemKeys.ORDER);
        kept.addAll(seen.keys(change));
        Map<String, ItemRecord> rewrites = new TreeMap<>(ItemKeys.ORDER);
        ledger.records.forEach((item, record) -> {
            if (record.incarnation() != change.incarnation()) {
                ItemState state = record.state() == ItemState.QUARANTINED ? ItemState.QUARANTINED : ItemState.IDLE;
                boolean stays = kept.contains(item);
                Instant cursor = together && !(removal && plan.has(item))
                        ? common
                        : ownCursor(record, stays, plan, change, seen.now);
                ItemRecord moved = record.rewritten(
                        stays ? state : ItemState.RETIRED, cursor, triggerCursor, change.incarnation());
                List<Skipped> passed = passed(record, cursor, seen.times);
                rewrites.put(
                        item,
                        passed.isEmpty()
                                ? moved.advancedFrom(record.cursor())
                                : moved.skippedFrom(passed, record.cursor()));
            }
        });
        for (String item : kept) {
            if (!ledger.records.containsKey(item)) {
                Instant cursor = together || !plan.has(item) ? common : seen.latest();
                rewrites.put(item, ItemRecord.fresh(cursor, triggerCursor, change.incarnation()));
            }
        }
        return rewrites;
    }

    /**
     * Returns the next cursor for the item of a zone or an instance. The cursor, which is the latest fire that the item
     * has claimed or skipped, stays the same, because no other item runs this item's fires. There are two exceptions:
     * an earlier change has retired the item and this change brings it back, or the item does not exist in the new
     * scope. In both cases, the item skips all its fires up to now.
     */
    private static Instant ownCursor(ItemRecord record, boolean stays, ShardingPlan plan, Change change, Instant now) {
        boolean back = record.state() == ItemState.RETIRED && record.incarnation() <= plan.incarnation();
        boolean goes = !stays && change.target() > 0;
        return (back || goes) && now.isAfter(record.cursor()) ? now : record.cursor();
    }

    /**
     * Returns the next cursor of all items of a job with numbered items (scope {@code SHARDED} or {@code SINGLETON}).
     * With failover, the smallest cursor of the items is used, so no item loses a fire. Without failover, the largest
     * cursor is used, so no fire starts a second time; if a record was lost, all fires that the item may have begun count
     * as decided. All batches of records use the cursor of the first batch, even if the configuration changes between the
     * batches.
     */
    private static Instant cursor(ShardingPlan plan, Change change, Observation seen, Ledger ledger) {
        Optional<Instant> decided = ledger.records.values().stream()
                .filter(record -> change.target() > 0 && record.incarnation() == change.incarnation())
                .map(ItemRecord::cursor)
                .findFirst();
        return decided.orElseGet(() -> firstCursor(plan, seen, ledger));
    }

    private static Instant firstCursor(ShardingPlan plan, Observation seen, Ledger ledger) {
        Set<String> disabled = seen.wanted.override.disabledItems();
        List<Instant> enabled = counting(plan, ledger)
                .filter(entry ->
                        !disabled.contains(entry.getKey()) && entry.getValue().state() != ItemState.QUARANTINED)
                .map(entry -> entry.getValue().cursor())
                .toList();
        List<Instant> cursors = enabled.isEmpty()
                ? counting(plan, ledger).map(entry -> entry.getValue().cursor()).toList()
                : enabled;
        boolean lost = plan.keys().stream()
                .map(ledger.records::get)
                .anyMatch(record -> record == null
                        || (record.state() == ItemState.RETIRED && record.incarnation() <= plan.incarnation()));
        Instant otherwise = lost ? seen.latest() : beginning(plan, seen, ledger);
        return seen.wanted.configuration.failover()
                ? cursors.stream().min(Comparator.naturalOrder()).orElse(otherwise)
                : Stream.concat(cursors.stream(), lost ? Stream.of(otherwise) : Stream.empty())
                        .max(Comparator.naturalOrder())
                        .orElse(otherwise);
    }

    /**
     * Returns the cursor of items without an earlier cursor. The items of a job's first plan begin when its schedule
     * took effect, because writing many records takes seconds in which fires become due. Later items begin now, or after
     * the latest fire that an item of the job has begun before its time.
     */
    private static Instant beginning(ShardingPlan plan, Observation seen, Ledger ledger) {
        if (plan.incarnation() == 0) {
            return plan.since();
        }
        Instant latest = ledger.records.values().stream()
                .map(ItemRecord::cursor)
                .max(Comparator.naturalOrder())
                .map(cursor -> Backlog.earlier(cursor, seen.latest()))
                .orElse(seen.now);
        return Backlog.later(seen.now, latest);
    }

    /** Returns the fires that an item skips because its cursor moves forward to {@code cursor}. */
    private static List<Skipped> passed(ItemRecord record, Instant cursor, FireTimes times) {
        return record.state() == ItemState.RETIRED
                ? List.of()
                : times.of(record).skipped(record.cursor(), cursor, SkipReason.ITEM_COUNT_CHANGED).stream()
                        .toList();
    }

    private static long triggerCursor(ShardingPlan plan, Observation seen, Ledger ledger) {
        ToLongFunction<ItemRecord> of = ItemRecord::triggerCursor;
        return counting(plan, ledger)
                .mapToLong(entry -> of.applyAsLong(entry.getValue()))
                .min()
                .orElseGet(() -> Math.max(
                        seen.wanted.configCzxid,
                        ledger.records.values().stream().mapToLong(of).max().orElse(0)));
    }

    /**
     * Returns the records from which the new cursors are derived: the records of the plan's items, and the records that
     * this change has already rewritten. Records that an earlier change retired are left out.
     */
    private static Stream<Map.Entry<String, ItemRecord>> counting(ShardingPlan plan, Ledger ledger) {
        Set<String> items = new HashSet<>(plan.keys());
        boolean all = ShardingPlan.numbered(plan.scope()) || items.isEmpty();
        return ledger.records.entrySet().stream()
                .filter(entry -> entry.getValue().incarnation() > plan.incarnation()
                        || (entry.getValue().state() != ItemState.RETIRED && (all || items.contains(entry.getKey()))));
    }
}
