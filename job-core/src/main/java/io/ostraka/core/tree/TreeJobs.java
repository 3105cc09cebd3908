package io.ostraka.core.tree;

import com.google.gson.JsonObject;
import io.ostraka.api.CoordinationException;
import io.ostraka.api.UnknownOutcomeException;
import io.ostraka.core.coordination.Amendment;
import io.ostraka.core.coordination.Jobs;
import io.ostraka.core.coordination.Membership;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.coordination.TransactionResult.About;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stores the definitions, overrides and plans of jobs in nodes. */
final class TreeJobs implements Jobs {
    private static final Logger log = LoggerFactory.getLogger(TreeJobs.class);
    /**
     * Longest time between two writes of an instance: the write of a job's definition, and the write that adds the job
     * to the instance's own node.
     */
    private static final Duration ANNOUNCEMENT = Duration.ofMinutes(1);

    private final Nodes nodes;
    private final Membership membership;

    TreeJobs(Nodes nodes, Membership membership) {
        this.nodes = nodes;
        this.membership = membership;
    }

    @Override
    public CompletionStage<List<String>> names() {
        return nodes.store.children(Paths.JOBS);
    }

    @Override
    public CompletionStage<JobView> job(String job) {
        return job(job, false);
    }

    /** @param synced true if the read must see every write that was answered before this call */
    private CompletionStage<JobView> job(String job, boolean synced) {
        List<String> paths = List.of(Paths.config(job), Paths.override(job), Paths.plan(job));
        return nodes.read(paths, synced).thenApply(read -> {
            Nodes.Part<Definition> definition = own(job, nodes.part(read.get(0), Definition.class));
            Nodes.Part<JobOverride> override = nodes.part(read.get(1), JobOverride.class);
            Nodes.Part<ShardingPlan> plan = nodes.part(read.get(2), ShardingPlan.class);
            return new JobView(
                    job,
                    definition.value(),
                    override.value(),
                    plan.value(),
                    new JobView.Damages(definition.damage(), override.damage(), plan.damage()));
        });
    }

    @Override
    public CompletionStage<List<JobView>> plans(List<String> jobs) {
        List<String> paths = jobs.stream()
                .flatMap(job -> Stream.of(Paths.override(job), Paths.plan(job)))
                .toList();
        return nodes.read(paths, false).thenApply(read -> IntStream.range(0, jobs.size())
                .mapToObj(i -> {
                    Nodes.Part<JobOverride> override = nodes.part(read.get(2 * i), JobOverride.class);
                    Nodes.Part<ShardingPlan> plan = nodes.part(read.get(2 * i + 1), ShardingPlan.class);
                    return new JobView(
                            jobs.get(i),
                            null,
                            override.value(),
                            plan.value(),
                            new JobView.Damages(null, override.damage(), plan.damage()));
                })
                .toList());
    }

    private static Nodes.Part<Definition> own(String job, Nodes.Part<Definition> definition) {
        Versioned<Definition> found = definition.value();
        if (found == null || found.value().jobName().equals(job)) {
            return definition;
        }
        String text = Paths.config(job) + " is the definition of job '"
                + found.value().jobName() + "'";
        return new Nodes.Part<>(null, new UnreadableNode(text, found.version(), true));
    }

    @Override
    public CompletionStage<Optional<Definition>> define(Definition definition, String instance) {
        return Nodes.retrying("register job '" + definition.jobName() + "'", () -> job(definition.jobName())
                .thenCompose(view -> define(view, definition, instance, true)));
    }

    @Override
    public CompletionStage<Void> restore(Definition definition, String instance) {
        return Nodes.retrying(
                        "restore the definition of job '" + definition.jobName() + "'",
                        () -> job(definition.jobName()).thenCompose(view -> {
                            Versioned<Definition> present = view.definition();
                            return present != null && present.value().revision() >= definition.revision()
                                    ? CompletableFuture.completedStage(Optional.of(Optional.<Definition>empty()))
                                    : define(view, definition, instance, false);
                        }))
                .thenAccept(replaced -> {});
    }

