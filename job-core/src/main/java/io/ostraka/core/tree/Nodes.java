package io.ostraka.core.tree;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.UnknownOutcomeException;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.coordination.TransactionResult.About;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads and writes nodes as values. All parts of {@link TreeCoordination} share one object of this class. Thread-safe.
 */
final class Nodes {
    static final Logger log = LoggerFactory.getLogger(Nodes.class);
    static final byte[] NOTHING = {};
    /**
     * Largest number of attempts at a change that reads a node and then writes it. An attempt fails if another writer
     * changes the node first.
     */
    static final int TRIES = 20;

    final NodeStore store;
    final Clock clock;
    private final ReadQueue reads;
    private final DecodedNodes decoded = new DecodedNodes();
    final AtomicLong lastAnsweredNanos;
    private final ServerClock serverClock;

    Nodes(NodeStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
        this.lastAnsweredNanos = new AtomicLong(clock.monotonicNanos());
        this.serverClock = new ServerClock(clock);
        this.reads = new ReadQueue(store, clock, this::answered);
    }

    /**
     * Returns the result of a change that reads a node and then writes it, if the write was committed. Empty if another
     * writer was faster, so the caller must try again.
     *
     * @throws CoordinationException if the outcome is unknown, or if ZooKeeper does not accept the write
     */
    static <T> Optional<T> settled(Outcome outcome, T result) {
        if (outcome instanceof Outcome.Unknown) {
            throw new UnknownOutcomeException("ZooKeeper did not answer; the change may or may not have been made");
        }
        if (outcome instanceof Outcome.Rejected rejected && rejected.reason() == Outcome.Reason.TOO_LARGE) {
            throw CoordinationException.refused(
                    "the write is larger than ZooKeeper accepts in one request: " + NodeRequests.MAX_BYTES
                            + " bytes, or fewer if jute.maxbuffer of the servers is smaller; shorten what it contains, such"
                            + " as parameters");
        }
        if (outcome instanceof Outcome.Rejected rejected && rejected.reason() == Outcome.Reason.REFUSED) {
            throw new CoordinationException("ZooKeeper rejected the write; check access rights and quotas");
        }
        return outcome instanceof Outcome.Committed ? Optional.of(result) : Optional.empty();
    }

    static <T> CompletionStage<T> retrying(String what, Supplier<CompletionStage<Optional<T>>> attempt) {
        return retrying(what, attempt, TRIES);
    }

    static <T> CompletionStage<T> retrying(String what, Supplier<CompletionStage<Optional<T>>> attempt, int tries) {
        return attempt.get().thenCompose(result -> {
            if (result.isPresent()) {
                return CompletableFuture.completedStage(result.get());
            }
            return tries > 1
                    ? retrying(what, attempt, tries - 1)
                    : CompletableFuture.failedStage(CoordinationException.refused(
                            "could not " + what + ": other writers kept changing it; try again"));
        });
    }

    record Pair<A, B>(A first, B second) {}

    record Part<T>(@Nullable Versioned<T> value, @Nullable UnreadableNode damage) {
        boolean exists() {
            return value != null || damage != null;
        }
    }

    <T> Part<T> part(Optional<Node> node, Class<T> type) {
        try {
            return new Part<>(node.map(found -> decoded.decode(found, type)).orElse(null), null);
        } catch (Codec.Unreadable e) {
            return new Part<>(null, e.damage());
        }
    }

    /**
     * Decodes a node that an instance writes in its session. The node counts as damaged if its content names another
     * instance, or if the node belongs to no session.
     */
    <T> Part<T> ofInstance(Node node, Class<T> type, Function<T, String> id) {
        Part<T> part = part(Optional.of(node), type);
        T value = valueOf(part);
        String foreign = node.ephemeralOwner() == 0
                ? " belongs to no session"
                : value != null && !id.apply(value).equals(Paths.name(node.path())) ? " names another instance" : null;
        return foreign == null
                ? part
                : new Part<>(null, new UnreadableNode(node.path() + foreign, node.version(), true));
    }

