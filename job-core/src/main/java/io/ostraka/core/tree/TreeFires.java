package io.ostraka.core.tree;

import io.ostraka.core.coordination.Cancellation;
import io.ostraka.core.coordination.Fires;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.coordination.TransactionResult.About;
import io.ostraka.core.model.DelayedTrigger;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.model.FireView;
import io.ostraka.core.model.PendingTriggers;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Triggers;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.UnreadableTrigger;
import io.ostraka.core.model.Versioned;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Stores manual triggers, stops, and the progress of fires in nodes. */
final class TreeFires implements Fires {
    private static final Duration TRUST = Duration.ofMinutes(1);

    private final Nodes nodes;
    private final DelayedNodes delayed;
    /** Runs one read of the triggers at a time, so that only one read accesses {@link #known}. */
    private final CoalescedRead<Triggers> triggers = new CoalescedRead<>(this::readTriggers);
    /**
     * Cache of triggers, by the name of their node. The engine never changes a trigger's node and never reuses its
     * name. A person may change such a node, so all triggers are read again after a minute.
     */
    private volatile Map<String, Trigger> known = Map.of();

    private volatile long allReadNanos;

    /** Cache of stops, by name. A stop's node never changes. */
    private volatile Map<String, FireStop> knownStops = Map.of();

    TreeFires(Nodes nodes) {
        this.nodes = nodes;
        this.delayed = new DelayedNodes(nodes);
    }

    @Override
    public CompletionStage<Boolean> trigger(Trigger.Request request, boolean asked) {
        AtomicBoolean sent = new AtomicBoolean(asked);
        return Nodes.retrying("trigger job '" + request.job() + "'", () -> (sent.getAndSet(true)
                        ? accepted(request.job(), request.runId())
                        : CompletableFuture.completedStage(false))
                .thenCompose(known -> known
                        ? CompletableFuture.completedStage(Optional.of(true))
                        : nodes.send(List.of(TriggerNodes.defined(request.job()), TriggerNodes.creating(request)))
                                .thenApply(outcome -> TriggerNodes.undefined(outcome)
                                        ? Optional.of(false)
                                        : Nodes.settled(outcome, true))));
    }

    @Override
    public CompletionStage<Optional<String>> triggerLater(Trigger.Request request, String key, Duration delay) {
        return Nodes.retrying(
                "schedule a delayed trigger of job '" + request.job() + "'",
                () -> nodes.store.sync().thenCompose(synced -> {
                    DelayedTrigger wanted = new DelayedTrigger(key, delay, request);
                    // a delayed trigger becomes a trigger and then a fire, so the nodes are read in this order
                    return nodes.readAlone(Paths.delayed(wanted), false).thenCompose(node -> {
                        UnreadableNode damage =
                                nodes.part(node, DelayedTrigger.class).damage();
                        UnreadableNode.requireReplaceable(damage);
                        Optional<Versioned<DelayedTrigger>> waits = node.flatMap(delayed::decoded);
                        return waits.isPresent()
                                ? done(waits.get().value().request().runId())
                                : accepted(request.job(), request.runId())
                                        .thenCompose(known -> known ? done(request.runId()) : create(wanted, node));
                    });
                }));
    }

    /** Creates the node of a delayed trigger, or replaces an unreadable one. */
    private CompletionStage<Optional<Optional<String>>> create(DelayedTrigger wanted, Optional<Node> damaged) {
        String path = Paths.delayed(wanted);
        byte[] data = Codec.encode(wanted);
        NodeOp write = damaged.isPresent()
                ? new NodeOp.Set(path, data, damaged.get().version())
                : new NodeOp.Create(path, data, NodeOp.Kind.PERSISTENT);
        return nodes.send(
                        List.of(TriggerNodes.defined(wanted.request().job()), write, DelayedNodes.creatingRun(wanted)))
                .thenApply(outcome -> TriggerNodes.undefined(outcome)
                        ? Optional.of(Optional.empty())
                        : Nodes.settled(outcome, Optional.of(wanted.request().runId())));
    }

    private static CompletionStage<Optional<Optional<String>>> done(String runId) {
        return CompletableFuture.completedStage(Optional.of(Optional.of(runId)));
    }

    @Override
    public CompletionStage<List<Versioned<DelayedTrigger>>> delayed() {
        return delayed.all();
    }

    @Override
    public CompletionStage<TransactionResult> release(Leadership leader, Versioned<DelayedTrigger> due) {
        return delayed.release(leader, due);
    }

    @Override
    public CompletionStage<TransactionResult> drop(Leadership leader, Versioned<DelayedTrigger> due) {
        return delayed.drop(leader, due);
    }

    @Override
    public CompletionStage<Cancellation> cancel(String job, String named, String by, @Nullable String reason) {
        return delayed.cancel(job, named, by, reason, this::triggers);
    }

