package io.ostraka.core.tree;

import io.ostraka.core.coordination.Membership;
import io.ostraka.core.coordination.OrdersResult;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.coordination.TransactionResult.About;
import io.ostraka.core.model.HealthDigest;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.Names;
import io.ostraka.core.model.Orders;
import io.ostraka.core.model.OrdersView;
import io.ostraka.core.model.PublishedDigest;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stores the registrations of instances and the leader's epoch in nodes. */
final class TreeMembership implements Membership {
    private static final Logger log = LoggerFactory.getLogger(TreeMembership.class);
    /** Separates the two parts of the epoch node's content: the leader's candidate node and the id of its instance. */
    private static final char SEPARATOR = ' ';

    private final Nodes nodes;
    private volatile String campaigner = "";
    private final CoalescedRead<List<InstanceInfo>> instances = new CoalescedRead<>(this::readInstances);
    private final CoalescedRead<List<PublishedDigest>> digests = new CoalescedRead<>(this::readDigests);

    private final AtomicBoolean lookedAround = new AtomicBoolean();

    TreeMembership(Nodes nodes) {
        this.nodes = nodes;
    }

    @Override
    public CompletionStage<TransactionResult> announce(InstanceInfo self) {
        String path = Paths.instance(self.id());
        byte[] data = Codec.encode(self);
        return nodes.commit(List.of(new NodeOp.Set(path, data, NodeOp.ANY_VERSION)), List.of(About.INSTANCE))
                .thenCompose(written -> !(written instanceof TransactionResult.Outdated)
                        ? CompletableFuture.completedStage(written)
                        : lookAround()
                                .thenCompose(looked -> nodes.createParents())
                                .thenCompose(ready -> create(path, data)));
    }

    /**
     * Logs the content of the namespace once. If two applications share a namespace by mistake, only this message shows
     * the mistake.
     */
    private CompletionStage<@Nullable Void> lookAround() {
        if (!lookedAround.compareAndSet(false, true)) {
            return CompletableFuture.completedStage(null);
        }
        CompletionStage<List<String>> instances = nodes.store.children(Paths.INSTANCES);
        return nodes.store
                .children("/")
                .thenCombine(nodes.store.children(Paths.JOBS), (all, jobs) -> {
                    List<String> foreign = all.stream()
                            .filter(name -> !Paths.PARENTS.contains("/" + name)
                                    && !Paths.ORDERS.equals("/" + name)
                                    && !Paths.ALARMS.equals("/" + name))
                            .toList();
                    if (!foreign.isEmpty()) {
                        log.warn(
                                "the namespace holds nodes that this library does not create: {}; if another application uses"
                                        + " it, choose a namespace for this one alone",
                                Names.listed(foreign));
                    }
                    return jobs;
                })
                .thenCombine(instances, (jobs, others) -> {
                    if (!jobs.isEmpty()) {
                        log.info(
                                "joined a namespace in use; other instances: {}, jobs: {} ({})",
                                others.size(),
                                jobs.size(),
                                Names.listed(jobs));
                    }
                    return (@Nullable Void) null;
                })
                .exceptionally(error -> {
                    lookedAround.set(false); // so that the next attempt logs the content
                    return null;
                });
    }

    /**
     * Creates the node and also sets it in the same transaction, because the answer to a creation does not contain the
     * server's time.
     */
    private CompletionStage<TransactionResult> create(String path, byte[] data) {
        return nodes.commit(
                List.of(new NodeOp.Create(path, data, NodeOp.Kind.EPHEMERAL), new NodeOp.Set(path, data, 0)),
                List.of(About.INSTANCE, About.INSTANCE));
    }

    @Override
    public CompletionStage<TransactionResult> withdraw(String instanceId) {
        return nodes.commit(
                List.of(new NodeOp.Delete(Paths.instance(instanceId), NodeOp.ANY_VERSION)), List.of(About.INSTANCE));
    }

    @Override
    public CompletionStage<List<InstanceInfo>> instances() {
        return instances.get();
    }

    private CompletionStage<List<InstanceInfo>> readInstances() {
        return nodes.children(Paths.INSTANCES).thenApply(found -> found.stream()
                .filter(node -> node.ephemeralOwner() != 0) // a person's node, which would stay forever
                .flatMap(node -> nodes.readable(node, InstanceInfo.class).stream()
                        .map(Versioned::value)
                        .filter(instance -> instance.id().equals(Paths.name(node.path()))))
                .toList());
    }

