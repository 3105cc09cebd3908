package io.ostraka.core.coordination;

import io.ostraka.core.coordination.ItemTransaction.FireWrite;
import io.ostraka.core.model.Handover;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Versioned;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the leader does to a job at once. It is refused as a whole once the leader has lost its place.
 *
 * @param job the job
 * @param leader the place of whoever writes
 * @param from the plan as known; null to create it
 * @param to what the plan becomes; null to check it only
 * @param records records to be created or rewritten
 * @param handovers failover nodes to be written, by item
 * @param staleHandovers failover nodes to be deleted, by item; they must exist
 * @param fire the progress of a fire that the leader ends; null for none
 */
public record PlanTransaction(
        String job,
        Leadership leader,
        @Nullable Versioned<ShardingPlan> from,
        @Nullable ShardingPlan to,
        List<RecordWrite> records,
        Map<String, HandoverWrite> handovers,
        Set<String> staleHandovers,
        @Nullable FireWrite fire) {
    /** Copies, in order. */
    public PlanTransaction {
        records = List.copyOf(records);
        handovers = Collections.unmodifiableMap(new TreeMap<>(handovers));
        staleHandovers = Collections.unmodifiableSet(new TreeSet<>(staleHandovers));
    }

    /**
     * A leader's place.
     *
     * @param candidate path of its latch node
     * @param epoch version of the epoch node since it took it
     * @param zxid transaction that took it
     * @param former id of the instance that took it before; null if there was none, or an older version's
     */
    public record Leadership(String candidate, int epoch, long zxid, @Nullable String former) {}

    /**
     * Writes a record.
     *
     * @param from as known; null to create it
     */
    public record RecordWrite(String item, @Nullable Versioned<ItemRecord> from, ItemRecord to) {}

    /**
     * Writes a failover node.
     *
     * @param exists whether it is there already
     */
    public record HandoverWrite(Handover handover, boolean exists) {}
}
