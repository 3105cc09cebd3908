package io.ostraka.core.tree;

import io.ostraka.core.coordination.Cancellation;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.coordination.TransactionResult.About;
import io.ostraka.core.model.DelayedTrigger;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Triggers;
import io.ostraka.core.model.UnreadableTrigger;
import io.ostraka.core.model.Versioned;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads, releases and cancels delayed triggers. A release and a cancellation both delete the trigger's node, so only
 * one of them can succeed. The node is named after the key. A later trigger may use the same key, and every new node
 * has version 0, so the version does not tell two such triggers apart. Each trigger therefore has a second node, the
 * run node, which is named after the run. The run node shows whether the first node still belongs to that run.
 */
final class DelayedNodes {
    private final Nodes nodes;

    DelayedNodes(Nodes nodes) {
        this.nodes = nodes;
    }

    /**
     * Decodes a delayed trigger; empty if the trigger is unreadable, or if its node has a wrong name, because no lookup
     * would find such a node.
     */
    Optional<Versioned<DelayedTrigger>> decoded(Node node) {
        return nodes.readable(node, DelayedTrigger.class)
                .filter(read -> Paths.delayed(read.value()).equals(node.path()));
    }

    private List<Versioned<DelayedTrigger>> decoded(List<Node> found) {
        return found.stream().flatMap(node -> decoded(node).stream()).toList();
    }

    CompletionStage<List<Versioned<DelayedTrigger>>> all() {
        return nodes.children(Paths.DELAYED).thenApply(this::decoded);
    }

    /** The delayed triggers of a job, in no particular order. */
    record OfJob(List<Versioned<DelayedTrigger>> readable, List<UnreadableTrigger> unreadable) {}

    CompletionStage<OfJob> of(String job) {
        return nodes.store.children(Paths.DELAYED).thenCompose(all -> {
            List<String> paths = all.stream()
                    .filter(name -> name.startsWith(DelayedTrigger.prefix(job)))
                    .map(name -> Paths.DELAYED + "/" + name)
                    .toList();
            return nodes.read(paths, false).thenApply(read -> {
                List<Node> found = read.stream().flatMap(Optional::stream).toList();
                return new OfJob(
                        decoded(found),
                        found.stream()
                                .flatMap(node -> unreadable(job, node).stream())
                                .toList());
            });
        });
    }

    /** Returns whether a readable delayed trigger of this run waits. */
    CompletionStage<Boolean> waits(String job, String runId) {
        return nodes.readAlone(Paths.delayedRun(job, runId), false)
                .thenCompose(run -> run.isEmpty()
                        ? CompletableFuture.completedStage(false)
                        : of(job).thenApply(waiting -> waiting.readable().stream()
                                .anyMatch(each -> each.value().request().runId().equals(runId))));
    }

    private Optional<UnreadableTrigger> unreadable(String job, Node node) {
        return Optional.ofNullable(
                        nodes.part(Optional.of(node), DelayedTrigger.class).damage())
                .map(damage -> new UnreadableTrigger(Paths.name(node.path()), node.czxid(), job, damage));
    }

    CompletionStage<TransactionResult> release(Leadership leader, Versioned<DelayedTrigger> delayed) {
        Trigger.Request request = delayed.value().released(delayed.modified());
        Nodes.Operations operations = deleting(leader, delayed);
        operations.add(TriggerNodes.defined(request.job()), About.DEFINITION);
        operations.add(TriggerNodes.creating(request), About.TRIGGER);
        return nodes.commit(operations);
    }

    CompletionStage<TransactionResult> drop(Leadership leader, Versioned<DelayedTrigger> delayed) {
        return nodes.commit(deleting(leader, delayed));
    }

    private static Nodes.Operations deleting(Leadership leader, Versioned<DelayedTrigger> delayed) {
        Nodes.Operations operations = new Nodes.Operations();
        TreeItems.guard(operations, leader);
        deleting(delayed).forEach(operation -> operations.add(operation, About.TRIGGER));
        return operations;
    }

    private static List<NodeOp> deleting(Versioned<DelayedTrigger> delayed) {
        return List.of(
                new NodeOp.Delete(Paths.delayed(delayed.value()), delayed.version()),
                new NodeOp.Delete(Paths.delayedRun(delayed.value()), NodeOp.ANY_VERSION));
    }

    /** Returns the operation that creates the run node. */
    static NodeOp creatingRun(DelayedTrigger delayed) {
        return new NodeOp.Create(Paths.delayedRun(delayed), Nodes.NOTHING, NodeOp.Kind.PERSISTENT);
    }

    /** Starts deleting run nodes without a trigger, and restoring the run nodes that a person has deleted. */
    void sweepRuns(Leadership leader) {
        // one transaction creates both nodes of a run. The run nodes are read first, so if a run in this list still
        // waits, the second read finds its trigger
        nodes.store.children(Paths.DELAYED_RUNS).thenCompose(runs -> all().thenAccept(waiting -> {
            Set<String> present = runs.stream()
                    .map(name -> Paths.DELAYED_RUNS + "/" + name)
                    .collect(Collectors.toCollection(HashSet::new));
            for (Versioned<DelayedTrigger> each : waiting) {
                if (!present.remove(Paths.delayedRun(each.value()))) {
                    restoreRun(leader, each);
                }
            }
            present.forEach(run -> commit(leader, new NodeOp.Delete(run, NodeOp.ANY_VERSION)));
        }));
    }

