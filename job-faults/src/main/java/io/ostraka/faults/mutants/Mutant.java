package io.ostraka.faults.mutants;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.ostraka.api.ItemOutcome;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.decide.ScopedItems;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeStore;
import io.ostraka.faults.simulation.CoordinationHooks;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * A defect of the protocol, and within how many of the simulation's first seeds its checker must find it. The numbers are
 * at least three times what was needed when they were written, for the seeds' scenarios change with the engine.
 */
public enum Mutant {
    /** A completion writes the record whatever its version. */
    COMPLETION_WITHOUT_VERSION(
            150,
            stores(operations ->
                    MutantStore.completes(operations) ? each(operations, MutantStore::unversioned) : operations)),

    /** A claim writes the record whatever its version. */
    CLAIM_WITHOUT_VERSION(
            600,
            stores(operations ->
                    MutantStore.claims(operations) ? each(operations, MutantStore::unversioned) : operations)),

    /** A claim creates no running node. */
    CLAIM_WITHOUT_RUNNING(
            20,
            stores(operations -> each(
                    operations,
                    operation -> operation.path().endsWith("/running") ? MutantStore.nothing() : operation))),

    /** A claim doesn't look whether its plan is in force. */
    CLAIM_WITHOUT_PLAN(
            60,
            stores(operations -> MutantStore.claims(operations)
                    ? each(
                            operations,
                            operation -> operation instanceof NodeOp.Check
                                            && operation.path().endsWith("/sharding")
                                    ? MutantStore.nothing()
                                    : operation)
                    : operations)),

    /** A claim whose outcome is unknown is run. */
    UNKNOWN_AS_SUCCESS(60, store -> new GuessingStore(store, MutantStore::claims)),

    /** What has an unknown outcome is sent again. */
    UNKNOWN_AS_FAILURE(150, ResendingStore::new),

    /**
     * What a leader writes is guarded neither by the epoch nor by its candidate's node. The engine checks the very node by
     * which it came to lead, not whichever it has now: a leader that lost its place lost that node too, and who leads next
     * takes another epoch. Each guard largely stands for the other, so both are taken out.
     *
     * <p>Nor is there a mutant that leaves out the epoch and checks the candidate's present node instead. An engine takes
     * the epoch each time it comes to lead: what it sent as an earlier candidate names that one's node, which is gone, and
     * what it sent before as the same one is older than the plan's version. To have it name the present node would be
     * another defect, of an engine that mixes two candidacies. What the latch would let through without the epoch is shown
     * by {@code bin/faults model --without epoch}.
     */
    LEADER_WITHOUT_EPOCH(
            150,
            stores(operations -> each(
                    operations,
                    operation -> operation instanceof NodeOp.Check
                                    && operation.path().startsWith("/leader/")
                                    && operations.stream().noneMatch(MutantStore::takesEpoch)
                            ? MutantStore.nothing()
                            : operation))),

    /** A survivor takes over what a departed instance ran last, without looking whether it was completed. */
    FAILOVER_WITHOUT_READING(20, coordination(Mutant::asIfInterrupted)),

    /** A change of the item count doesn't wait for what runs. */
    TOTAL_WITHOUT_DRAINING(60, coordination((view, all) -> all ? asIfEnded(view) : view)),

    /** Tokens fall now and then. */
    TOKEN_NOT_MONOTONE(20, FallingTokens::new),

    /** A completion whose outcome is unknown is forgotten. */
    COMPLETION_DROPPED(300, store -> new GuessingStore(store, MutantStore::completes)),

    /** A completion takes all that came due while it ran for decided. */
    COMPLETION_DECIDES_MORE(
            20,
            stores(operations ->
                    MutantStore.completes(operations) ? each(operations, Mutant::decidedUpToItsEnd) : operations)),

    /** A record that is not needed is deleted, and created again when it is. */
    RECORD_RECREATED(
            20,
            stores(operations -> each(
                    operations,
                    operation -> operation instanceof NodeOp.Set set
                                    && MutantStore.isRecord(set)
                                    && new String(set.data(), StandardCharsets.UTF_8).contains("\"RETIRED\"")
                            ? new NodeOp.Delete(set.path(), set.version())
                            : operation))),

    /** A plan forgets the schedules of before. */
    SCHEDULE_FORGOTTEN(
            20,
            stores(operations -> each(
                    operations,
                    operation ->
                            operation instanceof NodeOp.Set set && set.path().endsWith("/sharding")
                                    ? withoutFormer(set)
                                    : operation))),

    /** A checkpoint is saved whoever has the item by now. */
    CHECKPOINT_WITHOUT_OWNER(
            400,
            stores(operations ->
                    operations.stream().anyMatch(operation -> operation.path().endsWith("/checkpoint"))
                            ? each(
                                    operations,
                                    operation -> operation instanceof NodeOp.Check ? MutantStore.nothing() : operation)
                            : operations)),

    /** What takes an interrupted fire over begins without its checkpoint. */
    TAKEOVER_WITHOUT_CHECKPOINT(450, ForgetfulStore::new),

    /** Whoever tells once-listeners, or comes to, writes that whatever others have written meanwhile. */
    TELLER_WITHOUT_VERSION(
            100,
            stores(operations -> MutantStore.tells(operations)
                    ? each(
                            operations,
                            operation -> operation instanceof NodeOp.Set set && MutantStore.isFire(set)
                                    ? new NodeOp.Set(set.path(), set.data(), NodeOp.ANY_VERSION)
                                    : operation)
                    : operations)),

