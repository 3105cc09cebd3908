package io.ostraka.core.decide;

import io.ostraka.core.model.Definition;
import io.ostraka.core.model.FireProgress.Once;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.FireView;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Versioned;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All inputs of {@link Cleanup}.
 *
 * @param plan the current plan
 * @param instances registered instances
 * @param gone instances that are recorded as callers of once-listeners but are no longer registered
 * @param now current time on the server's clock
 */
public record CleanupInput(
        ShardingPlan plan, Nodes nodes, Wanted wanted, List<InstanceInfo> instances, Set<String> gone, Instant now) {
    /**
     * Time after which the leader checks a scheduled fire that makes no progress. The leader then reads the items that
     * have not ended their part of the fire.
     */
    static final Duration QUIET = Duration.ofSeconds(1);

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

        /** Returns the triggers by the id of their fire. */
        Map<String, Trigger> triggersByFire() {
            return triggers.stream()
                    .collect(Collectors.toMap(trigger -> trigger.fire().id(), trigger -> trigger, (one, same) -> one));
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

    boolean absent(String item) {
        return !plan.keys().contains(item);
    }

    @Nullable ItemRecord record(String item) {
        ItemView view = nodes.items.get(item);
        return view == null || view.record() == null ? null : view.record().value();
    }

    /** Returns whether the item's node was read, or is known not to exist. */
    boolean known(String item) {
        return nodes.whole || nodes.items.containsKey(item);
    }

    boolean idle(String item) {
        ItemView view = nodes.items.get(item);
        return view == null || view.idle();
    }

    /**
     * Returns whether the item's nodes can be deleted. This is the case for an idle item of an instance that has
     * left: an instance id is never used again, so the item cannot come back. While the plan is closed, the result
     * is false, because the change of the item count or scope still needs the item's record.
     */
    boolean removable(String item) {
        return !plan.closed()
                && ScopedItems.instanceKey(item)
                && absent(item)
                && nodes.items.containsKey(item)
                && idle(item)
                && instances.stream().noneMatch(instance -> instance.id().equals(item));
    }
}