    /**
     * Creates the run node of a trigger, unless the run node exists by now or the trigger has ended. After the end of
     * the trigger, a new run node would allow a late request to delete the next trigger with the same key. This cannot
     * happen here: without its run node, a trigger can be neither released nor cancelled, so the trigger still waits
     * when the run node is created.
     */
    private void restoreRun(Leadership leader, Versioned<DelayedTrigger> trigger) {
        nodes.readAlone(Paths.delayedRun(trigger.value()), false)
                .thenCompose(run -> run.isPresent()
                        ? CompletableFuture.completedStage(Optional.<Node>empty())
                        : nodes.readAlone(Paths.delayed(trigger.value()), false))
                .thenAccept(node -> node.filter(found -> found.czxid() == trigger.czxid())
                        .ifPresent(same -> commit(leader, creatingRun(trigger.value()))));
    }

    private void commit(Leadership leader, NodeOp operation) {
        Nodes.Operations operations = new Nodes.Operations();
        TreeItems.guard(operations, leader);
        operations.add(operation, About.TRIGGER);
        nodes.commit(operations);
    }

    /**
     * Cancels a delayed trigger. One transaction deletes its node and creates the node of its fire, which shows that
     * the fire has ended. Callers that wait for the run read this node.
     *
     * @param named key or run id of the trigger
     * @param triggers reads the triggers, to find a trigger that was released before
     */
    CompletionStage<Cancellation> cancel(
            String job,
            String named,
            String by,
            @Nullable String reason,
            Supplier<CompletionStage<Triggers>> triggers) {
        String[] wanted = {named};
        return Nodes.retrying(
                "cancel the delayed trigger '" + named + "' of job '" + job + "'",
                () -> nodes.store.sync().thenCompose(synced -> of(job)).thenCompose(waiting -> {
                    String sought = wanted[0];
                    Optional<Versioned<DelayedTrigger>> found = waiting.readable().stream()
                            .filter(each -> each.value().key().equals(sought)
                                    || each.value().request().runId().equals(sought))
                            .findFirst();
                    if (found.isEmpty()) {
                        return past(job, sought, triggers).thenApply(Optional::of);
                    }
                    // the leader may release the trigger before the next attempt; that attempt can then find the
                    // trigger only by its run id
                    wanted[0] = found.get().value().request().runId();
                    return cancel(found.get(), by, reason);
                }));
    }

    private CompletionStage<Optional<Cancellation>> cancel(
            Versioned<DelayedTrigger> delayed, String by, @Nullable String reason) {
        Trigger.Request request = delayed.value().request();
        String runId = request.runId();
        FireProgress fire = FireProgress.cancelled(
                new FireProgress.Cancelled(delayed.value().key(), by, reason));
        List<NodeOp> operations = new ArrayList<>();
        operations.add(TriggerNodes.defined(request.job()));
        operations.addAll(deleting(delayed));
        operations.add(new NodeOp.Create(Paths.fire(request.job(), runId), Codec.encode(fire), NodeOp.Kind.PERSISTENT));
        return nodes.send(operations)
                .thenCompose(outcome -> TriggerNodes.undefined(outcome)
                        ? nodes.send(deleting(delayed)) // without a job there is no fire node, and no caller waits
                        : CompletableFuture.completedStage(outcome))
                .thenApply(outcome -> outcome instanceof Outcome.Unknown
                        ? Optional.of(new Cancellation.Unknown(runId))
                        : Nodes.settled(outcome, new Cancellation.Cancelled(runId)));
    }

    /** Determines the result for a delayed trigger that no longer waits. */
    private CompletionStage<Cancellation> past(String job, String named, Supplier<CompletionStage<Triggers>> triggers) {
        // the transaction that ends a fire deletes its trigger, so the triggers are read before the fires
        return triggers.get().thenCompose(all -> {
            boolean waits = all.of(job).readable().stream()
                    .anyMatch(trigger -> trigger.request().runId().equals(named));
            return waits
                    ? CompletableFuture.<Cancellation>completedStage(new Cancellation.Released(named))
                    : nodes.store
                            .children(Paths.fires(job))
                            .thenCompose(fires -> nodes.readPatiently((fires.contains(named) ? List.of(named) : fires)
                                    .stream().map(fire -> Paths.fire(job, fire)).toList()))
                            .thenApply(fires -> past(named, fires));
        });
    }

    private Cancellation past(String named, List<Optional<Node>> fires) {
        return fires.stream()
                .flatMap(Optional::stream)
                .flatMap(node -> past(named, node).stream())
                .max(Comparator.comparingLong(Past::zxid))
                .map(Past::what)
                .orElseGet(Cancellation.NotFound::new);
    }

    /**
     * The end of a delayed trigger, according to the node of its fire.
     *
     * @param zxid transaction that wrote the node; of several triggers with the same key, the latest counts
     */
    private record Past(long zxid, Cancellation what) {}

    private Optional<Past> past(String named, Node fire) {
        String runId = Paths.name(fire.path());
        FireProgress progress = Nodes.valueOf(nodes.part(Optional.of(fire), FireProgress.class));
        FireProgress.Cancelled cancelled = progress == null ? null : progress.cancelled();
        if (cancelled != null && (runId.equals(named) || cancelled.key().equals(named))) {
            return Optional.of(new Past(fire.mzxid(), new Cancellation.Unchanged(runId)));
        }
        return runId.equals(named)
                ? Optional.of(new Past(fire.mzxid(), new Cancellation.Released(runId)))
                : Optional.empty();
    }
}
