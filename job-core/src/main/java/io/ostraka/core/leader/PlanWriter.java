package io.ostraka.core.leader;

import io.ostraka.core.coordination.ItemTransaction.FireWrite;
import io.ostraka.core.coordination.Items;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.coordination.PlanTransaction;
import io.ostraka.core.coordination.PlanTransaction.HandoverWrite;
import io.ostraka.core.coordination.PlanTransaction.PlanWrite;
import io.ostraka.core.coordination.PlanTransaction.RecordWrite;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.decide.Cleanup;
import io.ostraka.core.decide.CleanupStep;
import io.ostraka.core.decide.PlanDecision;
import io.ostraka.core.decide.Planning;
import io.ostraka.core.decide.ScopedItems;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.Handover;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Skipped;
import io.ostraka.core.model.Versioned;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Commits all writes of the leader for one job: the plan, item records, failover nodes and the progress of fires.
 * Confined to the leader's executor.
 */
final class PlanWriter {
    private final String job;
    private final Term term;
    /**
     * Maximum number of records in one transaction. After a transaction that was too large, this number is halved;
     * after a success, it is doubled.
     */
    private int batch = Planning.BATCH;

    PlanWriter(String job, Term term) {
        this.job = job;
        this.term = term;
    }

    /**
     * Writes a decision that was made without reading items. First reads the items that get an owner in the new plan
     * but have no registered owner now. The stage completes with the result of the last transaction, on the leader's
     * executor.
     */
    CompletionStage<TransactionResult> writeUnread(JobView seen, PlanDecision.Write write) {
        Versioned<ShardingPlan> plan = seen.plan();
        List<String> ownerless = plan == null ? List.of() : ownerless(plan.value(), write);
        if (ownerless.isEmpty()) {
            return write(plan, write, Map.of());
        }
        return term.coordination
                .items()
                .read(job, ownerless, Items.Watch.NOTHING)
                .thenComposeAsync(left -> write(plan, withNewRecords(seen, write, left), byItem(left)), term);
    }

    /**
     * Returns the items that get an owner in the new plan but have no registered owner now. Their present records show
     * which new records and failover nodes must be written with the plan.
     */
    private List<String> ownerless(ShardingPlan plan, PlanDecision.Write write) {
        Set<String> living = term.living();
        Map<String, String> owners = plan.owners();
        return write.plan() == null
                ? List.of()
                : write.plan().owners().keySet().stream()
                        .filter(item -> !living.contains(owners.getOrDefault(item, "")))
                        .toList();
    }

    /** Returns the decision with records for the items that only the new plan contains. */
    private PlanDecision.Write withNewRecords(JobView seen, PlanDecision.Write write, List<ItemView> read) {
        ShardingPlan next = write.plan();
        Versioned<ShardingPlan> plan = seen.plan();
        Versioned<Definition> definition = seen.definition();
        if (next == null || plan == null || definition == null) {
            return write;
        }
        Map<String, ItemRecord> known = new HashMap<>();
        Set<String> damaged = new HashSet<>();
        for (ItemView item : read) {
            if (item.record() != null) {
                known.put(item.item(), item.record().value());
            } else if (item.damage() != null) {
                damaged.add(item.item());
            }
        }
        return new PlanDecision.Write(
                next,
                ScopedItems.newRecords(
                        plan.value(), next, known, damaged, definition.czxid(), term.times(seen, next), serverTime()));
    }

    /**
     * Writes a decision that was made after reading items. The stage completes with the result of the last transaction,
     * on the leader's executor.
     *
     * @param from plan that the decision replaces; null if there is none
     * @param items the items that were read, by key
     */
    CompletionStage<TransactionResult> write(
            @Nullable Versioned<ShardingPlan> from, PlanDecision.Write write, Map<String, ItemView> items) {
        List<RecordWrite> records = new ArrayList<>();
        write.records().forEach((item, to) -> {
            ItemView known = items.get(item);
            records.add(new RecordWrite(item, known == null ? null : known.record(), to));
        });
        ShardingPlan next = write.plan();
        if (next != null && records.size() > Planning.BATCH) {
            throw new IllegalStateException("a plan is written with at most " + Planning.BATCH
                    + " records, since the batch after it would find it changed, and not with " + records.size());
        }
        Map<String, HandoverWrite> handovers =
                next == null ? Map.of() : writes(Cleanup.handovers(next, items, term.instances, Planning.BATCH), items);
        return write(from, next, records, handovers);
    }