    @Override
    public CompletionStage<Boolean> reclaim(Definition definition, String instance) {
        String job = definition.jobName();
        // the definition is read before the instances, so if its writer is not among the instances, the writer is gone
        return Nodes.retrying(
                        "reclaim the definition of job '" + job + "'", () -> job(job).thenCompose(view -> membership
                                .instances()
                                .thenCompose(living -> isAbandoned(view, definition, living)
                                        ? define(view, definition, instance, false)
                                        : CompletableFuture.completedStage(Optional.of(Optional.empty())))))
                .thenApply(Optional::isPresent);
    }

    /** Returns whether the stored definition has the revision of the given one, and its writer does not host the job. */
    private boolean isAbandoned(JobView view, Definition own, List<InstanceInfo> living) {
        Versioned<Definition> present = view.definition();
        return present != null
                && present.value().revision() == own.revision()
                && !present.modified().plus(ANNOUNCEMENT).isAfter(membership.serverTime())
                && living.stream()
                        .filter(other -> other.jobs().contains(own.jobName()))
                        .noneMatch(other -> process(other.id()).equals(process(view.registeredBy())));
    }

    /** Returns the part of an instance id that stays the same in a new session: name and process id. */
    private static String process(String instance) {
        int session = instance.lastIndexOf('@');
        return session < 0 ? instance : instance.substring(0, session);
    }

    @Override
    public CompletionStage<TransactionResult> restore(String job, Versioned<JobOverride> last, UnreadableNode damage) {
        byte[] data = Codec.encode(last.value(), last.unknown());
        return nodes.commit(
                List.of(new NodeOp.Set(Paths.override(job), data, damage.version())), List.of(About.OVERRIDE));
    }

    private CompletionStage<Optional<Optional<Definition>>> define(
            JobView view, Definition definition, String instance, boolean revive) {
        String job = definition.jobName();
        UnreadableNode damage = view.damages().definition();
        if (damage != null && !damage.replaceable()) {
            return CompletableFuture.failedStage(CoordinationException.refused(damage.text()));
        }
        Versioned<Definition> present = view.definition();
        List<NodeOp> parents = present == null && damage == null ? parents(job) : List.of();
        List<NodeOp> operations = new ArrayList<>();
        write(view, definition, instance).ifPresent(operations::add);
        Versioned<JobOverride> override = view.override();
        if (revive && override != null && override.value().removed()) {
            operations.add(new NodeOp.Set(
                    Paths.override(job),
                    Codec.encode(override.value().withRemoved(false), override.unknown()),
                    override.version()));
        }
        Optional<Definition> replaced =
                Optional.ofNullable(present).map(Versioned::value).filter(before -> !before.equals(definition));
        return operations.isEmpty()
                ? CompletableFuture.completedStage(Optional.of(Optional.empty()))
                : nodes.send(Stream.concat(parents.stream(), operations.stream())
                                .toList())
                        .thenCompose(outcome -> exists(outcome, parents)
                                ? createRest(job, parents, operations)
                                : CompletableFuture.completedStage(outcome))
                        .thenApply(outcome -> Nodes.settled(outcome, replaced));
    }

    /** Returns the write of a definition's node; empty if the node has the definition, or one with a higher revision. */
    private static Optional<NodeOp> write(JobView view, Definition definition, String instance) {
        String path = Paths.config(definition.jobName());
        Versioned<Definition> present = view.definition();
        UnreadableNode damage = view.damages().definition();
        JsonObject beside =
                present == null ? new JsonObject() : present.unknown().deepCopy();
        beside.addProperty(JobView.REGISTERED_BY, instance);
        byte[] data = Codec.encode(definition, beside);
        if (present != null && present.value().revision() > definition.revision()) {
            log.warn(
                    "job '{}': revision {} stays registered; this instance has the older revision {}",
                    definition.jobName(),
                    present.value().revision(),
                    definition.revision());
            return Optional.empty();
        }
        if (present != null) {
            return present.value().equals(definition)
                    ? Optional.empty()
                    : Optional.of(new NodeOp.Set(path, data, present.version()));
        }
        if (damage == null) {
            return Optional.of(new NodeOp.Create(path, data, NodeOp.Kind.PERSISTENT));
        }
        log.warn("{}; this instance replaces it with its own definition {}", damage.text(), definition);
        return Optional.of(new NodeOp.Set(path, data, damage.version()));
    }

