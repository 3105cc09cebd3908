package io.ostraka.core.tree;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.Progress;
import io.ostraka.core.coordination.ItemChange;
import io.ostraka.core.coordination.ItemTransaction;
import io.ostraka.core.coordination.ItemTransaction.FireWrite;
import io.ostraka.core.coordination.ItemTransaction.Guard;
import io.ostraka.core.coordination.ItemTransaction.Move;
import io.ostraka.core.coordination.ItemTransaction.Running;
import io.ostraka.core.coordination.Items;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.coordination.PlanTransaction;
import io.ostraka.core.coordination.PlanTransaction.HandoverWrite;
import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.coordination.TransactionResult.About;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.Handover;
import io.ostraka.core.model.ItemKeys;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.ClockCheck;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Stores item records and plans in nodes, and commits the transactions on them. */
final class TreeItems implements Items {
    /**
     * Largest number of items in one batch of reads. A job may have 100,000 items, and other reads must not wait for
     * all of them.
     */
    private static final int MOST_READ = 1_000;

    private final Nodes nodes;

    TreeItems(Nodes nodes) {
        this.nodes = nodes;
    }

    @Override
    public CompletionStage<List<String>> keys(String job) {
        return nodes.store
                .children(Paths.plan(job))
                .thenApply(keys -> keys.stream().sorted(ItemKeys.ORDER).toList());
    }

    @Override
    public CompletionStage<List<ItemView>> read(String job, Collection<String> items, Watch watch) {
        return readOn(job, List.copyOf(items), watch, new ArrayList<>());
    }

    @Override
    public CompletionStage<List<RecordView>> records(String job, List<String> items) {
        List<String> paths = items.stream().map(item -> Paths.record(job, item)).toList();
        return nodes.read(paths, false).thenApply(read -> IntStream.range(0, items.size())
                .mapToObj(i -> {
                    Nodes.Part<ItemRecord> part = nodes.part(read.get(i), ItemRecord.class);
                    return new RecordView(items.get(i), part.value(), part.damage());
                })
                .toList());
    }

    /** Reads the remaining items, batch by batch. */
    private CompletionStage<List<ItemView>> readOn(String job, List<String> items, Watch watch, List<ItemView> read) {
        if (read.size() == items.size()) {
            return CompletableFuture.completedStage(read);
        }
        List<String> next = items.subList(read.size(), Math.min(items.size(), read.size() + MOST_READ));
        return readSome(job, next, watch).thenCompose(views -> {
            read.addAll(views);
            return readOn(job, items, watch, read);
        });
    }

    private CompletionStage<List<ItemView>> readSome(String job, List<String> items, Watch watch) {
        // the running node (the ephemeral node that marks an item as running) is read in every state of the record,
        // because a fault may have left a running node behind
        List<String> paths = items.stream()
                .flatMap(
                        item -> Stream.of(Paths.record(job, item), Paths.running(job, item), Paths.handover(job, item)))
                .toList();
        return nodes.read(paths, true).thenCompose(read -> {
            List<CompletionStage<ItemView>> views = new ArrayList<>();
            for (String item : items) {
                int at = views.size() * 3;
                CompletionStage<ItemView> view =
                        view(job, item, read.get(at), read.get(at + 1), read.get(at + 2), watch);
                views.add(watch.parked() ? view.thenCompose(seen -> confirmed(job, seen, watch)) : view);
            }
            return Nodes.all(views);
        });
    }

    private CompletionStage<ItemView> view(
            String job,
            String item,
            Optional<Node> recordNode,
            Optional<Node> runningNode,
            Optional<Node> handoverNode,
            Watch watch) {
        Nodes.Part<ItemRecord> record = nodes.part(recordNode, ItemRecord.class);
        Nodes.Part<Handover> handover = nodes.part(handoverNode, Handover.class);
        Versioned<ItemRecord> found = record.value();
        if (runningNode.isPresent() && runningNode.get().ephemeralOwner() == 0) {
            // a person has created this running node. No end of a session deletes it, so it would block the item
            // forever
            nodes.send(List.of(new NodeOp.Delete(
                    Paths.running(job, item), runningNode.get().version())));
        }
        // a missing running node is not watched, because the caller need not know when it is created
        CompletionStage<Optional<Node>> running = runningNode.isPresent()
                        && watch.holders().test(runningNode.get().ephemeralOwner())
                ? nodes.readAlone(Paths.running(job, item), true)
                : CompletableFuture.completedStage(runningNode);
        // the end of a session deletes all nodes of the session at once. The owner's node is read after the running
        // node. If the owner's node still exists, the end of the owner's session is not the reason for a missing
        // running node
        CompletionStage<Boolean> ownerLives = found != null && found.value().unfinished()
                ? nodes.read(Paths.instance(found.value().requireRun().owner())).thenApply(Optional::isPresent)
                : CompletableFuture.completedStage(false);
        return running.thenCombine(
                ownerLives,
                (node, lives) -> new ItemView(
                        item,
                        found,
                        node.map(Node::ephemeralOwner).orElse(0L),
                        lives,
                        Nodes.valueOf(handover),
                        handover.exists(),
                        record.damage()));
    }

