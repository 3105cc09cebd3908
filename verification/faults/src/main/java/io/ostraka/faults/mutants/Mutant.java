package io.ostraka.faults.mutants;

import com.google.gson.JsonArray;
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
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A deliberate defect of the protocol. The simulation must find each defect within a number of seeds, counted from its
 * first seed. A change of the engine changes the course of the simulation for every seed, so each number was chosen at
 * least three times as large as needed.
 */
public enum Mutant {
    /** An instance reads every stored definition as one of the lowest revision. */
    REVISION_OVERLOOKED(
            60,
            store -> new OtherNodeStore(
                    store, path -> path.endsWith("/config"), definition -> definition.addProperty("revision", 0))),

    /** A completion ignores the record's version. */
    COMPLETION_WITHOUT_VERSION(
            150,
            stores(operations ->
                    MutantStore.completes(operations) ? each(operations, MutantStore::unversioned) : operations)),

    /** A claim ignores the record's version. */
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

    /** A claim does not check that its plan is in force. */
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

    /** An instance runs the code although the result of its claim is unknown. */
    UNKNOWN_AS_SUCCESS(60, store -> new GuessingStore(store, MutantStore::claims)),

    /** An instance sends a transaction again if its result is unknown. */
    UNKNOWN_AS_FAILURE(150, ResendingStore::new),

    /**
     * A leader's write checks neither the epoch nor the leader's candidate node. Both checks are removed, because each
     * of them covers most cases of the other: a leader that has lost the election has also lost its node, and its
     * successor takes a new epoch.
     *
     * <p>No mutant removes only the check of the epoch, because other checks refuse nearly the same writes. The check
     * of the candidate node refuses the writes of an earlier candidacy, whose node is deleted. The check of the plan's
     * version refuses older writes of the same candidacy. Only an engine that mixes two candidacies could then write
     * wrongly; {@code bin/faults model --without epoch} shows such writes.
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

    /**
     * Another instance takes over the last fire of an ended instance without checking whether the fire was completed.
     */
    FAILOVER_WITHOUT_READING(20, coordination(Mutant::asIfInterrupted)),

    /** A change of the item count does not wait for running items. */
    TOTAL_WITHOUT_DRAINING(60, coordination((view, all) -> all ? asIfEnded(view) : view)),

    /** Fencing tokens do not always increase. */
    TOKEN_NOT_MONOTONE(20, FallingTokens::new),

    /** An instance gives up a completion whose result is unknown. */
    COMPLETION_DROPPED(300, store -> new GuessingStore(store, MutantStore::completes)),

    /** A completion also decides the fires that came due while the item ran. */
    COMPLETION_DECIDES_MORE(
            20,
            stores(operations ->
                    MutantStore.completes(operations) ? each(operations, Mutant::decidedUpToItsEnd) : operations)),

    /** The leader deletes a record that is not needed at the moment, and creates it again later. */
    RECORD_RECREATED(
            20,
            stores(operations -> each(
                    operations,
                    operation -> operation instanceof NodeOp.Set set
                                    && MutantStore.isRecord(set)
                                    && new String(set.data(), StandardCharsets.UTF_8).contains("\"RETIRED\"")
                            ? new NodeOp.Delete(set.path(), set.version())
                            : operation))),

    /** An instance restores the record that it has last read, although another instance may have written it since. */
    RECORD_RESTORED_FROM_MEMORY(200, coordination(new MutantCoordination.Sight() {
        @Override
        public ItemView seen(ItemView view, boolean all) {
            return view;
        }

        @Override
        public ItemRecord restored(ItemRecord lost, @Nullable ItemRecord read) {
            return lost.lost() && read != null && read.incarnation() == lost.incarnation() ? read : lost;
        }
    })),

    /** A new plan loses the former schedules. */
    SCHEDULE_FORGOTTEN(
            20,
            stores(operations -> each(
                    operations,
                    operation ->
                            operation instanceof NodeOp.Set set && set.path().endsWith("/sharding")
                                    ? withoutFormer(set)
                                    : operation))),

    /** A one-time schedule that takes effect after its instant fires although it may have fired before. */
    ONCE_AGAIN(20, stores(operations -> each(operations, Mutant::firesWhenItTakesEffect))),

    /** A run saves a checkpoint without checking that it still owns the item. */
    CHECKPOINT_WITHOUT_OWNER(
            400,
            stores(operations ->
                    operations.stream().anyMatch(operation -> operation.path().endsWith("/checkpoint"))
                            ? each(
                                    operations,
                                    operation -> operation instanceof NodeOp.Check ? MutantStore.nothing() : operation)
                            : operations)),

    /** A takeover starts without the checkpoint of the interrupted run. */
    TAKEOVER_WITHOUT_CHECKPOINT(450, ForgetfulStore::new),