    private static List<NodeOp> parents(String job) {
        return Stream.of(Paths.job(job), Paths.handovers(job), Paths.fires(job))
                .<NodeOp>map(path -> new NodeOp.Create(path, Nodes.NOTHING, NodeOp.Kind.PERSISTENT))
                .toList();
    }

    private static boolean exists(Outcome outcome, List<NodeOp> parents) {
        return outcome instanceof Outcome.Rejected rejected
                && rejected.reason() == Outcome.Reason.NODE_EXISTS
                && rejected.index() < parents.size();
    }

    /**
     * Finishes the creation of a job when some of its parent nodes already exist, because another instance was faster
     * or a purge was interrupted.
     */
    private CompletionStage<Outcome> createRest(String job, List<NodeOp> parents, List<NodeOp> rest) {
        return nodes.read(Paths.config(job)).thenCompose(config -> {
            if (config.isPresent()) {
                return CompletableFuture.completedStage(new Outcome.Rejected(0, Outcome.Reason.NODE_EXISTS));
            }
            parents.forEach(parent -> nodes.send(List.of(parent)));
            return nodes.send(rest);
        });
    }

    @Override
    public CompletionStage<Amendment.Result> amend(String job, Amendment amendment) {
        return Nodes.retrying("change job '" + job + "'", () -> job(job, true).thenCompose(view -> {
            if (view.definition() == null) {
                throw view.problem() == null
                        ? CoordinationException.notFound("job '" + job + "' is not known; register it first")
                        : CoordinationException.refused("job '" + job + "' cannot be changed: " + view.problem());
            }
            Optional<Amendment.Result> without = unwritten(view, amendment);
            return without.isPresent()
                    ? CompletableFuture.completedStage(without)
                    : living(job, view.overrideKnown() ? view.overrideOrNone() : JobOverride.NONE)
                            .thenCompose(
                                    present -> amend(view, amendment.change().apply(present), amendment));
        }));
    }

    /**
     * Returns the result if the same request was made earlier, or if the request expects a different override;
     * otherwise empty. Throws if the override has another format, because the change cannot be checked against settings
     * that this version cannot read.
     */
    private static Optional<Amendment.Result> unwritten(JobView view, Amendment amendment) {
        UnreadableNode.requireReplaceable(view.damages().override());
        Versioned<JobOverride> present = view.override();
        if (present != null
                && amendment.request() != null
                && present.value().requests().contains(amendment.request())) {
            return Optional.of(new Amendment.Unchanged(present, true));
        }
        return conflicts(view, amendment.expected()) ? Optional.of(new Amendment.Conflict(present)) : Optional.empty();
    }

    /**
     * Returns whether an operator expects an override that differs from the present one.
     *
     * @param expected transaction that wrote the expected override; 0 if no override is expected, null if any is
     *     accepted
     */
    private static boolean conflicts(JobView view, @Nullable Long expected) {
        UnreadableNode damage = view.damages().override();
        if (expected != null && damage != null) {
            throw CoordinationException.refused(damage.text());
        }
        Versioned<JobOverride> present = view.override();
        return expected != null && expected != (present == null ? 0 : present.mzxid());
    }

    private CompletionStage<Optional<Amendment.Result>> amend(JobView view, JobOverride wanted, Amendment amendment) {
        JobOverride before = view.overrideKnown() ? view.overrideOrNone() : JobOverride.NONE;
        int planned = view.plan() == null ? 0 : view.plan().value().fenceEpoch();
        Objects.requireNonNull(view.definition(), "definition")
                .value()
                .requireChange(before, wanted, planned, nodes.serverTime());
        if (view.overrideKnown() && wanted.after(before.requests(), null).equals(before)) {
            return CompletableFuture.completedStage(Optional.of(new Amendment.Unchanged(view.override(), false)));
        }
        JobOverride next = wanted.after(before.requests(), amendment.request());
        return nodes.send(write(view, next)).thenApply(outcome -> Nodes.settled(outcome, outcome)
                .map(done -> changed(view, next, (Outcome.Committed) done)));
    }