    static <T> @Nullable T valueOf(Part<T> part) {
        return part.value == null ? null : part.value.value();
    }

    void follow(String path, boolean follow) {
        if (follow) {
            store.watch(path, false);
        } else {
            store.unwatch(path);
        }
    }

    <T> CompletionStage<List<Versioned<T>>> readChildren(String parent, Class<T> type) {
        return children(parent).thenApply(nodes -> nodes.stream()
                .flatMap(node -> readable(node, type).stream())
                .toList());
    }

    /** Reads the children of a node, in no particular order. Children that are deleted during the read are left out. */
    CompletionStage<List<Node>> children(String parent) {
        return store.children(parent)
                .thenCompose(names -> all(reads.read(
                        names.stream().map(name -> parent + "/" + name).toList(), false)))
                .thenApply(nodes -> nodes.stream().flatMap(Optional::stream).toList());
    }

    <T> Optional<Versioned<T>> readable(Node node, Class<T> type) {
        try {
            return Optional.of(decoded.decode(node, type));
        } catch (Codec.Unreadable e) {
            log.warn("{}", e.damage().text("the engine ignores this node, correct or delete it"));
            return Optional.empty();
        }
    }

    static <T> CompletionStage<List<T>> all(List<CompletionStage<T>> stages) {
        CompletableFuture<?>[] futures =
                stages.stream().map(CompletionStage::toCompletableFuture).toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(futures).thenApply(done -> stages.stream()
                .map(stage -> stage.toCompletableFuture().join())
                .toList());
    }

    /** Reads a node, in a request shared with other waiting reads. */
    CompletionStage<Optional<Node>> read(String path) {
        return reads.read(List.of(path), false).get(0);
    }

    /** Reads nodes one after the other, in requests shared with other waiting reads. */
    CompletionStage<List<Optional<Node>>> read(List<String> paths, boolean synced) {
        return all(reads.read(paths, synced));
    }

    /** Reads nodes for periodic cleanup. Other waiting reads have priority. */
    CompletionStage<List<Optional<Node>>> readPatiently(List<String> paths) {
        return all(reads.readPatiently(paths));
    }

    /** Reads a node in a separate request. With {@code watch}, the store reports the node's next change. */
    CompletionStage<Optional<Node>> readAlone(String path, boolean watch) {
        long sent = clock.monotonicNanos();
        return store.read(path, watch).thenApply(node -> {
            answered(sent);
            return node;
        });
    }

    /** Creates the nodes of the namespace one by one. Existing nodes stay unchanged. */
    CompletionStage<@Nullable Void> createParents() {
        CompletionStage<@Nullable Void> all = CompletableFuture.completedStage(null);
        for (String parent : Paths.PARENTS) {
            CompletionStage<Outcome> created =
                    send(List.of(new NodeOp.Create(parent, NOTHING, NodeOp.Kind.PERSISTENT)));
            all = all.thenCombine(created, (before, outcome) -> null);
        }
        return all;
    }

    /**
     * Returns whether a transaction was rejected because the node of its first operation, or the parent of that node,
     * does not exist.
     */
    static boolean lacksParent(Outcome outcome) {
        return outcome instanceof Outcome.Rejected rejected
                && rejected.index() == 0
                && rejected.reason() == Outcome.Reason.NO_NODE;
    }

    CompletionStage<Outcome> send(List<NodeOp> operations) {
        return operations.stream().noneMatch(Nodes::isLast) ? sendAsIs(operations) : sendPastWrap(operations);
    }

    private static boolean isLast(NodeOp operation) {
        return operation instanceof NodeOp.Set set && set.version() == Versioned.LAST_VERSION;
    }