    /**
     * Writes the records in batches, or together with the plan in one transaction. Each transaction checks the versions
     * that were read, so it fails after a concurrent change.
     */
    private CompletionStage<TransactionResult> write(
            @Nullable Versioned<ShardingPlan> from,
            @Nullable ShardingPlan next,
            List<RecordWrite> records,
            Map<String, HandoverWrite> handovers) {
        int count = next == null ? Math.min(records.size(), batch) : records.size();
        return commit(from, next, records.subList(0, count), handovers, null)
                .thenComposeAsync(
                        result -> {
                            boolean tooLarge =
                                    result instanceof TransactionResult.Refused refused && refused.tooLarge();
                            if (tooLarge && !handovers.isEmpty()) {
                                // failover nodes are only hints, and the next audit writes them
                                return write(from, next, records, Map.of());
                            } else if (tooLarge && count > 1 && next == null) {
                                return write(from, null, records, handovers);
                            } else if (result instanceof TransactionResult.Done && count < records.size()) {
                                return write(from, next, records.subList(count, records.size()), Map.of());
                            }
                            // after a plan that was too large, the leader decides again, and uses a smaller batch
                            return CompletableFuture.completedStage(
                                    tooLarge && count > 1 ? new TransactionResult.Unknown() : result);
                        },
                        term);
    }

    /**
     * Commits one transaction of the leader and publishes its events. Ends the term of leadership if the result shows
     * that this instance no longer leads.
     *
     * @param next plan to write; null to only check that {@code from} is unchanged
     */
    CompletionStage<TransactionResult> commit(
            @Nullable Versioned<ShardingPlan> from,
            @Nullable ShardingPlan next,
            List<RecordWrite> records,
            Map<String, HandoverWrite> handovers,
            @Nullable FireWrite fire) {
        PlanTransaction transaction =
                new PlanTransaction(job, term.leadership, new PlanWrite(from, next), records, handovers, fire);
        term.events.recorded(job, records);
        return term.coordination
                .items()
                .commit(transaction)
                .thenApplyAsync(result -> applied(transaction, result), term.executor);
    }

    private TransactionResult applied(PlanTransaction transaction, TransactionResult result) {
        int size =
                Math.max(transaction.records().size(), transaction.handovers().size());
        ShardingPlan next = transaction.plan().to();
        Versioned<ShardingPlan> from = transaction.plan().from();
        if (result instanceof TransactionResult.Done) {
            batch = Math.min(Planning.BATCH, batch * 2);
            term.events.lost(job, transaction.records());
            term.events.skipped(job, transaction.records());
            if (next != null && (from == null || !next.equals(from.value()))) {
                term.events.planChanged(
                        job,
                        from == null ? 0 : Versioned.next(from.version()),
                        from == null ? null : from.value(),
                        next);
            }
        } else if (result instanceof TransactionResult.Refused refused && refused.tooLarge()) {
            batch = size > 1 ? size / 2 : batch;
        }
        return term.checked(result);
    }

    /** Deletes the node of an ended fire if the node still has the given version. */
    CompletionStage<TransactionResult> deleteFire(String fire, int version) {
        return term.coordination
                .fires()
                .delete(job, fire, version)
                .thenApplyAsync(
                        outcome -> outcome instanceof Outcome.Committed committed
                                ? new TransactionResult.Done(committed)
                                : new TransactionResult.Unknown(),
                        term.executor);
    }

    /** Deletes all nodes of an item that the plan does not contain. */
    CompletionStage<TransactionResult> remove(Versioned<ShardingPlan> plan, CleanupStep.RemoveItem step) {
        if (step.item().record() != null) {
            term.events.recorded(job, step.item().item(), step.item().record().value());
            term.events.last(job, step.item().item(), step.item().record().value());
        }
        return term.coordination
                .items()
                .remove(job, term.leadership, plan.version(), step.item())
                .thenApplyAsync(
                        result -> {
                            Skipped skipped = step.skipped();
                            Versioned<ItemRecord> record = step.item().record();
                            if (result instanceof TransactionResult.Done && skipped != null && record != null) {
                                ItemRecord from = record.value();
                                ItemRecord to = from.skippedTo(skipped.to(), List.of(skipped));
                                term.events.skipped(
                                        job,
                                        step.item().item(),
                                        new Skipped.Part(skipped, from.cursor(), to.cursor()),
                                        to);
                            }
                            return term.checked(result);
                        },
                        term.executor);
    }

    static Map<String, ItemView> byItem(Collection<ItemView> items) {
        Map<String, ItemView> all = new HashMap<>();
        items.forEach(item -> all.put(item.item(), item));
        return all;
    }

    /** Returns the writes of failover nodes. Existing nodes are replaced, and missing nodes are created. */
    static Map<String, HandoverWrite> writes(Map<String, Handover> handovers, Map<String, ItemView> items) {
        Map<String, HandoverWrite> writes = new TreeMap<>();
        handovers.forEach((item, handover) -> {
            ItemView view = items.get(item);
            writes.put(
                    item,
                    view != null && view.handoverNode()
                            ? new HandoverWrite.Replace(handover)
                            : new HandoverWrite.Create(handover));
        });
        return writes;
    }

    /** Returns the maximum number of records in one transaction. */
    int batch() {
        return batch;
    }

    private Instant serverTime() {
        return term.coordination.membership().serverTime();
    }
}
