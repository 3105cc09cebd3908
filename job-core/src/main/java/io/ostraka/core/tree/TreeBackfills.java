package io.ostraka.core.tree;

import io.ostraka.core.coordination.Backfills;
import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.coordination.TransactionResult.About;
import io.ostraka.core.model.Backfill;
import io.ostraka.core.model.BackfillView;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Stores backfills in nodes, one for each job. */
final class TreeBackfills implements Backfills {
    private final Nodes nodes;

    TreeBackfills(Nodes nodes) {
        this.nodes = nodes;
    }

    @Override
    public CompletionStage<List<BackfillView>> all() {
        return nodes.children(Paths.BACKFILLS).thenApply(found -> found.stream()
                .map(node -> view(Paths.name(node.path()), Optional.of(node)))
                .toList());
    }

    @Override
    public CompletionStage<BackfillView> of(String job) {
        return nodes.store
                .sync()
                .thenCompose(synced -> nodes.readAlone(Paths.backfill(job), false))
                .thenApply(node -> view(job, node));
    }

    private BackfillView view(String job, Optional<Node> node) {
        Nodes.Part<Backfill> part = nodes.part(node, Backfill.class);
        Versioned<Backfill> value = part.value();
        return value == null || value.value().job().equals(job)
                ? new BackfillView(job, value, part.damage())
                : new BackfillView(
                        job,
                        null,
                        new UnreadableNode(
                                Paths.backfill(job) + " names job '"
                                        + value.value().job() + "'",
                                value.version(),
                                true));
    }

    @Override
    public CompletionStage<TransactionResult> write(@Nullable Versioned<Backfill> from, Backfill to) {
        String path = Paths.backfill(to.job());
        byte[] data = from == null ? Codec.encode(to) : Codec.encode(to, from.unknown());
        Nodes.Operations operations = new Nodes.Operations();
        operations.add(TriggerNodes.defined(to.job()), About.DEFINITION);
        if (from == null) {
            operations.add(new NodeOp.Create(path, data, NodeOp.Kind.PERSISTENT), About.BACKFILL);
        }
        // a created node is also set, because the answer to a creation does not contain the number of the transaction
        operations.add(new NodeOp.Set(path, data, from == null ? NodeOp.ANY_VERSION : from.version()), About.BACKFILL);
        return nodes.send(operations.list)
                .thenCompose(outcome -> TreeFires.lacksParent(outcome)
                        ? nodes.commit(operations) // the first attempt has created the parent
                        : CompletableFuture.completedStage(operations.result(outcome)));
    }

    @Override
    public CompletionStage<TransactionResult> step(Leadership leader, Versioned<Backfill> from, Backfill.Step step) {
        Backfill next = step.next();
        Nodes.Operations operations = new Nodes.Operations();
        TreeItems.guard(operations, leader);
        operations.add(TriggerNodes.defined(next.job()), About.DEFINITION);
        operations.add(setting(from, next), About.BACKFILL);
        if (step.trigger() != null) {
            operations.add(TriggerNodes.creating(step.trigger()), About.TRIGGER);
        }
        return nodes.commit(operations);
    }

    @Override
    public CompletionStage<TransactionResult> close(Leadership leader, Versioned<Backfill> from, Backfill to) {
        Nodes.Operations operations = new Nodes.Operations();
        TreeItems.guard(operations, leader);
        operations.add(setting(from, to), About.BACKFILL);
        return nodes.commit(operations);
    }

    private static NodeOp setting(Versioned<Backfill> from, Backfill to) {
        return new NodeOp.Set(Paths.backfill(to.job()), Codec.encode(to, from.unknown()), from.version());
    }
}