    private static Amendment.Result changed(JobView view, JobOverride next, Outcome.Committed commit) {
        Versioned<JobOverride> from = view.override();
        UnreadableNode damage = view.damages().override();
        Versioned<JobOverride> written = from != null
                ? from.next(next, commit.zxid(), commit.at())
                : damage != null
                        ? damage.replacedBy(next).next(next, commit.zxid(), commit.at())
                        : new Versioned<>(next, 1, commit.zxid(), commit.zxid(), commit.at(), new JsonObject());
        return new Amendment.Changed(
                written, JobOverride.changed(from == null ? JobOverride.NONE : from.value(), next));
    }

    @Override
    public CompletionStage<TransactionResult> endChanges(Leadership leader, JobView seen, JobOverride to) {
        Versioned<JobOverride> from = Objects.requireNonNull(seen.override(), "override");
        Versioned<ShardingPlan> plan = seen.plan();
        Nodes.Operations operations = new Nodes.Operations();
        TreeItems.guard(operations, leader);
        if (plan != null) {
            // after a purge, a new override may have the same version. In this case this check fails, because the plan
            // is gone
            operations.add(new NodeOp.Check(Paths.plan(seen.name()), plan.version()), About.PLAN);
        }
        byte[] data = Codec.encode(to, from.unknown());
        operations.add(new NodeOp.Set(Paths.override(seen.name()), data, from.version()), About.OVERRIDE);
        return nodes.commit(operations);
    }

    /**
     * Returns the override without the disabled items that have no record and whose instance no longer exists. An
     * instance id is never used again, so these items cannot come back. Disabled instances are kept, because their
     * processes may come back in a new session.
     */
    private CompletionStage<JobOverride> living(String job, JobOverride override) {
        Set<String> items = override.disabledItems();
        if (items.stream().noneMatch(TreeJobs::ofInstance)) {
            return CompletableFuture.completedStage(override);
        }
        return nodes.store
                .children(Paths.INSTANCES)
                .thenCombine(nodes.store.children(Paths.plan(job)), (living, records) -> {
                    Set<String> left = new TreeSet<>(items);
                    left.removeIf(item -> ofInstance(item) && !living.contains(item) && !records.contains(item));
                    JobOverride.Change origin = override.changes().get("disabledItems");
                    JobOverride next = override.withDisabledItems(left);
                    return origin == null ? next : next.because(origin, Set.of("disabledItems"));
                });
    }

    /**
     * Returns whether the item belongs to one instance. In this case its key is the instance's id, which contains an at
     * sign.
     */
    private static boolean ofInstance(String item) {
        return item.indexOf('@') >= 0;
    }

    /**
     * Returns the operations that write the override. A missing node is first created and then set, because only the
     * answer to a set contains the node's mzxid.
     */
    private static List<NodeOp> write(JobView view, JobOverride next) {
        String path = Paths.override(view.name());
        Versioned<JobOverride> from = view.override();
        UnreadableNode damage = view.damages().override();
        if (from != null) {
            return List.of(new NodeOp.Set(path, Codec.encode(next, from.unknown()), from.version()));
        }
        if (damage == null) {
            return List.of(
                    new NodeOp.Create(path, Nodes.NOTHING, NodeOp.Kind.PERSISTENT),
                    new NodeOp.Set(path, Codec.encode(next), NodeOp.ANY_VERSION));
        }
        log.warn("{}; this instance replaces it with {}", damage.text(), next);
        return List.of(new NodeOp.Set(path, Codec.encode(next), damage.version()));
    }