    /**
     * Checks a view whose record may be outdated although no watch reports a change, and reads the item again if the
     * record has changed. There are two such cases. In the first, the item is quarantined or its cursor is in the
     * future. As no event would report a change by an operator, this check also watches the record. In the second case,
     * the record shows a run, but there is no running node, so the run may have ended between the two reads.
     */
    private CompletionStage<ItemView> confirmed(String job, ItemView seen, Watch watch) {
        Versioned<ItemRecord> record = seen.record();
        boolean waits = record != null
                && (record.value().state() == ItemState.QUARANTINED
                        || record.value().cursor().isAfter(nodes.serverTime().plus(ClockCheck.TOLERANCE)));
        boolean mayHaveEnded =
                record != null && record.value().unfinished() && seen.running() == 0 && seen.ownerLives();
        if (record == null || !(waits || mayHaveEnded)) {
            return CompletableFuture.completedStage(seen);
        }
        return nodes.readAlone(Paths.record(job, seen.item()), waits)
                .thenCompose(node ->
                        node.filter(now -> now.mzxid() == record.mzxid()).isPresent()
                                ? CompletableFuture.completedStage(seen)
                                : read(job, List.of(seen.item()), watch).thenApply(again -> again.get(0)));
    }

    @Override
    public CompletionStage<TransactionResult> commit(ItemTransaction transaction) {
        String job = transaction.job();
        Nodes.Operations operations = new Nodes.Operations();
        Guard guard = transaction.guard();
        if (guard != null) {
            guard(operations, job, guard);
        }
        for (Move move : transaction.moves()) {
            String item = move.item();
            byte[] data = Codec.encode(move.to(), move.from().unknown());
            operations.add(
                    new NodeOp.Set(Paths.record(job, item), data, move.from().version()), About.RECORD, item);
            String running = Paths.running(job, item);
            if (move.running() == Running.DELETE || move.running() == Running.RENEW) {
                operations.add(new NodeOp.Delete(running, NodeOp.ANY_VERSION), About.RUNNING, item);
            }
            if (move.running() == Running.CREATE || move.running() == Running.RENEW) {
                byte[] who = Codec.encode(ItemForm.Running.of(move.to().requireRun()));
                operations.add(new NodeOp.Create(running, who, NodeOp.Kind.EPHEMERAL), About.RUNNING, item);
            }
            if (move.deleteHandover()) {
                operations.add(new NodeOp.Delete(Paths.handover(job, item), NodeOp.ANY_VERSION), About.HANDOVER, item);
            }
        }
        write(operations, job, transaction.fire());
        return nodes.commit(operations);
    }

    private static void guard(Nodes.Operations operations, String job, Guard guard) {
        operations.add(new NodeOp.Check(Paths.instance(guard.instanceId()), NodeOp.ANY_VERSION), About.INSTANCE);
        operations.add(new NodeOp.Check(Paths.plan(job), guard.planVersion()), About.PLAN);
        if (guard.trigger() != null) {
            operations.add(new NodeOp.Check(Paths.trigger(guard.trigger()), NodeOp.ANY_VERSION), About.TRIGGER);
        }
    }

    @Override
    public CompletionStage<TransactionResult> commit(PlanTransaction transaction) {
        String job = transaction.job();
        Nodes.Operations operations = new Nodes.Operations();
        guard(operations, transaction.leader());
        Versioned<ShardingPlan> from = transaction.plan().from();
        ShardingPlan to = transaction.plan().to();
        if (from == null) {
            byte[] data = Codec.encode(Objects.requireNonNull(to, "a plan that is created"));
            operations.add(new NodeOp.Create(Paths.plan(job), data, NodeOp.Kind.PERSISTENT), About.PLAN);
        } else if (to == null) {
            operations.add(new NodeOp.Check(Paths.plan(job), from.version()), About.PLAN);
        } else {
            byte[] data = Codec.encode(to, from.unknown());
            operations.add(new NodeOp.Set(Paths.plan(job), data, from.version()), About.PLAN);
        }
        transaction.records().forEach(write -> {
            Versioned<ItemRecord> known = write.from();
            String path = Paths.record(job, write.item());
            operations.add(
                    known == null
                            ? new NodeOp.Create(path, Codec.encode(write.to()), NodeOp.Kind.PERSISTENT)
                            : new NodeOp.Set(path, Codec.encode(write.to(), known.unknown()), known.version()),
                    About.RECORD,
                    write.item());
        });
        transaction.handovers().forEach((item, write) -> {
            String path = Paths.handover(job, item);
            NodeOp operation;
            if (write instanceof HandoverWrite.Create create) {
                operation = new NodeOp.Create(path, Codec.encode(create.handover()), NodeOp.Kind.PERSISTENT);
            } else if (write instanceof HandoverWrite.Replace replace) {
                operation = new NodeOp.Set(path, Codec.encode(replace.handover()), NodeOp.ANY_VERSION);
            } else {
                operation = new NodeOp.Delete(path, NodeOp.ANY_VERSION);
            }
            operations.add(operation, About.HANDOVER, item);
        });
        write(operations, job, transaction.fire());
        return nodes.commit(operations);
    }

