package io.ostraka.core.coordination;

import com.google.gson.JsonParseException;
import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobConfiguration;
import io.ostraka.core.coordination.ItemTransaction.FireWrite;
import io.ostraka.core.coordination.ItemTransaction.Guard;
import io.ostraka.core.coordination.ItemTransaction.Move;
import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.coordination.Verdict.About;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.Handover;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.time.Clock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The protocol's words in terms of nodes. */
final class TreeCoordination implements Coordination {
    private static final Logger log = LoggerFactory.getLogger(TreeCoordination.class);
    private static final byte[] NOTHING = {};
    /** How often a change by reading and writing is begun again when someone else was faster, before it gives up. */
    private static final int TRIES = 20;

    private static final List<String> PARENTS =
            List.of(Tree.INSTANCES, Tree.LEADER, Tree.LATCH, Tree.TRIGGERS, Tree.JOBS, Tree.EPOCH);

    private final NodeStore store;
    private final Clock clock;
    private final AtomicLong lastAnsweredNanos;
    private volatile Duration serverAhead = Duration.ZERO;

    TreeCoordination(NodeStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
        this.lastAnsweredNanos = new AtomicLong(clock.monotonicNanos());
    }

    @Override
    public void start(Listener listener) {
        store.start(new Signals(listener));
        store.watch(Tree.TRIGGERS, false);
    }

    @Override
    public CompletionStage<Verdict> announce(InstanceInfo self) {
        String path = Tree.instance(self.id());
        byte[] data = Codec.encode(self);
        return commit(List.of(new NodeOp.Set(path, data, NodeOp.ANY_VERSION)), List.of(About.INSTANCE))
                .thenCompose(written -> !(written instanceof Verdict.Outdated)
                        ? CompletableFuture.completedStage(written)
                        : createParents()
                                .thenCompose(ready -> commit(
                                        List.of(new NodeOp.Create(path, data, NodeOp.Kind.EPHEMERAL)),
                                        List.of(About.INSTANCE))));
    }

    /** Creates what everything hangs on, one by one: whatever exists already is as good. */
    private CompletionStage<@Nullable Void> createParents() {
        CompletionStage<@Nullable Void> all = CompletableFuture.completedStage(null);
        for (String parent : PARENTS) {
            CompletionStage<Outcome> created =
                    send(List.of(new NodeOp.Create(parent, NOTHING, NodeOp.Kind.PERSISTENT)));
            all = all.thenCombine(created, (before, outcome) -> null);
        }
        return all;
    }

    @Override
    public CompletionStage<Verdict> withdraw(String instanceId) {
        return commit(
                List.of(new NodeOp.Delete(Tree.instance(instanceId), NodeOp.ANY_VERSION)), List.of(About.INSTANCE));
    }

    @Override
    public CompletionStage<List<InstanceInfo>> instances() {
        return readChildren(Tree.INSTANCES, InstanceInfo.class)
                .thenApply(found -> found.stream().map(Versioned::value).toList());
    }

