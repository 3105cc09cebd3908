package io.ostraka.testkit;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.tree.Node;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeRequests;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.SortedSet;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A node tree in memory that behaves as a ZooKeeper ensemble does: the server's side. Its clients are
 * {@link #connect stores}, which also take the faults.
 *
 * <p>Thread-safe, and without threads, clocks or chance of its own: what happens depends on the order of calls alone. A
 * request is carried out when it arrives; what it causes at clients goes through their executors, in order.
 */
public final class InMemoryCoordination {
    private static final long FIRST_SESSION = 0x1000_0000_0000_0000L;

    /**
     * A transaction that was carried out.
     *
     * @param zxid its number
     * @param at the server's clock
     * @param session who sent it, or whose end it is
     * @param operations what it did, sequential names with their numbers
     * @param endsSession whether it is the end of the session; it deletes the session's ephemeral nodes
     */
    public record Transaction(long zxid, Instant at, long session, List<NodeOp> operations, boolean endsSession) {}

    private record Committed(long zxid, List<Change> changes) {}

    private final Supplier<Instant> time;
    private final Znodes nodes = new Znodes();
    private final Map<Long, Link> sessions = new LinkedHashMap<>();
    private final List<Consumer<Transaction>> historians = new ArrayList<>();
    private final Queue<Committed> toReport = new ArrayDeque<>();
    private final Queue<Runnable> deliveries = new ArrayDeque<>();
    private boolean reporting;
    private long zxid = 1L << 32;
    private long lastSession = FIRST_SESSION;
    private Predicate<NodeOp> refused = operation -> false;
    private volatile long mostBytes = NodeRequests.MAX_BYTES;

    /**
     * Makes an empty tree: a root, in epoch 1.
     *
     * @param time the server's clock, asked at each write
     */
    public InMemoryCoordination(Supplier<Instant> time) {
        this.time = time;
    }

    /** Makes a client whose requests arrive at once, with a session timeout of 15 s. It connects when it is started. */
    public InMemoryNodeStore connect(String name, Executor replies) {
        return connect(name, Runnable::run, replies, Duration.ofSeconds(15));
    }

    /**
     * Makes a client. It connects when it is started.
     *
     * @param name for people
     * @param requests carries requests to the server, one at a time and in order; a task is one request
     * @param replies calls the client back, one at a time and in order; a task is one callback
     * @param sessionTimeout what the client is told; nothing expires by itself
     */
    public InMemoryNodeStore connect(String name, Executor requests, Executor replies, Duration sessionTimeout) {
        return new InMemoryNodeStore(this, name, requests, replies, sessionTimeout);
    }

    /** Has larger transactions found too large by the stores, as where a server's limit was noticed. */
    public void limitTransactions(long bytes) {
        mostBytes = bytes;
    }

    long mostBytes() {
        return mostBytes;
    }

    /** Has transactions refused that have such an operation, as for want of rights, until this is called again. */
    public synchronized void refuse(Predicate<NodeOp> which) {
        refused = which;
    }

    /**
     * Tells of every transaction that is carried out from now on, in order.
     *
     * @param historian called while the tree is locked: must not call back
     */
    public synchronized void onCommit(Consumer<Transaction> historian) {
        historians.add(historian);
    }

    /** Returns a node as it is now. */
    public synchronized Optional<Node> read(String path) {
        return nodes.read(path);
    }

    /** Returns the names of a node's children now, sorted; none if the node is missing. */
    public synchronized List<String> children(String path) {
        return nodes.children(path);
    }

    /** Returns the paths of all nodes now. */
    public synchronized SortedSet<String> paths() {
        return nodes.paths();
    }

    /** Returns the number of the latest transaction. */
    public synchronized long zxid() {
        return zxid;
    }

    /** Has a node's data version count on from another, as if the node had been written that often. */
    public synchronized void setVersion(String path, int version) {
        nodes.setVersion(path, version);
    }

    /** Has nodes that stay be created in a version from now on, as if each had been written that often before. */
    public synchronized void setFirstVersion(int version) {
        nodes.setFirstVersion(version);
    }

    /** Elects a new leader of the ensemble: transactions are numbered in a new epoch. */
    public synchronized void newEpoch() {
        zxid = ((zxid >>> 32) + 1) << 32;
    }

    /** Ends a session, if it still lives: its ephemeral nodes go. Its client isn't told. */
    public void expire(long session) {
        locked(() -> end(session));
    }

    /** Runs something that belongs together, then delivers what it has caused. */
    void locked(Runnable action) {
        if (Thread.holdsLock(this)) {
            action.run();
            return;
        }
        synchronized (this) {
            action.run();
        }
        // outside the lock: an executor may run a client's code at once
        for (Runnable delivery = nextDelivery(); delivery != null; delivery = nextDelivery()) {
            delivery.run();
        }
    }

    private synchronized @Nullable Runnable nextDelivery() {
        return deliveries.poll();
    }

    // everything below is called with the lock held

    void deliver(Runnable delivery) {
        deliveries.add(delivery);
    }

    long newSession() {
        zxid++;
        return ++lastSession;
    }

    /** Connects a living session; its former connection is served no more. */
    Link open(InMemoryNodeStore store, long session) {
        var link = new Link(store, session, nodes, zxid);
        sessions.put(session, link);
        return link;
    }

    boolean lives(long session) {
        return sessions.containsKey(session);
    }

    boolean serves(Link link) {
        return sessions.get(link.session()) == link;
    }

    void end(long session) {
        if (!lives(session)) {
            return;
        }
        sessions.remove(session);
        long at = ++zxid;
        Instant now = now();
        Znodes.Attempt attempt = nodes.attempt(nodes.deletionsOf(session), session, at, now);
        carriedOut(new Transaction(at, now, session, attempt.carriedOut(), true), attempt.changes());
    }

    Outcome commit(Link link, List<NodeOp> operations) {
        // as in ZooKeeper, a rejected transaction uses up a number too
        long at = ++zxid;
        Instant now = now();
        for (int i = 0; i < operations.size(); i++) {
            if (refused.test(operations.get(i))) {
                return new Outcome.Rejected(i, Outcome.Reason.REFUSED);
            }
        }
        Znodes.Attempt attempt = nodes.attempt(operations, link.session(), at, now);
        if (attempt.rejected() != null) {
            return attempt.rejected();
        }
        carriedOut(new Transaction(at, now, link.session(), attempt.carriedOut(), false), attempt.changes());
        link.catchUp();
        boolean told = operations.stream().anyMatch(NodeOp.Set.class::isInstance);
        return told ? new Outcome.Committed(at, now) : new Outcome.Committed(0, Instant.EPOCH);
    }

    String numbered(String path) {
        return nodes.numbered(path);
    }

    private Instant now() {
        return time.get().truncatedTo(ChronoUnit.MILLIS);
    }

    private void carriedOut(Transaction transaction, List<Change> changes) {
        historians.forEach(historian -> historian.accept(transaction));
        toReport.add(new Committed(transaction.zxid(), changes));
        if (reporting) {
            return; // a client's reaction to a change; its turn comes
        }
        reporting = true;
        try {
            for (Committed next = toReport.poll(); next != null; next = toReport.poll()) {
                for (Link link : List.copyOf(sessions.values())) {
                    link.committed(next.zxid(), next.changes());
                }
            }
        } finally {
            reporting = false;
        }
    }
}