    @Override
    public CompletionStage<PendingTriggers> pending(String job) {
        // a delayed trigger becomes a trigger and then a fire, so the nodes are read in this order
        return delayed.of(job).thenCompose(later -> triggers().thenCompose(all -> {
            Triggers ofJob = all.of(job);
            List<String> fires = ofJob.readable().stream()
                    .map(trigger -> trigger.request().runId())
                    .toList();
            return look(job, fires).thenApply(views -> pending(later, ofJob, views));
        }));
    }

    private static PendingTriggers pending(DelayedNodes.OfJob later, Triggers ofJob, List<FireView> fires) {
        return new PendingTriggers(
                later.readable().stream()
                        .sorted(Comparator.comparing(DelayedTrigger::due))
                        .toList(),
                IntStream.range(0, fires.size())
                        .mapToObj(i -> {
                            Versioned<FireProgress> progress = fires.get(i).progress();
                            return new PendingTriggers.Pending(
                                    ofJob.readable().get(i), progress == null ? null : progress.value());
                        })
                        .toList(),
                Stream.concat(later.unreadable().stream(), ofJob.unreadable().stream())
                        .toList());
    }

    @Override
    public CompletionStage<Boolean> accepted(String job, String runId) {
        // a delayed trigger becomes a trigger and then a fire, so the nodes are read in this order
        return nodes.store
                .sync()
                .thenCompose(synced -> delayed.waits(job, runId))
                .thenCompose(later -> triggers().thenCompose(all -> nodes.read(Paths.fire(job, runId))
                        .thenApply(begun -> later
                                || begun.isPresent() // even if the node is unreadable: the fire must not run twice
                                || all.of(job).readable().stream()
                                        .anyMatch(trigger ->
                                                trigger.request().runId().equals(runId)))));
    }

    @Override
    public CompletionStage<Triggers> triggers() {
        return triggers.get();
    }

    private CompletionStage<Triggers> readTriggers() {
        long now = nodes.clock.monotonicNanos();
        boolean all = known.isEmpty() || now - allReadNanos > TRUST.toNanos();
        Map<String, Trigger> before = all ? Map.of() : known;
        if (all) {
            allReadNanos = now;
        }
        return nodes.store.children(Paths.TRIGGERS).thenCompose(names -> {
            List<Trigger> present = new ArrayList<>();
            List<String> unread = new ArrayList<>();
            for (String name : names) {
                Trigger trigger = before.get(name);
                if (trigger == null) {
                    unread.add(Paths.trigger(name));
                } else {
                    present.add(trigger);
                }
            }
            return nodes.read(unread, false).thenApply(read -> {
                Triggers found =
                        triggers(read.stream().flatMap(Optional::stream).toList(), present);
                known = found.readable().stream().collect(Collectors.toMap(Trigger::name, trigger -> trigger));
                return found;
            });
        });
    }

    /** Decodes triggers, and adds them to the triggers that are already known. */
    private Triggers triggers(List<Node> read, List<Trigger> others) {
        List<Trigger> readable = new ArrayList<>(others);
        List<UnreadableTrigger> unreadable = new ArrayList<>();
        for (Node node : read) {
            String name = Paths.name(node.path());
            Nodes.Part<Trigger.Request> request = nodes.part(Optional.of(node), Trigger.Request.class);
            if (request.value() != null) {
                readable.add(new Trigger(
                        name,
                        node.czxid(),
                        node.stat().created(),
                        request.value().value()));
            } else if (request.damage() != null) {
                unreadable.add(new UnreadableTrigger(name, node.czxid(), Codec.jobOf(node), request.damage()));
            }
        }
        return new Triggers(readable, unreadable);
    }

    @Override
    public CompletionStage<TransactionResult> stop(FireStop stop) {
        Nodes.Operations operations = new Nodes.Operations();
        operations.add(TriggerNodes.defined(stop.job()), About.DEFINITION);
        operations.add(
                new NodeOp.Create(Paths.stop(stop), Codec.encode(request(stop)), NodeOp.Kind.PERSISTENT), About.STOP);
        return nodes.send(operations.list)
                .thenCompose(outcome -> lacksParent(outcome)
                        ? nodes.commit(operations) // the first attempt has created the missing parent
                        : CompletableFuture.completedStage(operations.result(outcome)));
    }

    /**
     * Returns whether an operation after the first was rejected because its node, or the parent of a node to create,
     * does not exist.
     */
    static boolean lacksParent(Outcome outcome) {
        return outcome instanceof Outcome.Rejected rejected
                && rejected.index() > 0
                && rejected.reason() == Outcome.Reason.NO_NODE;
    }

    private static FireStop.Request request(FireStop stop) {
        FireStop.Request request = stop.request();
        if (request == null) {
            throw new IllegalArgumentException("stop " + stop.name() + " names no actor");
        }
        return request;
    }