    @Override
    public CompletionStage<Optional<JobConfiguration>> define(JobConfiguration definition) {
        return retrying("register job '" + definition.jobName() + "'", () -> job(definition.jobName())
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
            operations.add(new NodeOp.Create(Tree.job(job), NOTHING, NodeOp.Kind.PERSISTENT));
            operations.add(new NodeOp.Create(Tree.config(job), Codec.encode(definition), NodeOp.Kind.PERSISTENT));
            operations.add(new NodeOp.Create(Tree.handovers(job), NOTHING, NodeOp.Kind.PERSISTENT));
            operations.add(new NodeOp.Create(Tree.fires(job), NOTHING, NodeOp.Kind.PERSISTENT));
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
                : send(operations).thenApply(outcome -> settled(outcome, replaced));
    }

    /** What a change by reading and writing came to: its result, or empty to begin again. */
    private static <T> Optional<T> settled(Outcome outcome, T result) {
        if (outcome instanceof Outcome.Unknown) {
            throw new CoordinationException("no answer from ZooKeeper");
        }
        if (outcome instanceof Outcome.Rejected rejected && rejected.reason() == Outcome.Reason.REFUSED) {
            throw new CoordinationException("ZooKeeper refused the write; check its size limit and access rights");
        }
        return outcome instanceof Outcome.Committed ? Optional.of(result) : Optional.empty();
    }

    private static <T> CompletionStage<T> retrying(String what, Supplier<CompletionStage<Optional<T>>> attempt) {
        return retrying(what, attempt, TRIES);
    }

    private static <T> CompletionStage<T> retrying(
            String what, Supplier<CompletionStage<Optional<T>>> attempt, int tries) {
        return attempt.get().thenCompose(result -> {
            if (result.isPresent()) {
                return CompletableFuture.completedStage(result.get());
            }
            return tries > 1
                    ? retrying(what, attempt, tries - 1)
                    : CompletableFuture.failedStage(
                            new CoordinationException("could not " + what + ": others kept changing it; try again"));
        });
    }

    @Override
    public CompletionStage<Void> amend(String job, UnaryOperator<JobOverride> change) {
        return retrying("change job '" + job + "'", () -> job(job).thenCompose(view -> {
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
                    return send(List.of(write)).thenApply(outcome -> settled(outcome, true));
                }))
                .thenAccept(done -> {});
    }

    @Override
    public CompletionStage<Void> purge(String job) {
        return job(job).thenCombine(instances(), (view, instances) -> {
                    ShardingPlan plan = view.plan() == null ? null : view.plan().value();
                    if (plan != null && !plan.removed()) {
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
        return store.children(path)
                .thenCompose(names -> {
                    CompletionStage<@Nullable Void> all = CompletableFuture.completedStage(null);
                    for (String name : names) {
                        all = all.thenCombine(deleteTree(path + "/" + name), (before, done) -> null);
                    }
                    return all;
                })
                .thenCompose(empty -> send(List.of(new NodeOp.Delete(path, NodeOp.ANY_VERSION))))
                .thenAccept(outcome -> {
                    if (outcome instanceof Outcome.Unknown) {
                        throw new CoordinationException("no answer from ZooKeeper while deleting " + path);
                    }
                });
    }

    @Override
    public CompletionStage<List<String>> jobs() {
        return store.children(Tree.JOBS);
    }

    @Override
    public CompletionStage<JobView> job(String job) {
        CompletionStage<Part<JobConfiguration>> definition = part(Tree.config(job), JobConfiguration.class);
        CompletionStage<Part<JobOverride>> override = part(Tree.override(job), JobOverride.class);
        CompletionStage<Part<ShardingPlan>> plan = part(Tree.plan(job), ShardingPlan.class);
        return definition.thenCombine(override, Pair::new).thenCombine(plan, (both, third) -> {
            List<String> problems = new ArrayList<>();
            for (Part<?> part : List.of(both.first, both.second, third)) {
                if (part.problem != null) {
                    problems.add(part.problem);
                }
            }
            return new JobView(
                    job,
                    both.first.value,
                    both.second.value,
                    third.value,
                    problems.isEmpty() ? null : String.join("; ", problems));
        });
    }

    private record Pair<A, B>(A first, B second) {}

    /** A node that may be missing or unreadable. */
    private record Part<T>(@Nullable Versioned<T> value, @Nullable String problem) {}

    private <T> CompletionStage<Part<T>> part(String path, Class<T> type) {
        return read(path, false).thenApply(node -> part(node, type));
    }

    private static <T> Part<T> part(Optional<Node> node, Class<T> type) {
        try {
            return new Part<>(node.map(found -> Codec.decode(found, type)).orElse(null), null);
        } catch (JsonParseException e) {
            return new Part<>(null, e.getMessage());
        }
    }

    @Override
    public CompletionStage<List<ItemView>> items(String job, Collection<String> items, boolean watchRunning) {
        if (items.isEmpty()) {
            return CompletableFuture.completedStage(List.of());
        }
        CompletionStage<Void> synced = store.sync();
        return all(items.stream().map(item -> item(job, item, watchRunning)).toList())
                .thenCombine(synced, (views, done) -> views);
    }

    private CompletionStage<ItemView> item(String job, String item, boolean watchRunning) {
        CompletionStage<Part<Handover>> handover = part(Tree.handover(job, item), Handover.class);
        return part(Tree.record(job, item), ItemRecord.class).thenCompose(record -> {
            Versioned<ItemRecord> found = record.value;
            if (found == null || !found.value().unfinished()) {
                // running is read after the record all the same: a late completion may have left none, a fault one
                return running(job, item, watchRunning)
                        .thenCombine(
                                handover,
                                (owner, node) ->
                                        new ItemView(item, found, owner, false, valueOf(node), record.problem));
            }
            // the owner is looked for after running: a session's nodes go together, so that "running gone, owner there"
            // is never a sight of a session that was ending in between
            CompletionStage<Long> running = running(job, item, watchRunning);
            CompletionStage<Optional<Node>> owner =
                    read(Tree.instance(found.value().requireRun().owner()), false);
            return running.thenCombine(owner, Pair::new)
                    .thenCombine(
                            handover,
                            (both, node) -> new ItemView(
                                    item, found, both.first, both.second.isPresent(), valueOf(node), record.problem));
        });
    }

    private static <T> @Nullable T valueOf(Part<T> part) {
        return part.value == null ? null : part.value.value();
    }

    private CompletionStage<Long> running(String job, String item, boolean watch) {
        return read(Tree.running(job, item), watch)
                .thenApply(node -> node.map(Node::ephemeralOwner).orElse(0L));
    }

    @Override
    public CompletionStage<List<String>> itemKeys(String job) {
        return store.children(Tree.plan(job))
                .thenApply(keys -> keys.stream().sorted(ShardingPlan.ITEM_ORDER).toList());
    }

    @Override
    public CompletionStage<Verdict> commit(ItemTransaction transaction) {
        String job = transaction.job();
        Operations operations = new Operations();
        Guard guard = transaction.guard();
        if (guard != null) {
            operations.add(new NodeOp.Check(Tree.instance(guard.instanceId()), NodeOp.ANY_VERSION), About.INSTANCE);
            operations.add(new NodeOp.Check(Tree.plan(job), guard.planVersion()), About.PLAN);
            if (guard.trigger() != null) {
                operations.add(new NodeOp.Check(Tree.trigger(guard.trigger()), NodeOp.ANY_VERSION), About.TRIGGER);
            }
        }
        for (Move move : transaction.moves()) {
            String item = move.item();
            byte[] data = Codec.encode(move.to(), move.from().unknown());
            operations.add(
                    new NodeOp.Set(Tree.record(job, item), data, move.from().version()), About.RECORD, item);
            String running = Tree.running(job, item);
            switch (move.running()) {
                case CREATE -> {
                    byte[] who = Codec.encode(move.to().requireRun());
                    operations.add(new NodeOp.Create(running, who, NodeOp.Kind.EPHEMERAL), About.RUNNING, item);
                }
                case DELETE -> operations.add(new NodeOp.Delete(running, NodeOp.ANY_VERSION), About.RUNNING, item);
                case LEAVE -> {}
            }
            if (move.deleteHandover()) {
                operations.add(new NodeOp.Delete(Tree.handover(job, item), NodeOp.ANY_VERSION), About.HANDOVER, item);
            }
        }
        FireWrite fire = transaction.fire();
        if (fire != null) {
            Versioned<FireProgress> from = fire.from();
            String path = Tree.fire(job, fire.fire());
            operations.add(
                    from == null
                            ? new NodeOp.Create(path, Codec.encode(fire.to()), NodeOp.Kind.PERSISTENT)
                            : new NodeOp.Set(path, Codec.encode(fire.to(), from.unknown()), from.version()),
                    About.FIRE);
            if (fire.deleteTrigger()) {
                operations.add(new NodeOp.Delete(Tree.trigger(fire.to().trigger()), NodeOp.ANY_VERSION), About.TRIGGER);
            }
        }
        return commit(operations);
    }

    @Override
    public CompletionStage<Verdict> commit(PlanTransaction transaction) {
        String job = transaction.job();
        Operations operations = new Operations();
        guard(operations, transaction.leader());
        Versioned<ShardingPlan> from = transaction.from();
        ShardingPlan to = transaction.to();
        if (from == null) {
            byte[] data = Codec.encode(Objects.requireNonNull(to, "a plan that is created"));
            operations.add(new NodeOp.Create(Tree.plan(job), data, NodeOp.Kind.PERSISTENT), About.PLAN);
        } else if (to == null) {
            operations.add(new NodeOp.Check(Tree.plan(job), from.version()), About.PLAN);
        } else {
            byte[] data = Codec.encode(to, from.unknown());
            operations.add(new NodeOp.Set(Tree.plan(job), data, from.version()), About.PLAN);
        }
        transaction.records().forEach(write -> {
            Versioned<ItemRecord> known = write.from();
            String path = Tree.record(job, write.item());
            operations.add(
                    known == null
                            ? new NodeOp.Create(path, Codec.encode(write.to()), NodeOp.Kind.PERSISTENT)
                            : new NodeOp.Set(path, Codec.encode(write.to(), known.unknown()), known.version()),
                    About.RECORD,
                    write.item());
        });
        transaction.handovers().forEach((item, write) -> {
            String path = Tree.handover(job, item);
            byte[] data = Codec.encode(write.handover());
            operations.add(
                    write.exists()
                            ? new NodeOp.Set(path, data, NodeOp.ANY_VERSION)
                            : new NodeOp.Create(path, data, NodeOp.Kind.PERSISTENT),
                    About.HANDOVER,
                    item);
        });
        transaction
                .staleHandovers()
                .forEach(item -> operations.add(
                        new NodeOp.Delete(Tree.handover(job, item), NodeOp.ANY_VERSION), About.HANDOVER, item));
        return commit(operations);
    }

    /** Refuses everything of a leader that has lost its place: its candidate node is gone, or another took the epoch. */
    private static void guard(Operations operations, Leadership leader) {
        operations.add(new NodeOp.Check(leader.candidate(), NodeOp.ANY_VERSION), About.LEADERSHIP);
        operations.add(new NodeOp.Check(Tree.EPOCH, leader.epoch()), About.LEADERSHIP);
    }

    @Override
    public CompletionStage<Void> trigger(Trigger.Request request) {
        return retrying("trigger job '" + request.job() + "'", () -> known(request)
                        .thenCompose(known -> known
                                ? CompletableFuture.completedStage(Optional.of(true))
                                : send(List.of(new NodeOp.Create(
                                                Tree.trigger("t-"),
                                                Codec.encode(request),
                                                NodeOp.Kind.PERSISTENT_SEQUENTIAL)))
                                        .thenApply(outcome -> settled(outcome, true))))
                .thenAccept(done -> {});
    }

    /** Whether the trigger has been accepted: it waits, or its fire has begun, or ended within the hour. */
    private CompletionStage<Boolean> known(Trigger.Request request) {
        CompletionStage<Void> synced = store.sync();
        // the trigger's node goes in the transaction that ends its fire, so it is looked for first
        return triggers()
                .thenCombine(
                        fire(request.job(), request.runId()),
                        (waiting, begun) -> begun.isPresent()
                                || waiting.stream()
                                        .anyMatch(trigger ->
                                                trigger.request().runId().equals(request.runId())))
                .thenCombine(synced, (known, done) -> known);
    }

    @Override
    public CompletionStage<List<Trigger>> triggers() {
        return store.children(Tree.TRIGGERS)
                .thenCompose(names -> all(names.stream()
                        .map(name -> read(Tree.trigger(name), false))
                        .toList()))
                .thenApply(nodes -> nodes.stream()
                        .flatMap(Optional::stream)
                        .flatMap(node -> readable(node, Trigger.Request.class)
                                .map(request -> new Trigger(
                                        Tree.name(node.path()), node.czxid(), node.created(), request.value()))
                                .stream())
                        .sorted(Comparator.comparingLong(Trigger::zxid))
                        .toList());
    }

    @Override
    public CompletionStage<Optional<Versioned<FireProgress>>> fire(String job, String fire) {
        return read(Tree.fire(job, fire), false)
                .thenApply(node -> node.flatMap(found -> readable(found, FireProgress.class)));
    }

    @Override
    public CompletionStage<List<String>> fires(String job) {
        return store.children(Tree.fires(job));
    }

    @Override
    public CompletionStage<Void> forgetFire(String job, String fire, Instant endedBefore) {
        return fire(job, fire)
                .thenCompose(found -> found.isPresent()
                                && found.get().value().done()
                                && found.get().modified().isBefore(endedBefore)
                        ? send(List.of(new NodeOp.Delete(
                                Tree.fire(job, fire), found.get().version())))
                        : CompletableFuture.completedStage(new Outcome.Unknown()))
                .thenAccept(outcome -> {});
    }

    @Override
    public CompletionStage<Optional<byte[]>> checkpoint(String job, String item) {
        return read(Tree.checkpoint(job, item), false).thenApply(node -> node.map(Node::data));
    }

    @Override
    public CompletionStage<Verdict> saveCheckpoint(String job, String item, int recordVersion, byte[] checkpoint) {
        NodeOp.Check owned = new NodeOp.Check(Tree.record(job, item), recordVersion);
        String path = Tree.checkpoint(job, item);
        List<About> abouts = List.of(About.RECORD, About.RUNNING);
        return commit(List.of(owned, new NodeOp.Set(path, checkpoint, NodeOp.ANY_VERSION)), abouts)
                .thenCompose(verdict -> verdict instanceof Verdict.Outdated outdated
                                && outdated.about() == About.RUNNING
                        ? commit(List.of(owned, new NodeOp.Create(path, checkpoint, NodeOp.Kind.PERSISTENT)), abouts)
                        : CompletableFuture.completedStage(verdict));
    }

    @Override
    public void followJob(String job, boolean follow) {
        follow(Tree.plan(job), follow);
    }

    @Override
    public void followConfiguration(String job, boolean follow) {
        follow(Tree.config(job), follow);
        follow(Tree.override(job), follow);
    }

    @Override
    public void followFire(String job, String fire, boolean follow) {
        follow(Tree.fire(job, fire), follow);
    }

    private void follow(String path, boolean follow) {
        if (follow) {
            store.watch(path, false);
        } else {
            store.unwatch(path);
        }
    }

    @Override
    public void campaign(String instanceId) {
        store.campaign(Tree.LATCH, instanceId);
    }

    @Override
    public void resign() {
        store.unwatch(Tree.INSTANCES);
        store.resign();
    }

    @Override
    public CompletionStage<Leadership> lead(String candidate) {
        store.watch(Tree.INSTANCES, true);
        byte[] data = Tree.name(candidate).getBytes(StandardCharsets.UTF_8);
        return retrying("take the leader's epoch", () -> read(Tree.EPOCH, false).thenCompose(epoch -> {
            int version = epoch.orElseThrow(() -> new CoordinationException(Tree.EPOCH + " is missing"))
                    .version();
            return send(List.of(
                            new NodeOp.Check(candidate, NodeOp.ANY_VERSION), new NodeOp.Set(Tree.EPOCH, data, version)))
                    .thenApply(outcome -> {
                        if (outcome instanceof Outcome.Rejected rejected && rejected.index() == 0) {
                            throw new CoordinationException("leadership was lost before the epoch was taken");
                        }
                        return settled(outcome, new Leadership(candidate, version + 1));
                    });
        }));
    }

    @Override
    public void ping() {
        read(Tree.EPOCH, false);
    }

    @Override
    public Duration lastAnswerAge() {
        return Duration.ofNanos(clock.monotonicNanos() - lastAnsweredNanos.get());
    }

    @Override
    public Instant serverTime() {
        return clock.now().plus(serverAhead);
    }

    @Override
    public void close() {
        store.close();
    }

    private <T> CompletionStage<List<Versioned<T>>> readChildren(String parent, Class<T> type) {
        return store.children(parent)
                .thenCompose(names -> all(names.stream()
                        .map(name -> read(parent + "/" + name, false))
                        .toList()))
                .thenApply(nodes -> nodes.stream()
                        .flatMap(Optional::stream)
                        .flatMap(node -> readable(node, type).stream())
                        .toList());
    }

    private static <T> Optional<Versioned<T>> readable(Node node, Class<T> type) {
        try {
            return Optional.of(Codec.decode(node, type));
        } catch (JsonParseException e) {
            log.warn("{}; it is left out, correct or delete it", e.getMessage());
            return Optional.empty();
        }
    }

    private static <T> CompletionStage<List<T>> all(List<CompletionStage<T>> stages) {
        CompletableFuture<?>[] futures =
                stages.stream().map(CompletionStage::toCompletableFuture).toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(futures).thenApply(done -> stages.stream()
                .map(stage -> stage.toCompletableFuture().join())
                .toList());
    }

    private CompletionStage<Optional<Node>> read(String path, boolean watch) {
        long sent = clock.monotonicNanos();
        return store.read(path, watch).thenApply(node -> {
            answered(sent);
            return node;
        });
    }

    private CompletionStage<Outcome> send(List<NodeOp> operations) {
        long sent = clock.monotonicNanos();
        return store.commit(operations).thenApply(outcome -> {
            if (!(outcome instanceof Outcome.Unknown)) {
                answered(sent);
            }
            if (outcome instanceof Outcome.Committed committed && committed.zxid() != 0) {
                serverAhead = Duration.between(clock.now(), committed.at());
            }
            return outcome;
        });
    }

    private void answered(long sentNanos) {
        lastAnsweredNanos.accumulateAndGet(sentNanos, (known, sent) -> sent - known > 0 ? sent : known);
    }

    private CompletionStage<Verdict> commit(List<NodeOp> operations, List<About> abouts) {
        Operations all = new Operations();
        for (int i = 0; i < operations.size(); i++) {
            all.add(operations.get(i), abouts.get(i));
        }
        return commit(all);
    }

    private CompletionStage<Verdict> commit(Operations operations) {
        return send(operations.list).thenApply(outcome -> {
            if (outcome instanceof Outcome.Committed committed) {
                return new Verdict.Done(committed);
            }
            if (outcome instanceof Outcome.Rejected rejected) {
                return rejected.index() < 0 || rejected.reason() == Outcome.Reason.REFUSED
                        ? new Verdict.Refused()
                        : new Verdict.Outdated(
                                operations.abouts.get(rejected.index()), operations.items.get(rejected.index()));
            }
            return new Verdict.Unknown();
        });
    }

    /** Operations, and what each is about. */
    private static final class Operations {
        final List<NodeOp> list = new ArrayList<>();
        final List<About> abouts = new ArrayList<>();
        final List<@Nullable String> items = new ArrayList<>();

        void add(NodeOp operation, About about) {
            add(operation, about, null);
        }

        void add(NodeOp operation, About about, @Nullable String item) {
            list.add(operation);
            abouts.add(about);
            items.add(item);
        }
    }

    /** Tells paths apart. */
    private record Signals(Listener listener) implements NodeStore.Listener {
        @Override
        public void connected(long sessionId, Duration sessionTimeout) {
            listener.connected(sessionId, sessionTimeout);
        }

        @Override
        public void suspended() {
            listener.suspended();
        }

        @Override
        public void lost() {
            listener.lost();
        }

        @Override
        public void leadership(Optional<String> candidate) {
            listener.leadership(candidate);
        }

        @Override
        public void changed(String path) {
            String[] parts = path.split("/", -1);
            if (path.startsWith(Tree.INSTANCES)) {
                listener.instancesChanged();
            } else if (path.startsWith(Tree.TRIGGERS)) {
                listener.triggersChanged();
            } else if (parts.length >= 4 && path.startsWith(Tree.JOBS)) {
                switch (parts[3]) {
                    case "config", "override" -> listener.configurationChanged(parts[2]);
                    case "fires" -> listener.fireChanged(parts[2], Tree.name(path));
                    case "sharding" -> {
                        if (parts.length == 4) {
                            listener.planChanged(parts[2]);
                        } else {
                            listener.runningGone(parts[2], parts[4]);
                        }
                    }
                    default -> log.debug("change of {} is of no concern", path);
                }
            }
        }
    }
}