    @Override
    public CompletionStage<Map<String, UnreadableNode>> unreadableInstances() {
        return nodes.children(Paths.INSTANCES).thenApply(found -> {
            Map<String, UnreadableNode> unreadable = new TreeMap<>();
            for (Node node : found) {
                UnreadableNode damage =
                        nodes.part(Optional.of(node), InstanceInfo.class).damage();
                if (damage != null && node.ephemeralOwner() != 0) {
                    unreadable.put(Paths.name(node.path()), damage);
                }
            }
            return unreadable;
        });
    }

    @Override
    public CompletionStage<Optional<InstanceInfo>> instance(String id) {
        return nodes.read(Paths.instance(id))
                .thenApply(node -> node.flatMap(found -> nodes.readable(found, InstanceInfo.class))
                        .map(Versioned::value));
    }

    @Override
    public CompletionStage<Boolean> registered(String id) {
        return nodes.read(Paths.instance(id)).thenApply(node -> node.filter(found -> found.ephemeralOwner() != 0)
                .isPresent());
    }

    @Override
    public CompletionStage<TransactionResult> publish(HealthDigest digest) {
        String path = Paths.health(digest.instance());
        byte[] data = Codec.encode(digest);
        // without the check, a late request of an earlier session could create a node after the end of that session
        List<NodeOp> creation = List.of(
                new NodeOp.Check(Paths.instance(digest.instance()), NodeOp.ANY_VERSION),
                new NodeOp.Create(path, data, NodeOp.Kind.EPHEMERAL));
        return nodes.commit(List.of(new NodeOp.Set(path, data, NodeOp.ANY_VERSION)), List.of(About.INSTANCE))
                .thenCompose(written -> createIfMissing(written, creation))
                .thenCompose(created -> createIfMissing(created, creation)); // the first attempt creates the parent
    }

    private CompletionStage<TransactionResult> createIfMissing(TransactionResult written, List<NodeOp> creation) {
        return written instanceof TransactionResult.Outdated
                ? nodes.commit(creation, List.of(About.INSTANCE, About.INSTANCE))
                : CompletableFuture.completedStage(written);
    }

    @Override
    public CompletionStage<List<PublishedDigest>> digests() {
        return digests.get();
    }

    private CompletionStage<List<PublishedDigest>> readDigests() {
        return nodes.children(Paths.HEALTH)
                .thenApply(found -> found.stream().map(this::digest).toList());
    }

    private PublishedDigest digest(Node node) {
        Nodes.Part<HealthDigest> part = nodes.ofInstance(node, HealthDigest.class, HealthDigest::instance);
        return new PublishedDigest(Paths.name(node.path()), part.value(), part.damage());
    }

    @Override
    public void campaign(String instanceId) {
        campaigner = instanceId;
        nodes.store.campaign(Paths.LATCH, instanceId);
    }

    @Override
    public void resign() {
        nodes.store.unwatch(Paths.INSTANCES);
        nodes.store.unwatch(Paths.DELAYED);
        nodes.store.unwatch(Paths.BACKFILLS);
        nodes.store.unwatch(Paths.HEALTH);
        nodes.store.resign();
    }

    @Override
    public CompletionStage<Optional<Leadership>> lead(String candidate) {
        nodes.store.watch(Paths.INSTANCES, true);
        nodes.store.watch(Paths.DELAYED, false);
        nodes.store.watch(Paths.BACKFILLS, true);
        byte[] data = (Paths.name(candidate) + SEPARATOR + campaigner).getBytes(StandardCharsets.UTF_8);
        return Nodes.retrying("take the leader's epoch", () -> nodes.readAlone(Paths.EPOCH, false)
                .thenCompose(epoch -> epoch.isPresent()
                        ? take(candidate, epoch.get(), data)
                        : nodes.send(List.of(new NodeOp.Create(Paths.EPOCH, Nodes.NOTHING, NodeOp.Kind.PERSISTENT)))
                                .thenApply(created -> Optional.empty())));
    }

    private CompletionStage<Optional<Optional<Leadership>>> take(String candidate, Node epoch, byte[] data) {
        int version = epoch.version();
        return nodes.send(List.of(
                        new NodeOp.Check(candidate, NodeOp.ANY_VERSION), new NodeOp.Set(Paths.EPOCH, data, version)))
                .thenApply(outcome -> outcome instanceof Outcome.Rejected rejected && rejected.index() == 0
                        ? Optional.of(Optional.empty())
                        : Nodes.settled(
                                outcome,
                                Optional.of(new Leadership(
                                        candidate,
                                        Versioned.next(version),
                                        outcome instanceof Outcome.Committed committed ? committed.zxid() : 0,
                                        former(epoch)))));
    }

    @Override
    public void followHealth() {
        nodes.store.watch(Paths.HEALTH, true);
    }

