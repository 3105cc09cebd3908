package io.ostraka.core.decide;

import io.ostraka.api.Scope;
import io.ostraka.api.SkipReason;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.FireView;
import io.ostraka.core.model.Handover;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.ItemView;
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

    private final CleanupInput seen;
    private final int most;
    private final FireCleanup fires;

    private Cleanup(CleanupInput seen, int most) {
        this.seen = seen;
        this.most = most;
        this.fires = new FireCleanup(seen, most);
    }

    /**
     * Returns the steps to take now; empty if there is nothing to clean up. The steps may be executed in any order.
     *
     * @param most largest number of item records or failover nodes in one step
     */
    public static List<CleanupStep> of(CleanupInput seen, int most) {
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
    public static List<FireStop> endedStops(
            List<FireStop> stops, ShardingPlan plan, CleanupInput.Nodes nodes, Instant now) {
        if (stops.isEmpty() || !nodes.whole()) {
            return List.of();
        }
        Map<String, Trigger> triggers = nodes.triggersByFire();
        Set<String> keys = new TreeSet<>(plan.keys());
        Set<String> items = new TreeSet<>(nodes.items().keySet());
        items.addAll(keys);
        return stops.stream()
                .filter(stop -> items.stream().filter(stop::concerns).allMatch(item -> {
                    ItemView view = nodes.items().get(item);
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

    /** Returns the zones that the plan does not contain but that have an unfinished fire (claimed, not completed). */
    public static Set<String> unfinishedZones(ShardingPlan plan, Collection<ItemView> items) {
        return plan.scope() != Scope.ONE_PER_ZONE
                ? Set.of()
                : leftBehind(plan, items).stream()
                        .filter(view -> !ScopedItems.instanceKey(view.item()) && view.unfinished())
                        .map(ItemView::item)
                        .collect(Collectors.toSet());
    }

    /** Returns the items that have not ended their part of a fire yet. */
    public static Set<String> remaining(FireView fire) {
        return fire.progress() == null ? Set.of() : fire.progress().value().left();
    }

    /**
     * Returns the time that has passed since the last change of a scheduled fire's progress. Empty if no items remain,
     * or if this time is shorter than {@link CleanupInput#QUIET}.
     */
    public static Optional<Duration> quiet(FireView fire, Instant now) {
        if (fire.progress() == null
                || !FireProgress.scheduled(fire.fire())
                || remaining(fire).isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(Duration.between(fire.progress().modified(), now))
                .filter(quiet -> quiet.compareTo(CleanupInput.QUIET) >= 0);
    }

    private List<CleanupStep> steps() {
        List<CleanupStep> steps = new ArrayList<>();
        handovers().ifPresent(steps::add);
        Set<String> settled = new TreeSet<>();
        seen.nodes().items().values().stream()
                .filter(view -> seen.absent(view.item()) && ScopedItems.instanceKey(view.item()) && view.interrupted())
                .forEach(view -> fires.interrupt(view, settled).ifPresent(steps::add));
        boolean announce = false;
        // latest fire first: each record is written only once, and a record that skips a fire skips all earlier fires,
        // too
        for (FireView fire : new TreeMap<>(seen.nodes().fires()).descendingMap().values()) {
            announce |= fires.uncalled(fire) && seen.wanted().onceListeners();
            if (!settled.contains(fire.fire())) {
                fires.settle(fire).ifPresent(steps::add);
            }
        }
        if (announce) {
            steps.add(new CleanupStep.Announce());
        }
        seen.nodes().items().values().stream()
                .filter(view -> seen.removable(view.item()))
                .filter(view -> view.damage() == null || view.damage().replaceable())
                .filter(view -> seen.nodes().fires().values().stream()
                        .noneMatch(fire -> remaining(fire).contains(view.item())))
                .forEach(view -> steps.add(new CleanupStep.RemoveItem(view, skipped(view))));
        return steps;
    }

    private Optional<CleanupStep> handovers() {
        Map<String, Handover> missing = handovers(seen.plan(), seen.nodes().items(), seen.instances(), most);
        Set<String> stale = seen.nodes().items().values().stream()
                .filter(view -> view.handoverNode() && !view.interrupted())
                .map(ItemView::item)
                .limit(most)
                .collect(Collectors.toCollection(TreeSet::new));
        return missing.isEmpty() && stale.isEmpty()
                ? Optional.empty()
                : Optional.of(new CleanupStep.Handovers(missing, stale));
    }

    private @Nullable Skipped skipped(ItemView view) {
        ItemRecord record = seen.record(view.item());
        FireTimes times = seen.wanted().times();
        return record == null || times == null
                ? null
                : times.of(record)
                        .skipped(record.cursor(), seen.now(), SkipReason.NO_INSTANCE)
                        .orElse(null);
    }
}
