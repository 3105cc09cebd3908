package io.ostraka.core.decide;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Scope;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.PlacementReasons;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.ShardingPlan.Change;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A plan made from the records of its items alone, when nobody knows what was in its node. It begins closed, as a change
 * of the item count: what runs ends, every record moves on by version, and no doubt is left when it opens.
 */
public final class PlanRecovery {
    /** Of the number of an item. */
    private static final int MOST_DIGITS = 6;

    private PlanRecovery() {}

    /**
     * Returns the plan.
     *
     * @param configuration effective
     * @param desiredTotal how many items there are to be
     * @param configMzxid transaction that wrote the definition last
     * @param overrideMzxid transaction that wrote the override last; 0 without one
     * @param records of all items, by item
     * @param latestZxid of the transactions that wrote them; the base of generation tokens must not go back
     * @param now the server's clock
     */
    public static ShardingPlan of(
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
        return new ShardingPlan(
                total,
                incarnation,
                configMzxid,
                overrideMzxid,
                configuration.fenceEpoch(),
                configuration.schedule(),
                first,
                latest, // a cursor is a fire of the schedule, so that a fixed rate keeps its rhythm
                List.of(),
                latestZxid,
                new Change(desiredTotal, incarnation + 1, now, configuration.scope()),
                null,
                Map.of(),
                PlacementReasons.NONE,
                scope);
    }

    private static boolean numbered(String item) {
        return item.length() <= MOST_DIGITS && item.chars().allMatch(digit -> digit >= '0' && digit <= '9');
    }

    /** What was in force when the records were written, which needn't be what is wanted now. */
    private static Scope scope(List<String> items, Scope wanted) {
        if (items.stream().anyMatch(ScopedItems::instanceKey)) {
            return Scope.BROADCAST;
        }
        return wanted == Scope.ONE_PER_ZONE || !items.stream().allMatch(PlanRecovery::numbered)
                ? Scope.ONE_PER_ZONE
                : Scope.SHARDED;
    }
}