    /** The caller of once-listeners writes the fire's node without checking the version of the node. */
    TELLER_WITHOUT_VERSION(
            100,
            stores(operations -> MutantStore.tells(operations)
                    ? each(
                            operations,
                            operation -> operation instanceof NodeOp.Set set && MutantStore.isFire(set)
                                    ? new NodeOp.Set(set.path(), set.data(), NodeOp.ANY_VERSION)
                                    : operation)
                    : operations)),

    /** Items start while another instance is still calling beforeFirst for their fire. */
    BEGUN_BEFORE_TOLD(100, HastyStore::new),

    /** The leader's cleanup writes records and the progress of fires without checking their versions. */
    CLEANUP_WITHOUT_VERSION(
            650,
            stores(operations ->
                    MutantStore.cleansUp(operations) ? each(operations, Mutant::withoutVersion) : operations)),

    /** When the leader ends a fire for items that will not run it, their records do not count the skipped fires. */
    CLEANUP_UNRECORDED(
            60,
            stores(operations -> MutantStore.cleansUp(operations)
                    ? each(
                            operations,
                            operation -> operation instanceof NodeOp.Set set && MutantStore.isRecord(set)
                                    ? changed(set, record -> record.add("skipped", new JsonArray()))
                                    : operation)
                    : operations)),

    /**
     * When an item has left the plan, the leader's cleanup treats it as interrupted although its instance still runs
     * it.
     */
    CLEANUP_OF_RUNNING(60, coordination((view, all) -> all ? view : asIfAbandoned(view))),

    /** Instances do not see that an operator has stopped a fire. */
    STOPS_UNSEEN(20, store -> new StopStore(store, name -> null)),

    /** When an operator stops one item of a fire, all items of the fire are stopped. */
    STOP_OF_ALL_ITEMS(60, store -> new StopStore(store, name -> name.replaceFirst("~[^~]*~", "~*~"))),

    /** Instances and leaders do not see the time up to which an operator has skipped fires. */
    SKIP_OVERLOOKED(20, store -> new OtherNodeStore(store, MutantStore::isPlan, plan -> plan.remove("skipTo"))),

    /** A change of the item count removes the time up to which an operator has skipped fires. */
    SKIP_FORGOTTEN_BY_CHANGE(100, store -> new RewritingStore(store, Mutant::withoutSkipAfterChange)),

    /** An operator's command sets back a cursor without checking the version of the record. */
    SET_BACK_WITHOUT_VERSION(
            1_200,
            stores(operations -> each(
                    operations,
                    operation -> operation instanceof NodeOp.Set set
                                    && MutantStore.isRecord(set)
                                    && operations.size() == 1
                                    && new String(set.data(), StandardCharsets.UTF_8).contains("\"setBack\"")
                            ? new NodeOp.Set(set.path(), set.data(), NodeOp.ANY_VERSION)
                            : operation))),

    /**
     * The leader releases a delayed trigger in two transactions: it first creates the trigger, and then deletes the
     * delayed trigger.
     */
    RELEASE_APART(20, store -> new SplittingStore(store, MutantStore::releases, NodeOp.Delete.class::isInstance)),

    /** A cancellation takes two transactions: the first ends the run, and the second deletes the delayed trigger. */
    CANCEL_APART(60, store -> new SplittingStore(store, MutantStore::cancels, NodeOp.Delete.class::isInstance)),

    /** An instance does not know the item count under which a trigger must run. */
    TRIGGER_WITHOUT_TOTAL(60, CountlessStore::new),

    /** An instance overlooks that the namespace is frozen. */
    FREEZE_OVERLOOKED(
            40, store -> new OverlookingStore(store, text -> text.replaceFirst("\"frozen\":\\{[^}]*\\},", ""))),

    /** An instance overlooks that an operator drains it. */
    DRAIN_OVERLOOKED(
            40,
            store -> new OverlookingStore(
                    store,
                    text -> text.replaceFirst("\"drained\":\\{.*\\},\"requests\"", "\"drained\":{},\"requests\""))),

    /** The leader never ends the orders of operators. */
    ORDERS_NEVER_END(
            40,
            stores(operations -> each(
                    operations,
                    operation ->
                            operation instanceof NodeOp.Set && operation.path().equals("/orders")
                                    ? MutantStore.nothing()
                                    : operation))),

    /** A process publishes its health only in its first session. */
    DIGEST_OF_FIRST_SESSION(20, store -> new RewritingStore(store, new FirstDigestOnly())),

    /** The leader marks an alarm as delivered when it writes the alarm. */
    ALARM_MARKED_EARLY(
            40,
            store -> new RewritingStore(
                    store,
                    operations -> each(
                            operations,
                            operation -> alarms(
                                    operation, data -> data.replace("\"told\":[]", "\"told\":[\"recorder\"]"))))),

