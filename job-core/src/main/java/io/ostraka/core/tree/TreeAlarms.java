package io.ostraka.core.tree;

import io.ostraka.core.coordination.Alarms;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.coordination.TransactionResult.About;
import io.ostraka.core.model.AlarmsView;
import io.ostraka.core.model.JobAlarms;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Stores alarms in nodes, one for each job and one for the namespace. */
final class TreeAlarms implements Alarms {
    private final Nodes nodes;

    TreeAlarms(Nodes nodes) {
        this.nodes = nodes;
    }

    @Override
    public CompletionStage<List<AlarmsView>> all() {
        return nodes.children(Paths.ALARMS).thenApply(found -> found.stream()
                .filter(node -> Paths.isAlarms(node.path()))
                .map(node -> view(Paths.jobOfAlarms(node.path()), Optional.of(node)))
                .toList());
    }

    @Override
    public CompletionStage<AlarmsView> of(@Nullable String job) {
        return nodes.readAlone(Paths.alarms(job), false).thenApply(node -> view(job, node));
    }

    private AlarmsView view(@Nullable String job, Optional<Node> node) {
        Nodes.Part<JobAlarms> part = nodes.part(node, JobAlarms.class);
        Versioned<JobAlarms> value = part.value();
        return value == null || Objects.equals(value.value().job(), job)
                ? new AlarmsView(job, value, part.damage())
                : new AlarmsView(
                        job, null, new UnreadableNode(Paths.alarms(job) + " names another job", value.version(), true));
    }

    @Override
    public CompletionStage<TransactionResult> write(
            Leadership leader, @Nullable Versioned<JobAlarms> from, JobAlarms to) {
        String path = Paths.alarms(to.job());
        byte[] data = from == null ? Codec.encode(to) : Codec.encode(to, from.unknown());
        Nodes.Operations operations = new Nodes.Operations();
        TreeItems.guard(operations, leader);
        if (from == null) {
            operations.add(new NodeOp.Create(path, data, NodeOp.Kind.PERSISTENT), About.ALARMS);
        }
        // a created node is also set, because the answer to a creation does not contain the number of the transaction
        operations.add(new NodeOp.Set(path, data, from == null ? NodeOp.ANY_VERSION : from.version()), About.ALARMS);
        return nodes.send(operations.list)
                .thenCompose(outcome -> from == null && lacksParent(outcome, operations)
                        ? nodes.commit(operations) // the first attempt has created the parent
                        : CompletableFuture.completedStage(operations.result(outcome)));
    }

    private static boolean lacksParent(Outcome outcome, Nodes.Operations operations) {
        return outcome instanceof Outcome.Rejected rejected
                && rejected.reason() == Outcome.Reason.NO_NODE
                && rejected.index() >= 0
                && operations.list.get(rejected.index()) instanceof NodeOp.Create;
    }

    @Override
    public CompletionStage<TransactionResult> delete(Leadership leader, Versioned<JobAlarms> from) {
        Nodes.Operations operations = new Nodes.Operations();
        TreeItems.guard(operations, leader);
        operations.add(new NodeOp.Delete(Paths.alarms(from.value().job()), from.version()), About.ALARMS);
        return nodes.commit(operations);
    }
}