    /** Items don't wait for once-listeners that are told elsewhere that their fire begins. */
    BEGUN_BEFORE_TOLD(100, HastyStore::new),

    /** The leader's cleanup writes records and the progress of fires without checking their versions. */
    CLEANUP_WITHOUT_VERSION(
            650,
            stores(operations ->
                    MutantStore.cleansUp(operations) ? each(operations, Mutant::withoutVersion) : operations)),

    /** The leader's cleanup takes an item that left the plan for interrupted while its instance still runs it. */
    CLEANUP_OF_RUNNING(20, coordination((view, all) -> all ? view : asIfAbandoned(view))),

    /** A node that comes into version -1 is left there, where every comparison passes. */
    LEFT_AT_WRAP(20, new CoordinationHooks() {
        @Override
        public int firstVersion() {
            return SHORTLY_BEFORE_WRAP;
        }

        @Override
        public NodeStore store(NodeStore real) {
            return new RewritingStore(real, Mutant::writtenOnce);
        }
    });

    private final int seeds;
    private final CoordinationHooks seam;

    Mutant(int seeds, Function<NodeStore, NodeStore> store) {
        this(seeds, new CoordinationHooks() {
            @Override
            public NodeStore store(NodeStore real) {
                return store.apply(real);
            }
        });
    }

    Mutant(int seeds, CoordinationHooks seam) {
        this.seeds = seeds;
        this.seam = seam;
    }

    /** Returns within how many seeds it must be found. */
    public int seeds() {
        return seeds;
    }

    /** Returns what puts it into a simulation. */
    public CoordinationHooks seam() {
        return seam;
    }

    private static Function<NodeStore, NodeStore> stores(UnaryOperator<List<NodeOp>> rewriting) {
        return store -> new RewritingStore(store, rewriting);
    }

    private static CoordinationHooks coordination(MutantCoordination.Sight sight) {
        return new CoordinationHooks() {
            @Override
            public Coordination coordination(Coordination real) {
                return new MutantCoordination(real, sight);
            }
        };
    }

    private static List<NodeOp> each(List<NodeOp> operations, UnaryOperator<NodeOp> change) {
        return operations.stream().map(change).toList();
    }

    private static List<NodeOp> writtenOnce(List<NodeOp> operations) {
        List<NodeOp> once = new ArrayList<>(operations);
        for (int i = 1; i < once.size(); i++) {
            if (operations.get(i - 1) instanceof NodeOp.Set before
                    && before.version() == Versioned.LAST_VERSION
                    && operations.get(i).path().equals(before.path())) {
                once.set(i, MutantStore.nothing());
            }
        }
        return once;
    }

    private static NodeOp decidedUpToItsEnd(NodeOp operation) {
        if (!(operation instanceof NodeOp.Set set) || !MutantStore.isRecord(set)) {
            return operation;
        }
        JsonObject record = JsonParser.parseString(new String(set.data(), StandardCharsets.UTF_8))
                .getAsJsonObject();
        if (record.has("endedAt")) {
            record.add("cursor", record.get("endedAt"));
        }
        return new NodeOp.Set(set.path(), record.toString().getBytes(StandardCharsets.UTF_8), set.version());
    }

    private static NodeOp withoutFormer(NodeOp.Set plan) {
        String forgotten = new String(plan.data(), StandardCharsets.UTF_8)
                .replaceAll("\"former\":\\[\\{.*?\\}\\]", "\"former\":[]");
        return new NodeOp.Set(plan.path(), forgotten.getBytes(StandardCharsets.UTF_8), plan.version());
    }

    private static ItemView asIfInterrupted(ItemView view, boolean all) {
        Versioned<ItemRecord> record = view.record();
        if (all || record == null || view.ownerLives() || record.value().state() != ItemState.IDLE) {
            return view;
        }
        ItemRecord last = record.value();
        return last.run() == null
                ? view
                : MutantCoordination.with(view, last.claimed(last.requireRun(), last.cursor(), last.unrun()));
    }

    private static NodeOp withoutVersion(NodeOp operation) {
        return operation instanceof NodeOp.Set set && (MutantStore.isRecord(set) || MutantStore.isFire(set))
                ? new NodeOp.Set(set.path(), set.data(), NodeOp.ANY_VERSION)
                : operation;
    }

    private static ItemView asIfAbandoned(ItemView view) {
        return ScopedItems.instanceKey(view.item()) && view.running() != 0
                ? new ItemView(
                        view.item(), view.record(), 0, false, view.handover(), view.handoverNode(), view.damage())
                : view;
    }

    private static ItemView asIfEnded(ItemView view) {
        Versioned<ItemRecord> record = view.record();
        if (record == null || !record.value().unfinished()) {
            return view;
        }
        ItemRecord present = record.value();
        return MutantCoordination.with(
                view, present.completed(present.requireRun().startedAt(), ItemOutcome.SUCCEEDED, null));
    }

    /** Says a smaller number of every other transaction that claims. */
    private static final class FallingTokens extends MutantStore {
        private static final long LAST_BITS = 0xFF;

        FallingTokens(NodeStore real) {
            super(real);
        }

        @Override
        public CompletionStage<Outcome> commit(List<NodeOp> operations) {
            return super.commit(operations)
                    .thenApply(outcome -> outcome instanceof Outcome.Committed committed && claims(operations)
                            ? new Outcome.Committed(committed.zxid() ^ LAST_BITS, committed.at())
                            : outcome);
        }
    }
}
