package io.ostraka.core.decide;

import io.ostraka.core.model.FireView;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.ItemKeys;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The items of a job while its plan is closed for a change of the item count or scope, and the work that must end
 * before the plan opens again.
 *
 * @param ledger item records and running work, as inputs of {@link Planning}
 * @param items the items as read, by key
 * @param damage description of a damaged record, which the item's owner must restore before the plan can open; null if
 *     there is none
 */
public record ClosedPlan(Planning.Ledger ledger, Map<String, ItemView> items, @Nullable String damage) {
    private static final int MOST_NAMED = 10;

    /**
     * Returns the state of a job's items under a closed plan.
     *
     * @param read all items of the job
     * @param firesContinue true if a triggered fire has begun and some of its items have not ended
     * @param instances registered instances
     * @param placeable true if a registered instance is eligible to own items of the job
     * @param latest latest instant whose fires an instance may have started
     */
    public static ClosedPlan of(
            JobView job,
            List<ItemView> read,
            boolean firesContinue,
            Collection<InstanceInfo> instances,
            boolean placeable,
            Instant latest) {
        Map<String, ItemRecord> records = new HashMap<>();
        Map<String, ItemView> items = new TreeMap<>();
        Set<String> abandoned = new HashSet<>();
        boolean deserted = removing(job) && !placeable;
        boolean running = false;
        String damage = null;
        Map<String, String> owners =
                job.plan() == null ? Map.of() : job.plan().value().owners();
        Set<String> living = instances.stream().map(InstanceInfo::id).collect(Collectors.toSet());
        for (ItemView view : read) {
            ItemView item =
                    living.contains(owners.getOrDefault(view.item(), "")) ? view : retiredIfDamaged(view, latest);
            items.put(item.item(), item);
            if (item.damage() != null && damage == null) {
                damage = item.damage().text();
            }
            running |= item.running() != 0;
            if (deserted && item.interrupted()) {
                abandoned.add(item.item());
            }
            if (item.record() != null) {
                records.put(item.item(), item.record().value());
            }
        }
        // the owner may still run an item whose record was deleted by hand, and writes a new record when the run has
        // ended
        boolean lost = owners.entrySet().stream()
                .anyMatch(entry -> living.contains(entry.getValue()) && !records.containsKey(entry.getKey()));
        boolean busy = running || lost || (firesContinue && !deserted);
        return new ClosedPlan(new Planning.Ledger(records, busy, abandoned), items, damage);
    }

    /**
     * Returns whether the job's plan was closed to remove the job. If the plan is still closed for an earlier change,
     * interrupted runs are not abandoned, because they would continue if the plan opened after that change.
     */
    private static boolean removing(JobView job) {
        ShardingPlan.Change change =
                job.plan() == null ? null : job.plan().value().change();
        return job.overrideOrNone().removed() && change != null && change.target() == 0;
    }

    /**
     * Returns whether one of these triggered fires has begun and some of its items have not ended. A fire with a
     * damaged node counts as begun; the leader's next cleanup repairs the node.
     */
    public static boolean continues(List<FireView> triggered) {
        return triggered.stream()
                .anyMatch(fire ->
                        fire.damage() != null || !Cleanup.remaining(fire).isEmpty());
    }

    /**
     * Returns the item, with a retired record in place of a damaged one. Used for an item without a live owner, because
     * only an owner restores a record. If another version of this library may have written the record, the item is
     * returned unchanged.
     */
    private static ItemView retiredIfDamaged(ItemView item, Instant latest) {
        return item.damage() == null || !item.damage().replaceable()
                ? item
                : item.replacedBy(ItemRecord.lost(latest, null, 0).rewritten(ItemState.RETIRED, latest, 0, 0));
    }

    /** Returns a sentence for operators that describes the change and the items that it waits for. */
    public String text(ShardingPlan plan, ShardingPlan.Change change) {
        List<String> running = Stream.concat(
                        plan.owners().keySet().stream()
                                .filter(item -> !items.containsKey(item))
                                .map(item -> "item " + item + ", whose record was deleted"),
                        items.values().stream()
                                .filter(item -> !item.idle())
                                .sorted(Comparator.comparing(ItemView::item, ItemKeys.ORDER))
                                .map(ClosedPlan::text))
                .toList();
        String waits = running.isEmpty()
                ? (ledger.busy() ? "; waits for a trigger that has begun" : "")
                : running.stream().limit(MOST_NAMED).collect(Collectors.joining(", ", "; waits for ", ""))
                        + (running.size() > MOST_NAMED ? " and " + (running.size() - MOST_NAMED) + " more" : "");
        return plan.changing(change) + waits;
    }

    private static String text(ItemView item) {
        Run run = item.record() == null ? null : item.record().value().run();
        return "item " + item.item() + (run == null ? "" : " on instance " + run.owner() + " since " + run.startedAt());
    }
}