    @Override
    public CompletionStage<Optional<String>> leader() {
        return nodes.read(Paths.EPOCH).thenApply(epoch -> epoch.map(TreeMembership::former));
    }

    /** Returns the id of the latest leader; null if there was none yet, or if the content is damaged. */
    static @Nullable String former(Node epoch) {
        String text = new String(epoch.data(), StandardCharsets.UTF_8);
        String id = text.substring(text.indexOf(SEPARATOR) + 1);
        return text.indexOf(SEPARATOR) >= 0 && Names.accepted(id) ? id : null;
    }

    @Override
    public void followOrders() {
        nodes.store.watch(Paths.ORDERS, false);
    }

    @Override
    public CompletionStage<OrdersView> orders() {
        return nodes.readAlone(Paths.ORDERS, false).thenApply(node -> {
            Nodes.Part<Orders> part = nodes.part(node, Orders.class);
            return new OrdersView(part.value(), part.damage());
        });
    }

    @Override
    public CompletionStage<OrdersResult> amend(Orders.Change change, String request, @Nullable Long expected) {
        Names.require("request", request);
        return Nodes.retrying("change " + Paths.ORDERS, () -> nodes.store
                .sync() // a server that lags behind might show an earlier value as the present one
                .thenCompose(synced -> orders())
                .thenCompose(view -> amend(view, change, request, expected)));
    }

    private CompletionStage<Optional<OrdersResult>> amend(
            OrdersView view, Orders.Change change, String request, @Nullable Long expected) {
        view.requireReadable();
        Orders present = view.orders();
        boolean repeated = present.requests().contains(request);
        Orders next = repeated ? present : change.apply(present);
        if (!repeated && expected != null && expected != view.mzxid()) {
            return CompletableFuture.completedStage(Optional.of(new OrdersResult.Conflict(present, view.mzxid())));
        }
        return next.equals(present)
                ? CompletableFuture.completedStage(Optional.of(new OrdersResult.Unchanged(present, view.mzxid())))
                : write(view.value(), next.after(request));
    }

    private CompletionStage<Optional<OrdersResult>> write(@Nullable Versioned<Orders> from, Orders to) {
        byte[] data = from == null ? Codec.encode(to) : Codec.encode(to, from.unknown());
        NodeOp set = new NodeOp.Set(Paths.ORDERS, data, from == null ? 0 : from.version());
        NodeOp create = new NodeOp.Create(Paths.ORDERS, data, NodeOp.Kind.PERSISTENT);
        // a created node is also set, because the answer to a creation does not contain the number of the transaction
        return nodes.send(from == null ? List.of(create, set) : List.of(set))
                .thenApply(outcome -> outcome instanceof Outcome.Unknown
                        ? Optional.of(new OrdersResult.Unknown())
                        : Nodes.settled(
                                outcome,
                                new OrdersResult.Changed(
                                        to, outcome instanceof Outcome.Committed committed ? committed.zxid() : 0)));
    }

    @Override
    public CompletionStage<TransactionResult> replace(Leadership leader, Versioned<Orders> from, Orders to) {
        Nodes.Operations operations = new Nodes.Operations();
        TreeItems.guard(operations, leader);
        operations.add(new NodeOp.Set(Paths.ORDERS, Codec.encode(to, from.unknown()), from.version()), About.ORDERS);
        return nodes.commit(operations);
    }

    @Override
    public CompletionStage<Outcome> evict(String instanceId, Orders.Order order) {
        return nodes.send(List.of(
                new NodeOp.Check(Paths.instance(Names.require("id", instanceId)), NodeOp.ANY_VERSION),
                new NodeOp.Create(Paths.eviction(instanceId), Codec.encode(order), NodeOp.Kind.PERSISTENT)));
    }

    @Override
    public void sweep() {
        // the evictions are read before the instances: if an instance is not registered after that, it never comes back
        nodes.store
                .children(Paths.STOPS)
                .thenAccept(names -> names.forEach(name -> Paths.evicted(name)
                        .ifPresent(id -> registered(id).thenAccept(there -> {
                            if (!there) {
                                nodes.send(List.of(new NodeOp.Delete(Paths.STOPS + "/" + name, NodeOp.ANY_VERSION)));
                            }
                        }))));
    }

    @Override
    public void ping() {
        nodes.readAlone(Paths.EPOCH, false);
    }

    @Override
    public Duration lastAnswerAge() {
        return nodes.lastAnswerAge();
    }

    @Override
    public CompletionStage<Void> learnServerTime() {
        return nodes.learnServerTime().thenAccept(done -> {});
    }

    @Override
    public Instant serverTime() {
        return nodes.serverTime();
    }
}
