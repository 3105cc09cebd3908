package io.ostraka.core.coordination;

import io.ostraka.core.coordination.ItemTransaction.FireWrite;
import io.ostraka.core.model.Handover;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Versioned;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One transaction of the leader on one job. The store rejects it if the writing instance is no longer the leader.
 *
 * @param job name of the job
 * @param leader proof that the writing instance is the leader
 * @param plan change or check of the plan
 * @param records item records to create or rewrite
 * @param handovers writes of failover nodes, by item. A failover node shows operators that an interrupted fire was
 *     assigned to another instance
 * @param fire write of the progress of a fire; null for none
 */
public record PlanTransaction(
        String job,
        Leadership leader,
        PlanWrite plan,
        List<RecordWrite> records,
        Map<String, HandoverWrite> handovers,
        @Nullable FireWrite fire) {
    /** Copies the collections; sorts the writes of failover nodes by item. */
    public PlanTransaction {
        records = List.copyOf(records);
        handovers = Collections.unmodifiableMap(new TreeMap<>(handovers));
    }

    /**
     * Proof that an instance is the leader. Every transaction of the leader checks that the candidate node still exists
     * and that the epoch node still has this version. Each new leader increases the version of the epoch node.
     *
     * @param candidate path of the leader's node in the leader election
     * @param epoch version of the epoch node in this leader's term
     * @param zxid number of the transaction that started this leader's term
     * @param former id of the previous leader's instance; null if there was none, or if the epoch node is
     *     damaged
     */
    public record Leadership(String candidate, int epoch, long zxid, @Nullable String former) {}

    /**
     * Creates, rewrites or checks the plan.
     *
     * @param from the plan as the leader read it; null to create one
     * @param to the plan to write; null to only check that {@code from} has not changed
     */
    public record PlanWrite(@Nullable Versioned<ShardingPlan> from, @Nullable ShardingPlan to) {}

    /**
     * Writes an item record.
     *
     * @param from the record as the leader read it; null to create one
     */
    public record RecordWrite(String item, @Nullable Versioned<ItemRecord> from, ItemRecord to) {}

    /** Write of an item's failover node. */
    public sealed interface HandoverWrite {
        /** Creates the node, which must not exist. */
        record Create(Handover handover) implements HandoverWrite {}

        /** Rewrites the node, which must exist. */
        record Replace(Handover handover) implements HandoverWrite {}

        /** Deletes the node, which must exist. */
        record Delete() implements HandoverWrite {}
    }
}