    /** The leader sends the messages of an alarm without writing the alarm to its node. */
    ALARM_UNWRITTEN(
            40,
            stores(operations -> each(
                    operations,
                    operation -> operation.path().startsWith("/alarms/") ? MutantStore.nothing() : operation))),

    /** The leader does not write the end of an alarm. */
    ALARM_WITHOUT_END(
            40,
            store -> new RewritingStore(
                    store,
                    operations -> each(
                            operations,
                            operation -> alarms(operation, data -> data.replaceAll("\"ended\":\"[^\"]*\",", ""))))),

    /**
     * A leader ends the changes of an override by a clock that is 20 s ahead of the server's clock.
     *
     * <p>No mutant removes the check of the epoch from this write, because the check of the override's version is
     * enough. A version of the override contains the end of each change, and an end that has passed by the server's
     * clock has passed for every leader.
     */
    CHANGE_ENDED_BY_OWN_CLOCK(60, store -> new OtherNodeStore(store, MutantStore::isOverride, Mutant::endedEarlier)),

    /** The leader reverts ended changes without checking the override's version. */
    CHANGE_ENDED_WITHOUT_VERSION(
            400,
            stores(operations -> operations.get(0).path().startsWith("/leader/")
                    ? each(
                            operations,
                            operation -> operation instanceof NodeOp.Set set && MutantStore.isOverride(set.path())
                                    ? new NodeOp.Set(set.path(), set.data(), NodeOp.ANY_VERSION)
                                    : operation)
                    : operations)),

    /** An override does not store the ids of the requests that have changed it. */
    REQUESTS_FORGOTTEN(
            20, store -> new OtherNodeStore(store, MutantStore::isOverride, override -> override.remove("requests"))),

    /**
     * The leader triggers a date of a backfill in two transactions: it first enters the date into the backfill's node,
     * and then creates the trigger.
     */
    BACKFILL_TRIGGER_APART(
            20,
            store -> new SplittingStore(
                    store,
                    operations -> operations.stream().anyMatch(MutantStore::isBackfill),
                    operation -> operation.path().startsWith("/triggers/"))),

    /** The leader writes the node of a backfill without checking the version of the node. */
    BACKFILL_WITHOUT_VERSION(
            100,
            stores(operations -> operations.get(0).path().startsWith("/leader/")
                    ? each(
                            operations,
                            operation -> operation instanceof NodeOp.Set set && MutantStore.isBackfill(set)
                                    ? new NodeOp.Set(set.path(), set.data(), NodeOp.ANY_VERSION)
                                    : operation)
                    : operations)),

    /** The leader does not see that an operator has stopped a backfill. */
    BACKFILL_FORGETS_STOP(40, store -> new OtherNodeStore(store, MutantStore::isBackfill, Mutant::asIfNotStopped)),

    /** A backfill does not store the ids of the requests that have changed it. */
    BACKFILL_FORGETS_REQUESTS(
            100,
            store -> new OtherNodeStore(
                    store, MutantStore::isBackfill, backfill -> backfill.add("requests", new JsonArray()))),

    /** The leader counts each ended fire of a backfill as succeeded. */
    BACKFILL_COUNTS_UNREAD(40, store -> new RewritingStore(store, Mutant::asIfSucceeded)),

    /** The leader compares the backfills with an old list of triggers, from its previous read. */
    BACKFILL_WITH_OLD_TRIGGERS(20, OldTriggersStore::new),

    /** A claim removes the end of the previous run from the record. */
    PREVIOUS_END_DROPPED(
            20,
            stores(operations -> MutantStore.claims(operations)
                    ? each(
                            operations,
                            operation -> operation instanceof NodeOp.Set set && MutantStore.isRecord(set)
                                    ? changed(set, record -> record.remove("previous"))
                                    : operation)
                    : operations)),

    /** An instance that gets an item does not report the end of the item's last run. */
    ENDS_UNREPORTED(20, store -> new OtherNodeStore(store, MutantStore::isRecord, record -> record.remove("outcome"))),

    /**
     * When the version of a node reaches -1, it stays at -1. Since -1 matches any version, every later check of the
     * node's version passes.
     */
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

    /** Returns the number of seeds within which the simulation must find the mutant. */
    public int seeds() {
        return seeds;
    }