    private static void write(Nodes.Operations operations, String job, @Nullable FireWrite fire) {
        if (fire == null) {
            return;
        }
        Versioned<FireProgress> from = fire.from();
        String path = Paths.fire(job, fire.fire());
        NodeOp write;
        if (from == null) {
            write = new NodeOp.Create(path, Codec.encode(fire.to()), NodeOp.Kind.PERSISTENT);
        } else if (fire.over()) {
            write = new NodeOp.Delete(path, from.version());
        } else {
            write = new NodeOp.Set(path, Codec.encode(fire.to(), from.unknown()), from.version());
        }
        operations.add(write, About.FIRE);
        if (fire.deleteTrigger()) {
            operations.add(
                    new NodeOp.Delete(Paths.trigger(String.valueOf(fire.to().trigger())), NodeOp.ANY_VERSION),
                    About.TRIGGER);
        }
    }

    @Override
    public CompletionStage<TransactionResult> remove(String job, Leadership leader, int planVersion, ItemView item) {
        String record = Paths.record(job, item.item());
        return nodes.store.children(record).thenCompose(children -> {
            Nodes.Operations operations = new Nodes.Operations();
            guard(operations, leader);
            operations.add(new NodeOp.Check(Paths.plan(job), planVersion), About.PLAN);
            children.stream()
                    .map(child -> record + "/" + child)
                    .filter(child -> !child.equals(
                            Paths.running(job, item.item()))) // a running node makes the store reject the transaction
                    .forEach(child -> operations.add(
                            new NodeOp.Delete(child, NodeOp.ANY_VERSION), About.LEFT_BEHIND, item.item()));
            if (item.handoverNode()) {
                operations.add(
                        new NodeOp.Delete(Paths.handover(job, item.item()), NodeOp.ANY_VERSION),
                        About.HANDOVER,
                        item.item());
            }
            Versioned<ItemRecord> known = item.record();
            UnreadableNode damage = item.damage();
            int version = known != null ? known.version() : damage != null ? damage.version() : 0;
            operations.add(new NodeOp.Delete(record, version), About.RECORD, item.item());
            return nodes.commit(operations);
        });
    }

    /**
     * Adds two checks that reject writes of a former leader: its candidate node must exist, and no later leader may
     * have written the epoch node.
     */
    static void guard(Nodes.Operations operations, Leadership leader) {
        operations.add(new NodeOp.Check(leader.candidate(), NodeOp.ANY_VERSION), About.LEADERSHIP);
        operations.add(new NodeOp.Check(Paths.EPOCH, leader.epoch()), About.LEADERSHIP);
    }

    @Override
    public CompletionStage<TransactionResult> restore(
            String job,
            Guard guard,
            String item,
            Versioned<ItemRecord> to,
            @Nullable UnreadableNode damage,
            Running running) {
        Nodes.Operations operations = new Nodes.Operations();
        guard(operations, job, guard);
        String path = Paths.record(job, item);
        byte[] data = Codec.encode(to.value(), to.unknown());
        operations.add(
                damage == null
                        ? new NodeOp.Create(path, data, NodeOp.Kind.PERSISTENT)
                        : new NodeOp.Set(path, data, damage.version()),
                About.RECORD,
                item);
        if (running == Running.DELETE) {
            operations.add(new NodeOp.Delete(Paths.running(job, item), NodeOp.ANY_VERSION), About.RUNNING, item);
        }
        return nodes.commit(operations);
    }

    @Override
    public CompletionStage<ItemChange> release(String job, String item, ItemChange.Request request) {
        return change(
                "release item " + item + " of job '" + job + "'",
                Paths.record(job, item),
                request,
                ItemRecord::refusesRelease,
                record -> record.released(request.by(), request.reason(), request.request(), request.now()));
    }

