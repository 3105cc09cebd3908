package io.ostraka.core.decide;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.ShardingPlan.Change;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Restores a plan that was damaged or deleted. A plan that is derived from item records starts closed, as in a change
 * of the item count. Before such a plan opens, running items end and every record is rewritten, so the state is
 * consistent.
 */
public final class PlanRecovery {
    /** Largest number of digits of an item's number. */
    private static final int MOST_DIGITS = 6;

    private PlanRecovery() {}

    /**
     * A plan that replaces a damaged or deleted one.
     *
     * @param from the damaged node that the plan replaces; null if the node was deleted
     * @param to the new plan
     * @param reason description of the damage and its repair, for operators
     */
    public record Restored(@Nullable Versioned<ShardingPlan> from, ShardingPlan to, String reason) {}

    /**
     * Returns whether {@link #of} needs the records of all items. This is the case if the plan is damaged and this
     * leader has never read a valid plan of the job.
     */
    public static boolean needsItems(JobView job, @Nullable Versioned<ShardingPlan> last) {
        UnreadableNode damage = job.damages().plan();
        return damage != null && damage.replaceable() && last == null;
    }

    /**
     * Returns the restored plan. Empty if there is no plan to restore, or if another version of this library may have
     * written the plan that is unreadable.
     *
     * @param job a job with a damaged or missing plan
     * @param last the plan that this leader read last; null if it has never read one
     * @param items all items of the job; may be empty if they are not {@linkplain #needsItems needed}
     * @param now current time on the server's clock
     */
    public static Optional<Restored> of(
            JobView job, @Nullable Versioned<ShardingPlan> last, List<ItemView> items, Instant now) {
        UnreadableNode damage = job.damages().plan();
        if (damage == null && last != null) {
            // the item records were deleted together with the plan; a closed plan creates new records when it opens
            ShardingPlan plan = last.value();
            ShardingPlan to = plan.closedFor(new Change(plan.total(), plan.nextIncarnation(), now, plan.scope()));
            return Optional.of(new Restored(null, to, "its plan was deleted; a new plan is made"));
        }
        if (damage == null || !damage.replaceable()) {
            return Optional.empty();
        }
        if (last != null) {
            return Optional.of(new Restored(
                    damage.replacedBy(last), last.value(), damage.text() + "; the plan read last is restored"));
        }
        ShardingPlan to = ofRecords(job, items, now);
        return Optional.of(new Restored(
                damage.replacedBy(to), to, damage.text() + "; a new plan is made from the records of the items"));
    }

    private static ShardingPlan ofRecords(JobView job, List<ItemView> items, Instant now) {
        Versioned<Definition> definition = Objects.requireNonNull(job.definition(), "definition");
        Map<String, ItemRecord> records = new HashMap<>();
        long latest = definition.czxid();
        for (ItemView item : items) {
            if (item.record() != null) {
                records.put(item.item(), item.record().value());
                latest = Math.max(latest, item.record().mzxid());
            }
        }
        JobConfiguration effective = job.configuration();
        return of(
                        effective,
                        job.overrideOrNone().removed() ? 0 : effective.shardingTotalCount(),
                        definition.mzxid(),
                        job.override() == null ? 0 : job.override().mzxid(),
                        records,
                        latest,
                        now)
                .skippingTo(job.overrideOrNone().skipTo());
    }

    /**
     * Returns a closed plan that is derived from item records.
     *
     * @param configuration effective configuration
     * @param desiredTotal wanted number of items
     * @param configMzxid number of the latest transaction that wrote the definition
     * @param overrideMzxid number of the latest transaction that wrote the override; 0 if there is no override
     * @param records records of all items, by item
     * @param latestZxid number of the latest transaction that wrote a record. Generation tokens are derived from this
     *     number and must not decrease
     * @param now current time on the server's clock
     */
    static ShardingPlan of(
            JobConfiguration configuration,
            int desiredTotal,
            long configMzxid,
            long overrideMzxid,
            Map<String, ItemRecord> records,
            long latestZxid,
            Instant now) {
        List<String> items = records.entrySet().stream()
                .filter(entry -> entry.getValue().state() != ItemState.RETIRED)
                .map(Map.Entry::getKey)
                .toList();
        Scope scope = scope(items, configuration.scope());
        int total = ShardingPlan.numbered(scope)
                ? items.stream()
                        .mapToInt(item -> Integer.parseInt(item) + 1)
                        .max()
                        .orElse(0)
                : 1;
        long incarnation = records.values().stream()
                .mapToLong(ItemRecord::incarnation)
                .max()
                .orElse(0);
        Instant first = records.values().stream()
                .map(ItemRecord::cursor)
                .min(Instant::compareTo)
                .orElse(now);
        Instant latest = records.values().stream()
                .map(ItemRecord::cursor)
                .max(Instant::compareTo)
                .orElse(now);
        return ShardingPlan.of(total, incarnation, scope, configuration.schedule(), first, latestZxid)
                .madeFrom(configMzxid, overrideMzxid, configuration.fenceEpoch())
                // the latest cursor is the time of a fire, so a fixed-rate schedule that counts from this cursor keeps
                // its fire times; a one-time schedule may have fired, so it only fires at its own instant
                .scheduled(
                        configuration.schedule(),
                        first,
                        configuration.schedule().unbounded() instanceof Schedule.Once ? first : latest,
                        List.of())
                .closedFor(new Change(desiredTotal, incarnation + 1, now, configuration.scope()));
    }

    private static boolean numbered(String item) {
        return item.length() <= MOST_DIGITS && item.chars().allMatch(digit -> digit >= '0' && digit <= '9');
    }

    /** Returns the scope under which the records were written. The configured scope may differ from it. */
    private static Scope scope(List<String> items, Scope wanted) {
        if (items.stream().anyMatch(ScopedItems::instanceKey)) {
            return Scope.BROADCAST;
        }
        return wanted == Scope.ONE_PER_ZONE || !items.stream().allMatch(PlanRecovery::numbered)
                ? Scope.ONE_PER_ZONE
                : Scope.SHARDED;
    }
}