    /** Returns the hooks that inject the mutant into a simulation. */
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
        return changed(set, record -> {
            if (record.has("endedAt")) {
                record.add("cursor", record.get("endedAt"));
            }
        });
    }

    private static void endedEarlier(JsonObject override) {
        if (override.has("changes")) {
            override.getAsJsonObject("changes").asMap().values().forEach(change -> {
                JsonObject json = change.getAsJsonObject();
                if (json.has("until")) {
                    Instant end = Instant.parse(json.get("until").getAsString());
                    json.addProperty("until", end.minusSeconds(20).toString());
                }
            });
        }
    }

    private static void asIfNotStopped(JsonObject backfill) {
        if (backfill.get("state").getAsString().equals("STOPPED")) {
            backfill.addProperty("state", "RUNNING");
        }
    }

    private static List<NodeOp> asIfSucceeded(List<NodeOp> operations) {
        return each(operations, operation -> {
            if (!(operation instanceof NodeOp.Set set) || !MutantStore.isBackfill(set)) {
                return operation;
            }
            JsonObject backfill = JsonParser.parseString(new String(set.data(), StandardCharsets.UTF_8))
                    .getAsJsonObject();
            JsonObject progress = backfill.getAsJsonObject("progress");
            int ended = progress.get("succeeded").getAsInt()
                    + progress.get("failed").getAsInt();
            progress.addProperty("succeeded", ended);
            progress.addProperty("failed", 0);
            return new NodeOp.Set(set.path(), backfill.toString().getBytes(StandardCharsets.UTF_8), set.version());
        });
    }

    /**
     * If a leader writes a plan together with records of the next incarnation, removes from the plan the time up to
     * which fires are skipped.
     */
    private static List<NodeOp> withoutSkipAfterChange(List<NodeOp> operations) {
        return operations.stream().noneMatch(MutantStore::isRecord)
                ? operations
                : each(
                        operations,
                        operation -> operation instanceof NodeOp.Set set
                                        && set.path().endsWith("/sharding")
                                ? new NodeOp.Set(
                                        set.path(),
                                        new String(set.data(), StandardCharsets.UTF_8)
                                                .replaceFirst(",\"skipTo\":\"[^\"]*\"", "")
                                                .getBytes(StandardCharsets.UTF_8),
                                        set.version())
                                : operation);
    }

    private static NodeOp withoutFormer(NodeOp.Set plan) {
        return changed(plan, json -> {
            if (json.has("former")) { // not a text replacement, because a former schedule may contain lists
                json.add("former", new JsonArray());
            }
        });
    }

    private static NodeOp firesWhenItTakesEffect(NodeOp operation) {
        if (!operation.path().endsWith("/sharding")) {
            return operation;
        }
        if (operation instanceof NodeOp.Create create) {
            return new NodeOp.Create(create.path(), anchoredLate(create.data()), create.kind());
        }
        return operation instanceof NodeOp.Set set
                ? new NodeOp.Set(set.path(), anchoredLate(set.data()), set.version())
                : operation;
    }

    private static byte[] anchoredLate(byte[] plan) {
        JsonObject json =
                JsonParser.parseString(new String(plan, StandardCharsets.UTF_8)).getAsJsonObject();
        if (json.getAsJsonObject("schedule").toString().contains("\"once\"")) {
            Instant since = Instant.parse(json.get("since").getAsString());
            json.addProperty("anchor", since.plusMillis(1).toString());
        }
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static NodeOp changed(NodeOp.Set set, Consumer<JsonObject> change) {
        JsonObject json = JsonParser.parseString(new String(set.data(), StandardCharsets.UTF_8))
                .getAsJsonObject();
        change.accept(json);
        return new NodeOp.Set(set.path(), json.toString().getBytes(StandardCharsets.UTF_8), set.version());
    }

    private static ItemView asIfInterrupted(ItemView view, boolean all) {
        Versioned<ItemRecord> record = view.record();
        if (all || record == null || view.ownerLives() || record.value().state() != ItemState.IDLE) {
            return view;
        }
        ItemRecord last = record.value();
        return last.run() == null
                ? view
                : MutantCoordination.with(view, last.claimed(last.requireRun(), last.cursor(), last.skipped()));
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

    /** Changes the content of a node of alarms that is being written. */
    private static NodeOp alarms(NodeOp operation, UnaryOperator<String> change) {
        return operation instanceof NodeOp.Set set && set.path().startsWith("/alarms/")
                ? new NodeOp.Set(
                        set.path(),
                        change.apply(new String(set.data(), StandardCharsets.UTF_8))
                                .getBytes(StandardCharsets.UTF_8),
                        set.version())
                : operation;
    }

    /** Removes the health digests that a process publishes, except in its first session. */
    private static final class FirstDigestOnly implements UnaryOperator<List<NodeOp>> {
        private @Nullable String first;

        @Override
        public List<NodeOp> apply(List<NodeOp> operations) {
            return each(operations, operation -> {
                if (!operation.path().startsWith("/health/")) {
                    return operation;
                }
                if (first == null) {
                    first = operation.path();
                }
                return operation.path().equals(first) ? operation : MutantStore.nothing();
            });
        }
    }

    /**
     * Inverts the last eight bits of the transaction number that each claim receives, so that many fencing tokens are
     * smaller than earlier ones.
     */
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