    /**
     * Sends a transaction in which nodes would get the version -1. In a request, -1 means any version, so this version
     * could not be checked. Each such node is therefore written twice, and gets version 0.
     */
    private CompletionStage<Outcome> sendPastWrap(List<NodeOp> operations) {
        List<NodeOp> all = new ArrayList<>();
        List<Integer> origins = new ArrayList<>();
        for (int i = 0; i < operations.size(); i++) {
            NodeOp operation = operations.get(i);
            all.add(operation);
            origins.add(i);
            if (isLast(operation) && operation instanceof NodeOp.Set set) {
                all.add(new NodeOp.Set(set.path(), set.data(), NodeOp.ANY_VERSION));
                origins.add(i);
            }
        }
        return sendAsIs(all)
                .thenApply(outcome -> outcome instanceof Outcome.Rejected rejected && rejected.index() >= 0
                        ? new Outcome.Rejected(origins.get(rejected.index()), rejected.reason())
                        : outcome);
    }

    private CompletionStage<Outcome> sendAsIs(List<NodeOp> operations) {
        long sent = clock.monotonicNanos();
        return store.commit(operations).thenApply(outcome -> {
            if (!(outcome instanceof Outcome.Unknown)) {
                answered(sent);
            }
            if (outcome instanceof Outcome.Committed committed && committed.zxid() != 0) {
                serverClock.answered(committed.at(), sent);
            }
            if (outcome instanceof Outcome.Rejected rejected
                    && rejected.reason() == Outcome.Reason.NO_NODE
                    && rejected.index() >= 0
                    && operations.get(rejected.index()) instanceof NodeOp.Create create) {
                mendParent(create.path());
            }
            return outcome;
        });
    }

    /** Creates a parent node that a person has deleted, so that the rejected write succeeds when it is tried again. */
    private void mendParent(String path) {
        String parent = Paths.parent(path);
        if (Paths.lasting(parent)) {
            send(List.of(new NodeOp.Create(parent, NOTHING, NodeOp.Kind.PERSISTENT)));
        }
    }

    private void answered(long sentNanos) {
        lastAnsweredNanos.accumulateAndGet(sentNanos, (known, sent) -> sent - known > 0 ? sent : known);
    }

    CompletionStage<TransactionResult> commit(List<NodeOp> operations, List<About> abouts) {
        Operations all = new Operations();
        for (int i = 0; i < operations.size(); i++) {
            all.add(operations.get(i), abouts.get(i));
        }
        return commit(all);
    }

    CompletionStage<TransactionResult> commit(Operations operations) {
        return send(operations.list).thenApply(operations::result);
    }

    static final class Operations {
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

        TransactionResult result(Outcome outcome) {
            if (outcome instanceof Outcome.Committed committed) {
                return new TransactionResult.Done(committed);
            }
            if (outcome instanceof Outcome.Rejected rejected) {
                return rejected.index() < 0 || rejected.reason() == Outcome.Reason.REFUSED
                        ? new TransactionResult.Refused(rejected.reason() == Outcome.Reason.TOO_LARGE)
                        : new TransactionResult.Outdated(abouts.get(rejected.index()), items.get(rejected.index()));
            }
            return new TransactionResult.Unknown();
        }
    }

    /** Returns the time since the latest answered request was sent, by the monotonic clock. */
    Duration lastAnswerAge() {
        return Duration.ofNanos(clock.monotonicNanos() - lastAnsweredNanos.get());
    }

    /**
     * Learns the time on the server's clock if no answer has contained it yet. Only answers to writes contain the time,
     * so this method writes a node that no instance watches.
     */
    CompletionStage<@Nullable Void> learnServerTime() {
        if (serverClock.known()) {
            return CompletableFuture.completedStage(null);
        }
        List<NodeOp> write = List.of(new NodeOp.Set(Paths.DELAYED_RUNS, NOTHING, NodeOp.ANY_VERSION));
        return send(write)
                .thenCompose(outcome ->
                        outcome instanceof Outcome.Rejected rejected && rejected.reason() == Outcome.Reason.NO_NODE
                                ? createParents().thenCompose(created -> send(write))
                                : CompletableFuture.completedStage(outcome))
                .thenApply(outcome -> null);
    }

    /** Returns the current time on the server's clock, estimated from answers to writes. */
    Instant serverTime() {
        return serverClock.now();
    }
}
