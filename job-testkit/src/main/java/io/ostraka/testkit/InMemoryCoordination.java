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
 * A simulated ZooKeeper ensemble, with a node tree in memory. {@link #connect(String, Executor)} creates its clients.
 * The clients are stores that can also simulate faults.
 *
 * <p>Thread-safe. This class has no threads, clocks or randomness, so its behaviour depends only on the order of calls.
 * The tree executes each request when it arrives. It sends replies and reports to each client in order, through the
 * client's executor.
 */
public final class InMemoryCoordination {
    private static final long FIRST_SESSION = 0x1000_0000_0000_0000L;

    /**
     * A committed transaction.
     *
     * @param zxid number of the transaction
     * @param at time by the server's clock
     * @param session session that sent the transaction; if {@code endsSession} is true, the session that ended
     * @param operations committed operations; sequential names contain their numbers
     * @param endsSession true if the transaction ends a session and deletes the session's ephemeral nodes
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
     * Creates a tree that contains only the root, in epoch 1.
     *
     * @param time the server's clock, which is read at each write
     */
    public InMemoryCoordination(Supplier<Instant> time) {
        this.time = time;
    }

    /**
     * Creates a client whose requests arrive without delay, with a session timeout of 15 s. The client connects when it is
     * started.
     */
    public InMemoryNodeStore connect(String name, Executor replies) {
        return connect(name, Runnable::run, replies, Duration.ofSeconds(15));
    }

    /**
     * Creates a client, which connects when it is started.
     *
     * @param name name in error messages
     * @param requests executor that delivers requests to the server, one at a time and in order; each task is one
     *     request
     * @param replies executor that calls the client, one call at a time and in order; each task is one reply or report
     * @param sessionTimeout session timeout that the client reports. A session expires only when a test ends it
     */
    public InMemoryNodeStore connect(String name, Executor requests, Executor replies, Duration sessionTimeout) {
        return new InMemoryNodeStore(this, name, requests, replies, sessionTimeout);
    }

    /**
     * Makes the stores reject transactions of more than the given number of bytes. The store of a real server does the
     * same after it has detected the server's limit.
     */
    public void limitTransactions(long bytes) {
        mostBytes = bytes;
    }

    long mostBytes() {
        return mostBytes;
    }

    /**
     * Makes the server refuse transactions that contain a matching operation, as a real server does if access rights
     * are missing. Another call of this method replaces the condition.
     */
    public synchronized void refuse(Predicate<NodeOp> which) {
        refused = which;
    }

    /**
     * Adds a consumer that receives every later committed transaction, in order.
     */
    public synchronized void onCommit(Consumer<Transaction> historian) {
        historians.add(historian);
    }

    /** Returns the current state of a node; empty if the node does not exist. */
    public synchronized Optional<Node> read(String path) {
        return nodes.read(path);
    }

    /** Returns the current names of a node's children, sorted; empty if the node does not exist. */
    public synchronized List<String> children(String path) {
        return nodes.children(path);
    }

    /** Returns the paths of all existing nodes. */
    public synchronized SortedSet<String> paths() {
        return nodes.paths();
    }

    /** Returns the number of the latest transaction. */
    public synchronized long zxid() {
        return zxid;
    }

    /** Sets the data version of a node, as if the node had been written that many times. */
    public synchronized void setVersion(String path, int version) {
        nodes.setVersion(path, version);
    }

    /**
     * Sets the initial data version of persistent nodes that are created later, as if each of them had already been
     * written that many times.
     */
    public synchronized void setFirstVersion(int version) {
        nodes.setFirstVersion(version);
    }

    /** Elects a new leader of the ensemble. The numbers of later transactions belong to a new epoch. */
    public synchronized void newEpoch() {
        zxid = ((zxid >>> 32) + 1) << 32;
    }

    /**
     * Ends a session if it is still alive, and deletes its ephemeral nodes. The client of the session is not notified.
     */
    public void expire(long session) {
        locked(() -> end(session));
    }

    /**
     * Runs an action under the lock of the tree. Then, without the lock, delivers the resulting replies and reports to
     * the clients.
     */
    void locked(Runnable action) {
        if (Thread.holdsLock(this)) {
            action.run();
            return;
        }
        synchronized (this) {
            action.run();
        }
        // without the lock, because an executor may run the client's code on this thread
        for (Runnable delivery = nextDelivery(); delivery != null; delivery = nextDelivery()) {
            delivery.run();
        }
    }

    private synchronized @Nullable Runnable nextDelivery() {
        return deliveries.poll();
    }

    // Callers hold the lock for all methods below.

    void deliver(Runnable delivery) {
        deliveries.add(delivery);
    }

    long newSession() {
        zxid++;
        return ++lastSession;
    }

    /** Connects a live session and stops serving the session's former connection. */
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
        // as in ZooKeeper, even a rejected transaction uses a number
        long at = ++zxid;
        Instant now = now();
        for (int i = 0; i < operations.size(); i++) {
            if (refused.test(operations.get(i))) {
                return rejected(link, new Outcome.Rejected(i, Outcome.Reason.REFUSED));
            }
        }
        Znodes.Attempt attempt = nodes.attempt(operations, link.session(), at, now);
        if (attempt.rejected() != null) {
            return rejected(link, attempt.rejected());
        }
        carriedOut(new Transaction(at, now, link.session(), attempt.carriedOut(), false), attempt.changes());
        link.catchUp();
        boolean told = operations.stream().anyMatch(NodeOp.Set.class::isInstance);
        return told ? new Outcome.Committed(at, now) : new Outcome.Committed(0, Instant.EPOCH);
    }

    /**
     * Returns a rejection. In ZooKeeper, the client's server answers only after it has carried out all transactions with
     * lower numbers, so a later read of the client shows the state that caused the rejection.
     */
    private static Outcome rejected(Link link, Outcome.Rejected why) {
        link.catchUp();
        return why;
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
            return; // a client has reacted to a change; the loop of the outer call reports this commit
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