    @Override
    public CompletionStage<ItemChange> setBack(String job, String item, ItemChange.Request request) {
        return change(
                "set back the cursor of item " + item + " of job '" + job + "'",
                Paths.record(job, item),
                request,
                record -> record.refusesSetBack(request.now(), ClockCheck.TOLERANCE),
                record -> record.setBack(request.by(), request.reason(), request.request(), request.now()));
    }

    /**
     * Changes a record for an operator.
     *
     * @param refusal returns why a record does not permit the change; null if the record permits it
     */
    private CompletionStage<ItemChange> change(
            String what,
            String path,
            ItemChange.Request request,
            Function<ItemRecord, @Nullable String> refusal,
            UnaryOperator<ItemRecord> change) {
        return Nodes.retrying(what, () -> nodes.read(List.of(path), true).thenCompose(read -> {
            Nodes.Part<ItemRecord> part = nodes.part(read.get(0), ItemRecord.class);
            Versioned<ItemRecord> from = part.value();
            if (from == null) {
                throw part.damage() == null
                        ? CoordinationException.notFound(
                                "cannot " + what + ": the item has no record; check its key. Nothing was changed")
                        : CoordinationException.refused("cannot " + what + ": "
                                + part.damage().text("its owner restores the record") + "; nothing was changed");
            }
            if (from.value().changedBy(request.request())) {
                return CompletableFuture.completedStage(Optional.of(new ItemChange.Repeated(from.mzxid())));
            }
            if (request.expected() != null && from.mzxid() != request.expected()) {
                return CompletableFuture.completedStage(Optional.of(new ItemChange.Conflict(from.mzxid())));
            }
            String refused = refusal.apply(from.value());
            if (refused != null) {
                throw CoordinationException.refused(
                        "cannot " + what + ": the item " + refused + "; nothing was changed");
            }
            ItemRecord to = change.apply(from.value());
            byte[] data = Codec.encode(to, from.unknown());
            return nodes.send(List.of(new NodeOp.Set(path, data, from.version())))
                    .thenApply(outcome -> Nodes.settled(outcome, outcome)
                            .map(done -> new ItemChange.Done(to, ((Outcome.Committed) done).zxid())));
        }));
    }

    @Override
    public CompletionStage<Optional<byte[]>> checkpoint(String job, String item) {
        return nodes.readAlone(Paths.checkpoint(job, item), false).thenApply(node -> node.map(Node::data));
    }

    @Override
    public CompletionStage<TransactionResult> saveCheckpoint(
            String job, String item, int recordVersion, byte[] checkpoint) {
        return leave(job, item, recordVersion, Paths.checkpoint(job, item), checkpoint);
    }

    @Override
    public CompletionStage<Map<String, Progress>> progress(String job, Collection<String> items) {
        List<String> keys = List.copyOf(items);
        return nodes.read(keys.stream().map(item -> Paths.progress(job, item)).toList(), false)
                .thenApply(found -> {
                    Map<String, Progress> progress = new TreeMap<>(ItemKeys.ORDER);
                    for (int i = 0; i < keys.size(); i++) {
                        String item = keys.get(i);
                        found.get(i)
                                .flatMap(node -> nodes.readable(node, Progress.class))
                                .ifPresent(read -> progress.put(item, read.value()));
                    }
                    return progress;
                });
    }

    @Override
    public CompletionStage<TransactionResult> saveProgress(
            String job, String item, int recordVersion, Progress progress) {
        return leave(job, item, recordVersion, Paths.progress(job, item), Codec.encode(progress));
    }

    /** Writes a child of an item record if the record still has the given version. */
    private CompletionStage<TransactionResult> leave(
            String job, String item, int recordVersion, String path, byte[] data) {
        NodeOp.Check owned = new NodeOp.Check(Paths.record(job, item), recordVersion);
        NodeOp set = new NodeOp.Set(path, data, NodeOp.ANY_VERSION);
        NodeOp create = new NodeOp.Create(path, data, NodeOp.Kind.PERSISTENT);
        // usually the node exists. If not, the second attempt creates it. The third attempt is necessary if another
        // thread of the run has created the node in the meantime
        return save(owned, set)
                .thenCompose(result -> outdated(result) ? save(owned, create) : answer(result))
                .thenCompose(result -> outdated(result) ? save(owned, set) : answer(result));
    }

    private CompletionStage<TransactionResult> save(NodeOp.Check owned, NodeOp write) {
        return nodes.commit(List.of(owned, write), List.of(About.RECORD, About.LEFT_BEHIND));
    }

    private static boolean outdated(TransactionResult result) {
        return result instanceof TransactionResult.Outdated outdated && outdated.about() == About.LEFT_BEHIND;
    }

    private static CompletionStage<TransactionResult> answer(TransactionResult result) {
        return CompletableFuture.completedStage(result);
    }
}
