package io.ostraka.core.decide;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.Scope;
import io.ostraka.api.SkipReason;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.FireProgress.Once;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.FireView;
import io.ostraka.core.model.Handover;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Skipped;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Versioned;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides how the leader cleans up the nodes of one job. The cleanup makes sure that every triggered fire and every
 * fire with once-listeners ends. Once-listeners are listeners that only one instance of the cluster calls.
 *
 * <p>Instances complete the runs that they have claimed. The leader does the rest. It ends runs of items that the plan
 * no longer contains. It ends fires for items that will not run them. It repairs fires with damaged or deleted nodes,
 * and updates the failover nodes. Each step is one transaction, which checks the plan and all versions that the
 * decision used. If a node has changed, the transaction is refused and the leader decides again.
 */
public final class Cleanup {
    /**
     * Time for which the progress node of an ended fire is kept. Clients that wait for the end of a trigger read this
     * node.
     */
    public static final Duration ENDED_FIRES_KEPT = Duration.ofHours(1);

    /**
     * Time after which the leader checks a scheduled fire that makes no progress. The leader then reads the items that
     * have not ended their part of the fire.
     */
    public static final Duration QUIET = Duration.ofSeconds(1);

    private static final String GONE = "its instance left during the run, or no longer takes part";

    /**
     * The nodes of the job, as the leader has read them.
     *
     * @param items items by key
     * @param fires fires by the name of their progress node, including fires of triggers that have no progress node yet
     * @param triggers triggers of the job that existed both before and after the leader read the fires
     * @param whole true if the leader read all items, fires and triggers of the job. In this case, a node that is
     *     missing here does not exist
     */
    public record Nodes(
            Map<String, ItemView> items, Map<String, FireView> fires, List<Trigger> triggers, boolean whole) {
        /**
         * Returns the nodes as read, with two corrections. Fires of triggers that were created during the read are left
         * out. A trigger without a progress node gets an empty fire.
         *
         * @param before triggers of the job, read before the fires
         * @param after triggers of the job, read after the fires
         */
        public static Nodes of(
                Map<String, ItemView> items,
                Map<String, FireView> fires,
                List<Trigger> before,
                List<Trigger> after,
                boolean whole) {
            Set<String> known =
                    before.stream().map(trigger -> trigger.fire().id()).collect(Collectors.toSet());
            Map<String, FireView> read = new TreeMap<>(fires);
            List<Trigger> triggers = new ArrayList<>();
            for (Trigger trigger : after) {
                String fire = trigger.fire().id();
                if (known.contains(fire)) {
                    triggers.add(trigger);
                    read.computeIfAbsent(fire, name -> new FireView(name, null, null));
                } else {
                    read.remove(fire); // the trigger is new: the next cleanup handles it
                }
            }
            return new Nodes(items, read, triggers, whole);
        }

        /**
         * Returns the ids of the instances that the progress of these fires names as current callers of once-listeners.
         */
        public Set<String> callers() {
            return fires.values().stream()
                    .flatMap(fire -> Stream.ofNullable(fire.progress()))
                    .flatMap(progress -> Stream.ofNullable(progress.value().once()))
                    .filter(Once::calling)
                    .flatMap(once -> Stream.ofNullable(once.caller()))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /**
     * The wanted state of the job, as its configuration and the operators' override define it.
     *
     * @param planned true if the configuration is readable and the plan was made from the current override. If false,
     *     this cleanup gives up no call of a once-listener, and ends scheduled fires only for items of instances that
     *     have left
     * @param paused true if the job is paused and the plan was made from the current definition. In this case, every
     *     instance that claims under the plan knows about the pause
     * @param disabledItems items that an operator disabled
     * @param onceListeners true if a registered instance has the job's once-listeners
     * @param times fire times of the schedule; null if the job has no valid configuration
     */
    public record Wanted(
            boolean planned,
            boolean paused,
            Set<String> disabledItems,
            boolean onceListeners,
            @Nullable FireTimes times) {
        /** Returns the wanted state of a job from its nodes and its current plan. */
        public static Wanted of(JobView job, ShardingPlan plan, boolean onceListeners, @Nullable FireTimes times) {
            Versioned<Definition> definition = job.definition();
            long override = job.override() == null ? 0 : job.override().mzxid();
            return new Wanted(
                    definition != null && plan.overrideMzxid() == override,
                    definition != null
                            && plan.configMzxid() == definition.mzxid()
                            && job.overrideOrNone().pauses(definition.value().configuration()),
                    job.overrideOrNone().disabledItems(),
                    onceListeners,
                    times);
        }
    }

    /**
     * All inputs of the decision.
     *
     * @param plan the current plan
     * @param instances registered instances
     * @param gone instances that are recorded as callers of once-listeners but are no longer registered
     * @param now current time on the server's clock
     */
    public record Observed(
            ShardingPlan plan,
            Nodes nodes,
            Wanted wanted,
            List<InstanceInfo> instances,
            Set<String> gone,
            Instant now) {
        private boolean absent(String item) {
            return !plan.keys().contains(item);
        }

        private @Nullable ItemRecord record(String item) {
            ItemView view = nodes.items.get(item);
            return view == null || view.record() == null ? null : view.record().value();
        }

        /** Returns whether the item's node was read, or is known not to exist. */
        private boolean known(String item) {
            return nodes.whole || nodes.items.containsKey(item);
        }

        private boolean idle(String item) {
            ItemView view = nodes.items.get(item);
            return view == null || ended(List.of(view));
        }

        /**
         * Returns whether the item's nodes can be deleted. This is the case for an idle item of an instance that has
         * left: an instance id is never used again, so the item cannot come back. While the plan is closed, the result
         * is false, because the change of the item count or scope still needs the item's record.
         */
        private boolean removable(String item) {
            return !plan.closed()
                    && ScopedItems.instanceKey(item)
                    && absent(item)
                    && nodes.items.containsKey(item)
                    && idle(item)
                    && instances.stream().noneMatch(instance -> instance.id().equals(item));
        }
    }

    /** One step of the leader. No two steps of a decision write the same node. */
    public sealed interface Step {}

    /**
     * Writes and deletes failover nodes. A failover node shows operators that the item's new owner takes over an
     * interrupted run.
     *
     * @param missing failover nodes to write, by item
     * @param stale items with a failover node that must be deleted
     */
    public record Handovers(Map<String, Handover> missing, Set<String> stale) implements Step {}

    /**
     * Writes item records and the progress of one fire in one transaction.
     *
     * @param records the new records, by item
     * @param fire the new progress; null to leave it unchanged
     * @param skip items that skip a triggered fire in this step, so that the leader can report them; null if there are
     *     none
     */
    public record Settle(Cause cause, Map<String, ItemRecord> records, @Nullable FireEnd fire, @Nullable Skip skip)
            implements Step {}

    /** Items that skip a triggered fire. */
    public record Skip(Set<String> items, Fire trigger, SkipReason reason) {}

    /**
     * New progress of a fire.
     *
     * @param name name of the fire's node
     * @param to the new progress
     * @param endsTrigger true to delete the trigger's node in the same transaction
     */
    public record FireEnd(String name, FireProgress to, boolean endsTrigger) {}

    /** Deletes the damaged progress node of a fire. */
    public record DeleteFire(FireView fire) implements Step {}

    /**
     * Deletes the nodes of an item that the plan no longer contains.
     *
     * @param skipped the scheduled fires that the item skips; null if there are none
     */
    public record RemoveItem(ItemView item, @Nullable Skipped skipped) implements Step {}

    /**
     * Writes the plan again without a change. This makes every instance read the plan and look for pending calls of
     * once-listeners.
     */
    public record Announce() implements Step {}

    /** The reason for a {@link Settle}. */
    public enum Cause {
        /** The owner left during the run, and the plan no longer contains the item. */
        INTERRUPTED,
        /** Some items will not run the fire. */
        SKIPPED,
        /** The fire's node was damaged, or its trigger was deleted by hand. */
        REPAIRED,
        /** No registered instance has the job's once-listeners. */
        NO_ONCE_LISTENER,
        /** The job was removed. */
        REMOVED
    }

    private final Observed seen;
    private final int most;
    private final Map<String, Trigger> triggers;
    /**
     * Items whose record one of the steps already writes. A second step with the same record would be refused, because
     * the first step changes the record's version.
     */
    private final Set<String> rewritten = new TreeSet<>();

    private Cleanup(Observed seen, int most) {
        this.seen = seen;
        this.most = most;
        this.triggers = byFire(seen.nodes.triggers);
    }

    /**
     * Returns the steps to take now; empty if there is nothing to clean up. The steps may be executed in any order.
     *
     * @param most largest number of item records or failover nodes in one step
     */
    public static List<Step> of(Observed seen, int most) {
        return new Cleanup(seen, most).steps();
    }

    /**
     * Returns the failover nodes that are missing or outdated, by item, at most {@code most}. An interrupted run needs
     * a failover node if its item has an owner.
     */
    public static Map<String, Handover> handovers(
            ShardingPlan plan, Map<String, ItemView> items, Collection<InstanceInfo> instances, int most) {
        Map<String, String> owners = plan.owners();
        Map<String, Handover> missing = new TreeMap<>();
        items.forEach((item, view) -> {
            String to = owners.get(item);
            if (to != null && view.interrupted() && view.record() != null && missing.size() < most) {
                Run run = view.record().value().requireRun();
                boolean livesOn = instances.stream()
                        .anyMatch(instance -> instance.earlierIds().contains(run.owner()));
                Handover handover = new Handover(run.fire().id(), run.attempt(), run.owner(), to, livesOn);
                if (!handover.equals(view.handover())) {
                    missing.put(item, handover);
                }
            }
        });
        return missing;
    }

    /**
     * Returns whether a fire may still need a cleanup: the fire has not ended, its progress node is missing or damaged,
     * or its trigger is still waiting.
     */
    public static boolean counts(FireView fire, Set<String> waiting) {
        return fire.progress() == null || !fire.progress().value().done() || waiting.contains(fire.fire());
    }

    /**
     * Returns the versions of the progress nodes of expired fires, by the node's name. A fire expires {@link
     * #ENDED_FIRES_KEPT} after its end, unless its trigger is still waiting.
     */
    public static Map<String, Integer> expired(List<FireView> fires, Set<String> waiting, Instant now) {
        Map<String, Integer> expired = new TreeMap<>();
        for (FireView fire : fires) {
            if (!counts(fire, waiting)
                    && fire.progress() != null
                    && fire.progress().modified().isBefore(now.minus(ENDED_FIRES_KEPT))) {
                expired.put(fire.fire(), fire.progress().version());
            }
        }
        return expired;
    }

    /**
     * Returns the stops that are no longer needed. A stop is no longer needed if every item that it concerns has ended
     * its part of the fire, or will never start it. The stop of a scheduled fire is needed until the fire is due, even
     * if the cursor of an item has passed the fire, because an operator may set back such a cursor.
     *
     * @param stops stops of the job, read before the nodes
     * @param now current time on the server's clock
     * @return the stops; empty if not all nodes of the job were read
     */
    public static List<FireStop> endedStops(List<FireStop> stops, ShardingPlan plan, Nodes nodes, Instant now) {
        if (stops.isEmpty() || !nodes.whole) {
            return List.of();
        }
        Map<String, Trigger> triggers = byFire(nodes.triggers);
        Set<String> keys = new TreeSet<>(plan.keys());
        Set<String> items = new TreeSet<>(nodes.items.keySet());
        items.addAll(keys);
        return stops.stream()
                .filter(stop -> items.stream().filter(stop::concerns).allMatch(item -> {
                    ItemView view = nodes.items.get(item);
                    Versioned<ItemRecord> record = view == null ? null : view.record();
                    return record == null
                            ? !keys.contains(item) && (view == null || view.damage() == null)
                            : decided(stop.fire(), item, record.value(), triggers.get(stop.fire()), now);
                }))
                .toList();
    }

    /**
     * Returns whether an item has ended its part of a fire, or will never start it.
     *
     * @param trigger trigger of the fire; null if there is none or if the fire is scheduled
     */
    private static boolean decided(
            String fire, String item, ItemRecord record, @Nullable Trigger trigger, Instant now) {
        if (record.unfinished()
                && FireProgress.nodeOf(record.requireRun().fire(), record.incarnation())
                        .equals(fire)) {
            return false;
        }
        if (!FireProgress.scheduled(fire)) {
            return trigger == null || !trigger.concerns(item) || record.triggerCursor() >= trigger.zxid();
        }
        int dot = fire.indexOf('.');
        long at = Long.parseLong(fire.substring(0, dot));
        return record.incarnation() != Long.parseLong(fire.substring(dot + 1))
                || record.state() == ItemState.RETIRED
                || (record.cursor().toEpochMilli() >= at && now.toEpochMilli() >= at);
    }

    private static Map<String, Trigger> byFire(List<Trigger> triggers) {
        return triggers.stream()
                .collect(Collectors.toMap(trigger -> trigger.fire().id(), trigger -> trigger, (one, same) -> one));
    }

    /**
     * Returns the items that a plan does not contain. If the keys of the plan's items are numbers, this method returns
     * only items whose key is the id of an instance. These items remain from a time when the scope was {@code
     * BROADCAST}.
     */
    public static List<ItemView> leftBehind(ShardingPlan plan, Collection<ItemView> items) {
        Set<String> present = Set.copyOf(plan.keys());
        return items.stream()
                .filter(view -> !present.contains(view.item()))
                .filter(view -> !ShardingPlan.numbered(plan.scope()) || ScopedItems.instanceKey(view.item()))
                .toList();
    }

    /**
     * Returns whether all these items are idle: none has an unfinished run or a running node (the ephemeral node that
     * marks an item as running).
     */
    public static boolean ended(Collection<ItemView> items) {
        return items.stream().allMatch(view -> view.running() == 0 && !unfinished(view));
    }

    /** Returns the zones that the plan does not contain but that have an unfinished fire (claimed, not completed). */
    public static Set<String> unfinishedZones(ShardingPlan plan, Collection<ItemView> items) {
        return plan.scope() != Scope.ONE_PER_ZONE
                ? Set.of()
                : leftBehind(plan, items).stream()
                        .filter(view -> !ScopedItems.instanceKey(view.item()) && unfinished(view))
                        .map(ItemView::item)
                        .collect(Collectors.toSet());
    }

    /** Returns the items that have not ended their part of a fire yet. */
    public static Set<String> remaining(FireView fire) {
        return fire.progress() == null ? Set.of() : fire.progress().value().left();
    }

    /**
     * Returns the time that has passed since the last change of a scheduled fire's progress. Empty if no items remain,
     * or if this time is shorter than {@link #QUIET}.
     */
    public static Optional<Duration> quiet(FireView fire, Instant now) {
        if (fire.progress() == null
                || !FireProgress.scheduled(fire.fire())
                || remaining(fire).isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(Duration.between(fire.progress().modified(), now))
                .filter(quiet -> quiet.compareTo(QUIET) >= 0);
    }

    /** Returns whether an item has a fire that was claimed but not completed. */
    public static boolean unfinished(ItemView view) {
        return view.record() != null && view.record().value().unfinished();
    }

    private List<Step> steps() {
        List<Step> steps = new ArrayList<>();
        handovers().ifPresent(steps::add);
        Set<String> settled = new TreeSet<>();
        seen.nodes.items.values().stream()
                .filter(view -> seen.absent(view.item()) && ScopedItems.instanceKey(view.item()) && view.interrupted())
                .forEach(view -> interrupt(view, settled).ifPresent(steps::add));
        boolean announce = false;
        // latest fire first: each record is written only once, and a record that skips a fire skips all earlier fires,
        // too
        for (FireView fire : new TreeMap<>(seen.nodes.fires).descendingMap().values()) {
            announce |= uncalled(fire) && seen.wanted.onceListeners;
            if (!settled.contains(fire.fire())) {
                settle(fire).ifPresent(steps::add);
            }
        }
        if (announce) {
            steps.add(new Announce());
        }
        seen.nodes.items.values().stream()
                .filter(view -> seen.removable(view.item()))
                .filter(view -> view.damage() == null || view.damage().replaceable())
                .filter(view -> seen.nodes.fires.values().stream()
                        .noneMatch(fire -> remaining(fire).contains(view.item())))
                .forEach(view -> steps.add(new RemoveItem(view, skipped(view))));
        return steps;
    }

    private Optional<Step> handovers() {
        Map<String, Handover> missing = handovers(seen.plan, seen.nodes.items, seen.instances, most);
        Set<String> stale = seen.nodes.items.values().stream()
                .filter(view -> view.handoverNode() && !view.interrupted())
                .map(ItemView::item)
                .limit(most)
                .collect(Collectors.toCollection(TreeSet::new));
        return missing.isEmpty() && stale.isEmpty() ? Optional.empty() : Optional.of(new Handovers(missing, stale));
    }

    /**
     * Returns the step that ends an interrupted run; empty if no step is possible in this decision. The step writes the
     * item's record and the progress of its fire. No two steps may write the same node, so each decision ends only one
     * item of a fire.
     *
     * @param settled names of fires that a step already writes
     */
    private Optional<Step> interrupt(ItemView view, Set<String> settled) {
        ItemRecord record = seen.record(view.item());
        if (record == null) {
            return Optional.empty();
        }
        String name = FireProgress.nodeOf(record.requireRun().fire(), record.incarnation());
        FireView fire = seen.nodes.fires.get(name);
        FireProgress from =
                fire == null || fire.progress() == null ? null : fire.progress().value();
        FireEnd end = null;
        if (from != null && from.left().contains(view.item())) {
            if (!settled.add(name)) {
                return Optional.empty();
            }
            FireProgress to = from.with(Map.of(view.item(), ItemOutcome.INTERRUPTED));
            end = new FireEnd(name, to, to.done() && triggers.containsKey(name));
        }
        Map<String, ItemRecord> records =
                Map.of(view.item(), record.completed(seen.now, ItemOutcome.INTERRUPTED, GONE));
        return Optional.of(new Settle(Cause.INTERRUPTED, records, end, null));
    }

    private Optional<Step> settle(FireView fire) {
        Trigger trigger = triggers.get(fire.fire());
        if (fire.damage() != null && !fire.damage().replaceable()) {
            return Optional.empty();
        }
        if (trigger != null && seen.plan.total() == 0) {
            return ofRemovedJob(fire, trigger);
        }
        FireProgress progress = fire.progress() == null ? null : fire.progress().value();
        if (progress != null && uncalled(fire) && !seen.wanted.onceListeners) {
            FireProgress to = progress.told(null);
            return settled(Cause.NO_ONCE_LISTENER, fire, to, to.done() && trigger != null);
        }
        if (trigger != null) {
            return triggered(fire, trigger);
        }
        if (FireProgress.scheduled(fire.fire())) {
            return progress == null || progress.once() == null
                    ? damaged(fire)
                    : scheduled(fire, progress, progress.once());
        }
        return seen.nodes.whole && seen.plan.total() > 0 ? untriggered(fire) : Optional.empty();
    }

    private static Optional<Step> settled(Cause cause, FireView fire, FireProgress to, boolean endsTrigger) {
        return Optional.of(new Settle(cause, Map.of(), new FireEnd(fire.fire(), to, endsTrigger), null));
    }

    private Optional<Step> damaged(FireView fire) {
        return fire.damage() == null || !seen.nodes.whole || seen.plan.total() == 0
                ? Optional.empty()
                : Optional.of(new DeleteFire(fire));
    }

    /** Returns true if the fire's once-listeners must still be called, and no registered instance is calling them. */
    private boolean uncalled(FireView fire) {
        Once once = fire.progress() == null ? null : fire.progress().value().once();
        return once != null
                && seen.wanted.planned
                && once.calling()
                && (once.caller() == null || seen.gone.contains(once.caller()))
                && (triggers.containsKey(fire.fire()) || FireProgress.scheduled(fire.fire()));
    }

    /**
     * Ends a triggered fire of a removed job: the remaining items skip the fire. However, if the plan is closed, the
     * job is being created again, and a trigger whose fire has not begun waits for the new items.
     */
    private Optional<Step> ofRemovedJob(FireView fire, Trigger trigger) {
        boolean begun = fire.progress() != null || fire.damage() != null;
        if (!begun && seen.plan.closed()) {
            return Optional.empty();
        }
        FireProgress from = fire.progress() == null
                ? new FireProgress(trigger.name(), Set.of(), Map.of(), null)
                : fire.progress().value();
        FireProgress to = from.with(skipping(from.left()));
        if (!to.done() && from.left().isEmpty()) {
            return Optional.empty(); // an instance is calling the once-listeners
        }
        return Optional.of(new Settle(
                Cause.REMOVED,
                Map.of(),
                new FireEnd(fire.fire(), to, to.done()),
                from.left().isEmpty() ? null : new Skip(from.left(), trigger.fire(), SkipReason.REMOVED)));
    }

    private static Map<String, ItemOutcome> skipping(Set<String> items) {
        return items.stream().collect(Collectors.toMap(item -> item, item -> ItemOutcome.SKIPPED));
    }

    /**
     * Repairs a triggered fire. An item's record and the progress of the fire are always written in one transaction. If
     * a record's trigger cursor has passed the trigger but the progress still lists the item, the progress node was
     * damaged or deleted. This step then records in the progress that the item has ended. The fire also ends for idle
     * items that the plan no longer contains.
     */
    private Optional<Step> triggered(FireView fire, Trigger trigger) {
        FireProgress from = fire.progress() == null ? null : fire.progress().value();
        FireProgress present = from == null ? FireProgress.begun(trigger, seen.plan.keys()) : from;
        boolean repeated = present.done() && !trigger.name().equals(present.trigger());
        if (repeated) {
            // this trigger and another one come from a request that was sent twice; their common fire has ended
            present = new FireProgress(trigger.name(), Set.of(), present.outcomes(), null);
        }
        Map<String, ItemOutcome> ended = new TreeMap<>();
        Set<String> skipped = new TreeSet<>();
        for (String item : present.left()) {
            ItemRecord record = seen.record(item);
            boolean lost =
                    record == null || record.state() == ItemState.RETIRED; // the item's owner writes a new record
            boolean leaves = seen.absent(item) && seen.known(item) && seen.idle(item);
            boolean decided = record != null && !lost && record.triggerCursor() >= trigger.zxid();
            if (leaves || (decided && seen.nodes.whole)) {
                ended.put(item, outcome(record, fire.fire()));
                if (!decided) {
                    skipped.add(item);
                }
            }
        }
        if (ended.isEmpty() && !seen.nodes.whole) {
            return Optional.empty();
        }
        FireProgress to = present.with(ended);
        boolean untouched =
                from == null ? fire.damage() == null && ended.isEmpty() && !to.done() : to.equals(from) && !to.done();
        Cause cause = !skipped.isEmpty() && skipped.equals(ended.keySet()) ? Cause.SKIPPED : Cause.REPAIRED;
        return untouched
                ? Optional.empty()
                : Optional.of(new Settle(
                        cause,
                        Map.of(),
                        new FireEnd(fire.fire(), to, to.done()),
                        skipped.isEmpty() ? null : new Skip(skipped, trigger.fire(), SkipReason.NO_INSTANCE)));
    }

    private static ItemOutcome outcome(@Nullable ItemRecord record, String fire) {
        Run run = record == null ? null : record.run();
        ItemOutcome outcome = record == null ? null : record.outcome();
        return run != null && outcome != null && run.fire().id().equals(fire) ? outcome : ItemOutcome.SKIPPED;
    }

    /** Ends a triggered fire after its trigger was deleted by hand. */
    private Optional<Step> untriggered(FireView fire) {
        if (fire.damage() != null) {
            return Optional.of(new DeleteFire(fire));
        }
        FireProgress from = fire.progress() == null ? null : fire.progress().value();
        if (from == null || from.done() || from.trigger() == null) {
            return Optional.empty();
        }
        if (from.left().isEmpty()) {
            FireProgress ended = new FireProgress(from.trigger(), Set.of(), from.outcomes(), null);
            return settled(Cause.REPAIRED, fire, ended, false); // clients that wait for the end can continue
        }
        Map<String, ItemOutcome> ended = new TreeMap<>();
        for (String item : from.left()) {
            ItemRecord record = seen.record(item);
            boolean runs = record != null
                    && record.unfinished()
                    && record.requireRun().fire().id().equals(fire.fire());
            if (!runs) {
                ended.put(item, outcome(record, fire.fire()));
            }
        }
        return ended.isEmpty() ? Optional.empty() : settled(Cause.REPAIRED, fire, from.with(ended), false);
    }

    /**
     * Ends a scheduled fire for the items that will not run it. If an item's cursor (its latest claimed or skipped
     * fire) is before this fire, the same transaction moves the cursor, so the item cannot claim the fire later. If an
     * item's record will be deleted, the step does not write it.
     */
    private Optional<Step> scheduled(FireView fire, FireProgress progress, Once once) {
        Map<String, ItemOutcome> ended = new TreeMap<>();
        Map<String, ItemRecord> records = new TreeMap<>();
        boolean quiet = fire.progress() != null
                && Duration.between(fire.progress().modified(), seen.now).compareTo(QUIET) >= 0;
        for (String item : progress.left()) {
            ItemRecord record = seen.record(item);
            if (seen.removable(item)) {
                ended.put(item, ItemOutcome.SKIPPED);
            } else if (!quiet || !seen.known(item) || !seen.wanted.planned) {
                continue;
            } else if (record == null) {
                ItemView view = seen.nodes.items.get(item);
                if (seen.absent(item) && (view == null || view.damage() == null)) {
                    ended.put(item, ItemOutcome.SKIPPED);
                }
            } else if (decided(record, once)) {
                ended.put(item, outcome(record, once));
            } else if (seen.wanted.times != null && records.size() < most && !rewritten.contains(item)) {
                FireTimes times = seen.wanted.times.of(record);
                excluded(item, record, times, once).ifPresent(reason -> {
                    rewritten.add(item);
                    ended.put(item, ItemOutcome.SKIPPED);
                    records.put(item, skipping(item, record, times, once.at(), reason));
                });
            }
        }
        return ended.isEmpty()
                ? Optional.empty()
                : Optional.of(new Settle(
                        Cause.SKIPPED, records, new FireEnd(fire.fire(), progress.with(ended), false), null));
    }

    /**
     * Returns whether an item can no longer claim the fire. This is the case if the item has run or skipped the fire,
     * if it is retired, or if its record has another incarnation and so belongs to another set of item records.
     */
    private static boolean decided(ItemRecord record, Once once) {
        boolean runs = record.unfinished() && runs(record, once);
        return record.incarnation() != once.incarnation()
                || record.state() == ItemState.RETIRED
                || (!runs && !record.cursor().isBefore(once.at()));
    }

    private static boolean runs(ItemRecord record, Once once) {
        Run run = record.run();
        return run != null && !run.fire().triggered() && run.fire().at().equals(once.at());
    }

    private static ItemOutcome outcome(ItemRecord record, Once once) {
        ItemOutcome outcome = record.outcome();
        return runs(record, once) && outcome != null ? outcome : ItemOutcome.SKIPPED;
    }

    private Optional<SkipReason> excluded(String item, ItemRecord record, FireTimes times, Once once) {
        if (record.unfinished()) {
            return Optional.empty();
        }
        if (seen.absent(item)) {
            return Optional.of(SkipReason.NO_INSTANCE);
        }
        if (record.state() == ItemState.QUARANTINED) {
            return Optional.of(SkipReason.QUARANTINED);
        }
        if (seen.wanted.disabledItems.contains(item)) {
            return Optional.of(SkipReason.DISABLED);
        }
        if (seen.wanted.paused) {
            return Optional.of(SkipReason.PAUSED);
        }
        // a later claim would skip this fire, too, but may be far away
        Instant since = Backlog.later(record.cursor(), seen.plan.since());
        if (!since.isBefore(once.at()) || times.latest(since, once.at(), 1).isEmpty()) {
            return Optional.of(SkipReason.SCHEDULE_CHANGED);
        }
        return once.at().isAfter(seen.plan.startsAfter())
                ? Optional.empty()
                : Optional.of(SkipReason.SKIPPED_BY_OPERATOR);
    }

    private ItemRecord skipping(String item, ItemRecord record, FireTimes times, Instant fire, SkipReason reason) {
        Instant cursor = record.cursor();
        Instant since = Backlog.earlier(Backlog.later(cursor, seen.plan.since()), fire);
        List<Skipped> skipped = Stream.of(
                        times.skipped(cursor, since, SkipReason.SCHEDULE_CHANGED),
                        times.skipped(since, fire, reason),
                        begunEarly(item, record, times, fire))
                .flatMap(Optional::stream)
                .toList();
        return record.rewritten(record.state(), fire, record.triggerCursor(), record.incarnation())
                .skippedFrom(skipped, cursor);
    }

    /**
     * Returns the undecided fires up to an instant that the plan's schedules do not contain. An instance whose clock is
     * ahead of the server's clock began such a fire, and the schedule was replaced before the fire was due.
     */
    private Optional<Skipped> begunEarly(String item, ItemRecord record, FireTimes times, Instant upTo) {
        List<Instant> early = seen.nodes.fires.values().stream()
                .flatMap(fire -> Stream.ofNullable(fire.progress()))
                .filter(progress -> progress.value().trigger() == null
                        && progress.value().left().contains(item))
                .flatMap(progress -> Stream.ofNullable(progress.value().once()))
                .filter(once -> once.incarnation() == record.incarnation())
                .map(Once::at)
                .filter(at -> at.isAfter(record.cursor()) && !at.isAfter(upTo))
                .filter(at -> times.latest(at.minusMillis(1), at, 1).isEmpty())
                .sorted()
                .toList();
        return early.isEmpty()
                ? Optional.empty()
                : Optional.of(new Skipped(
                        early.get(0), early.get(early.size() - 1), early.size(), SkipReason.SCHEDULE_CHANGED));
    }

    private @Nullable Skipped skipped(ItemView view) {
        ItemRecord record = seen.record(view.item());
        FireTimes times = seen.wanted.times;
        return record == null || times == null
                ? null
                : times.of(record)
                        .skipped(record.cursor(), seen.now, SkipReason.NO_INSTANCE)
                        .orElse(null);
    }
}