    @Override
    public CompletionStage<List<FireStop>> stops() {
        return nodes.store.children(Paths.STOPS).thenCompose(names -> {
            Map<String, FireStop> before = knownStops;
            List<FireStop> named = names.stream()
                    .flatMap(name -> FireStop.named(name).stream())
                    .toList();
            List<FireStop> unread = named.stream()
                    .filter(stop -> !before.containsKey(stop.name()))
                    .toList();
            return nodes.read(unread.stream().map(Paths::stop).toList(), false).thenApply(read -> {
                Map<String, FireStop> present = new HashMap<>();
                named.forEach(stop -> present.put(stop.name(), before.getOrDefault(stop.name(), stop)));
                for (int i = 0; i < unread.size(); i++) {
                    FireStop stop = unread.get(i);
                    if (read.get(i).isEmpty()) {
                        present.remove(stop.name()); // the node was deleted after its name was read
                    } else {
                        present.put(stop.name(), stop.with(content(read.get(i).get())));
                    }
                }
                knownStops = present;
                return List.copyOf(present.values());
            });
        });
    }

    private FireStop.@Nullable Request content(Node node) {
        Nodes.Part<FireStop.Request> part = nodes.part(Optional.of(node), FireStop.Request.class);
        if (part.damage() != null) {
            Nodes.log.warn(
                    "{}; the stop has its effect, but its operator is unknown",
                    part.damage().text());
        }
        return Nodes.valueOf(part);
    }

    @Override
    public CompletionStage<TransactionResult> deleteStop(Leadership leader, FireStop stop) {
        Nodes.Operations operations = new Nodes.Operations();
        TreeItems.guard(operations, leader);
        operations.add(new NodeOp.Delete(Paths.stop(stop), NodeOp.ANY_VERSION), About.STOP);
        return nodes.commit(operations);
    }

    @Override
    public CompletionStage<Optional<Versioned<FireProgress>>> progress(String job, String fire) {
        return nodes.read(Paths.fire(job, fire))
                .thenApply(node -> node.flatMap(found -> nodes.readable(found, FireProgress.class)));
    }

    @Override
    public CompletionStage<Optional<Versioned<FireProgress>>> awaited(String job, String fire) {
        return nodes.readAlone(Paths.fire(job, fire), true)
                .thenApply(node -> node.flatMap(found -> nodes.readable(found, FireProgress.class)));
    }

    @Override
    public CompletionStage<FireView> look(String job, String fire) {
        return nodes.read(Paths.fire(job, fire)).thenApply(node -> kept(fire, node));
    }

    @Override
    public CompletionStage<List<FireView>> look(String job, List<String> fires) {
        return nodes.readPatiently(
                        fires.stream().map(fire -> Paths.fire(job, fire)).toList())
                .thenApply(read -> IntStream.range(0, fires.size())
                        .mapToObj(i -> kept(fires.get(i), read.get(i)))
                        .toList());
    }

    private FireView kept(String fire, Optional<Node> node) {
        Nodes.Part<FireProgress> part = nodes.part(node, FireProgress.class);
        return new FireView(fire, part.value(), part.damage());
    }

    @Override
    public CompletionStage<Outcome> delete(String job, String fire, int version) {
        return nodes.send(List.of(new NodeOp.Delete(Paths.fire(job, fire), version)));
    }

    @Override
    public void sweep(Leadership leader) {
        sweep(Paths.TRIGGERS, Trigger.Request.class);
        sweep(Paths.DELAYED, DelayedTrigger.class);
        delayed.sweepRuns(leader);
    }

    private void sweep(String parent, Class<?> type) {
        nodes.children(parent)
                .thenAccept(found -> found.forEach(node -> {
                    UnreadableNode damage = nodes.part(Optional.of(node), type).damage();
                    if (damage != null && damage.replaceable()) {
                        Nodes.log.error("{}; the leader deletes this trigger, trigger the job again", damage.text());
                        nodes.send(List.of(new NodeOp.Delete(node.path(), damage.version())));
                    }
                }));
    }

    @Override
    public CompletionStage<List<String>> kept(String job) {
        return nodes.store.children(Paths.fires(job));
    }

    @Override
    public CompletionStage<Triggers> trigger(String name) {
        return nodes.read(Paths.trigger(name))
                .thenApply(node -> triggers(node.stream().toList(), List.of()));
    }

    @Override
    public void followTriggers() {
        nodes.store.watch(Paths.TRIGGERS, true);
    }

    @Override
    public void followStops() {
        nodes.store.watch(Paths.STOPS, true); // the path of a new node shows an eviction
    }

    @Override
    public void follow(String job, boolean follow) {
        if (follow) {
            nodes.store.watch(Paths.fires(job), true);
        } else {
            nodes.store.unwatch(Paths.fires(job));
        }
    }
}
