package io.ostraka.core.coordination;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobConfiguration;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.ShardingPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Jobs, as nodes. */
final class TreeJobs implements Jobs {
    private static final Logger log = LoggerFactory.getLogger(TreeJobs.class);
    private static final byte[] NOTHING = {};

    private final Nodes nodes;
    private final Membership membership;

    TreeJobs(Nodes nodes, Membership membership) {
        this.nodes = nodes;
        this.membership = membership;
    }

    @Override
    public CompletionStage<List<String>> names() {
        return nodes.store.children(Tree.JOBS);
    }

    @Override
    public CompletionStage<JobView> job(String job) {
        CompletionStage<Nodes.Part<JobConfiguration>> definition = nodes.part(Tree.config(job), JobConfiguration.class);
        CompletionStage<Nodes.Part<JobOverride>> override = nodes.part(Tree.override(job), JobOverride.class);
        CompletionStage<Nodes.Part<ShardingPlan>> plan = nodes.part(Tree.plan(job), ShardingPlan.class);
        return definition.thenCombine(override, Nodes.Pair::new).thenCombine(plan, (both, third) -> {
            List<String> problems = new ArrayList<>();
            for (Nodes.Part<?> part : List.of(both.first(), both.second(), third)) {
                if (part.problem() != null) {
                    problems.add(part.problem());
                }
            }
            return new JobView(
                    job,
                    both.first().value(),
                    both.second().value(),
                    third.value(),
                    problems.isEmpty() ? null : String.join("; ", problems));
        });
    }

    @Override
    public CompletionStage<Optional<JobConfiguration>> define(JobConfiguration definition) {
        return Nodes.retrying("register job '" + definition.jobName() + "'", () -> job(definition.jobName())
                .thenCompose(view -> define(view, definition)));
    }

    private CompletionStage<Optional<Optional<JobConfiguration>>> define(JobView view, JobConfiguration definition) {
        String job = definition.jobName();
        List<NodeOp> operations = new ArrayList<>();
        Versioned<JobConfiguration> present = view.definition();
        if (present != null && present.value().revision() > definition.revision()) {
            log.warn(
                    "job '{}': revision {} is registered; this instance's older revision {} is not",
                    job,
                    present.value().revision(),
                    definition.revision());
        } else if (present == null && view.problem() == null) {
            // one by one: a purge that was cut off may have left some of them
            createParent(Tree.job(job));
            createParent(Tree.handovers(job));
            createParent(Tree.fires(job));
            operations.add(new NodeOp.Create(Tree.config(job), Codec.encode(definition), NodeOp.Kind.PERSISTENT));
        } else if (present == null) {
            operations.add(new NodeOp.Set(Tree.config(job), Codec.encode(definition), NodeOp.ANY_VERSION));
        } else if (!present.value().equals(definition)) {
            operations.add(
                    new NodeOp.Set(Tree.config(job), Codec.encode(definition, present.unknown()), present.version()));
        }
        Versioned<JobOverride> override = view.override();
        if (override != null && override.value().removed()) {
            operations.add(new NodeOp.Set(
                    Tree.override(job),
                    Codec.encode(override.value().withRemoved(false), override.unknown()),
                    override.version()));
        }
        boolean replaces = present != null && !present.value().equals(definition);
        Optional<JobConfiguration> replaced =
                replaces && present != null ? Optional.of(present.value()) : Optional.empty();
        return operations.isEmpty()
                ? CompletableFuture.completedStage(Optional.of(Optional.empty()))
                : nodes.send(operations).thenApply(outcome -> Nodes.settled(outcome, replaced));
    }

    private void createParent(String path) {
        nodes.send(List.of(new NodeOp.Create(path, NOTHING, NodeOp.Kind.PERSISTENT)));
    }

    @Override
    public CompletionStage<Void> amend(String job, UnaryOperator<JobOverride> change) {
        return Nodes.retrying("change job '" + job + "'", () -> job(job).thenCompose(view -> {
                    if (view.definition() == null) {
                        throw new CoordinationException("job '" + job + "' is not known"
                                + (view.problem() == null ? "; register it first" : ": " + view.problem()));
                    }
                    JobOverride present = view.overrideOrNone();
                    JobOverride next = change.apply(present);
                    next.applyTo(view.definition().value());
                    if (next.equals(present)) {
                        return CompletableFuture.completedStage(Optional.of(true));
                    }
                    Versioned<JobOverride> from = view.override();
                    NodeOp write = from == null
                            ? new NodeOp.Create(Tree.override(job), Codec.encode(next), NodeOp.Kind.PERSISTENT)
                            : new NodeOp.Set(Tree.override(job), Codec.encode(next, from.unknown()), from.version());
                    return nodes.send(List.of(write)).thenApply(outcome -> Nodes.settled(outcome, true));
                }))
                .thenAccept(done -> {});
    }

    @Override
    public CompletionStage<Void> purge(String job) {
        return job(job).thenCombine(membership.instances(), (view, instances) -> {
                    ShardingPlan plan = view.plan() == null ? null : view.plan().value();
                    boolean planned = plan == null ? view.definition() != null : !plan.removed();
                    if (planned && !(plan == null && view.overrideOrNone().removed())) {
                        throw new CoordinationException("job '" + job + "' is not removed; remove it first");
                    }
                    List<String> hosts = instances.stream()
                            .filter(instance -> instance.jobs().contains(job))
                            .map(InstanceInfo::id)
                            .toList();
                    if (!hosts.isEmpty()) {
                        throw new CoordinationException(
                                "job '" + job + "' is hosted by " + hosts + "; close its bootstrap there first");
                    }
                    return job;
                })
                .thenCompose(checked -> deleteTree(Tree.job(job)));
    }

    private CompletionStage<Void> deleteTree(String path) {
        return nodes.store
                .children(path)
                .thenCompose(names -> {
                    CompletionStage<@Nullable Void> all = CompletableFuture.completedStage(null);
                    for (String name : names) {
                        all = all.thenCombine(deleteTree(path + "/" + name), (before, done) -> null);
                    }
                    return all;
                })
                .thenCompose(empty -> nodes.send(List.of(new NodeOp.Delete(path, NodeOp.ANY_VERSION))))
                .thenCompose(outcome -> {
                    if (outcome instanceof Outcome.Unknown) {
                        throw new CoordinationException("no answer from ZooKeeper while deleting " + path);
                    }
                    boolean filledMeanwhile = outcome instanceof Outcome.Rejected rejected
                            && rejected.reason() == Outcome.Reason.NOT_EMPTY;
                    return filledMeanwhile ? deleteTree(path) : CompletableFuture.completedStage(null);
                });
    }

    @Override
    public void follow(String job, boolean follow) {
        nodes.follow(Tree.plan(job), follow);
    }

    @Override
    public void followConfiguration(String job, boolean follow) {
        nodes.follow(Tree.config(job), follow);
        nodes.follow(Tree.override(job), follow);
    }
}