    @Override
    public CompletionStage<Optional<Amendment.Conflict>> purge(String job, @Nullable Long expected) {
        return Nodes.retrying("purge job '" + job + "'", () -> nodes.store
                        .children(Paths.JOBS)
                        .thenCompose(names -> {
                            if (!names.contains(job)) {
                                throw CoordinationException.notFound(
                                        "job '" + job + "' has no nodes, so there is nothing to"
                                                + " purge: it was purged before, or the name is wrong");
                            }
                            return job(job, true);
                        })
                        .thenCombine(membership.unreadableInstances(), TreeJobs::requireReadable)
                        .thenCombine(membership.instances(), TreeJobs::requirePurgeable)
                        .thenCompose(view -> beginPurge(view, expected)))
                .thenCompose(conflict -> conflict.isPresent()
                        ? CompletableFuture.completedStage(conflict)
                        : deleteTree(Paths.job(job)).thenApply(deleted -> conflict));
    }

    /**
     * Fails if an unreadable node could show that the job is in use: the node of an instance, or a node of the job that
     * another version may have written.
     */
    private static JobView requireReadable(JobView view, Map<String, UnreadableNode> instances) {
        view.requireReplaceable();
        instances.forEach((id, damage) -> {
            throw CoordinationException.refused("instance " + id + " may host job '" + view.name() + "', because "
                    + damage.text("the instance writes its node again, so repeat the purge"));
        });
        return view;
    }

    private static JobView requirePurgeable(JobView view, List<InstanceInfo> instances) {
        String job = view.name();
        ShardingPlan plan = view.plan() == null ? null : view.plan().value();
        boolean planned = plan == null ? view.definition() != null : !plan.removed();
        boolean removed = view.overrideKnown() && view.overrideOrNone().removed();
        if (planned && !(plan == null && removed)) {
            throw CoordinationException.refused("job '" + job + "' is not removed; remove it first");
        }
        List<String> hosts = InstanceInfo.hosting(job, instances).stream()
                .map(InstanceInfo::id)
                .toList();
        if (!hosts.isEmpty()) {
            throw CoordinationException.refused(
                    "job '" + job + "' is hosted by " + hosts + "; close its bootstrap there first");
        }
        return view;
    }

    /**
     * Deletes the definition of a removed job if the override is the expected one. If the job has neither a definition
     * nor an override, an earlier purge was interrupted, and this purge continues the earlier one.
     */
    private CompletionStage<Optional<Optional<Amendment.Conflict>>> beginPurge(JobView view, @Nullable Long expected) {
        Versioned<Definition> definition = view.definition();
        Versioned<JobOverride> override = view.override();
        boolean begun = Stream.of(
                        definition,
                        override,
                        view.damages().definition(),
                        view.damages().override())
                .allMatch(Objects::isNull);
        if (!begun && conflicts(view, expected)) {
            return CompletableFuture.completedStage(Optional.of(Optional.of(new Amendment.Conflict(override))));
        }
        List<NodeOp> operations = new ArrayList<>();
        if (override != null) {
            operations.add(new NodeOp.Check(Paths.override(view.name()), override.version()));
        }
        if (definition != null) {
            operations.add(new NodeOp.Delete(Paths.config(view.name()), definition.version()));
        }
        return operations.isEmpty()
                ? CompletableFuture.completedStage(Optional.of(Optional.empty()))
                : nodes.send(operations).thenApply(outcome -> Nodes.settled(outcome, Optional.empty()));
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
                        throw new UnknownOutcomeException("ZooKeeper did not answer while deleting " + path);
                    }
                    boolean filledMeanwhile = outcome instanceof Outcome.Rejected rejected
                            && rejected.reason() == Outcome.Reason.NOT_EMPTY;
                    return filledMeanwhile ? deleteTree(path) : CompletableFuture.completedStage(null);
                });
    }

    @Override
    public void follow(String job, boolean follow) {
        nodes.follow(Paths.plan(job), follow);
    }

    @Override
    public void followConfiguration(String job, boolean follow) {
        nodes.follow(Paths.config(job), follow);
        nodes.follow(Paths.override(job), follow);
    }
}
