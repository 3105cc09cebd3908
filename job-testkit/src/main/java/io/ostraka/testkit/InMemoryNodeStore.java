package io.ostraka.testkit;

import io.ostraka.api.CoordinationException;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.time.SerialExecutor;
import io.ostraka.core.tree.Node;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeRequests;
import io.ostraka.core.tree.NodeStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A client of an {@link InMemoryCoordination}: a session, its connection, and the faults that either may have, on command.
 *
 * <p>Thread-safe. Callbacks and answers run on the executor given to {@link InMemoryCoordination#connect}, one at a time and in
 * order, never inside the call that causes them unless that executor runs them there. What a callback throws reaches
 * that executor, so that a test notices; the store goes on.
 *
 * <p>A connection is lost with {@link #suspend} and comes back with {@link #reconnect}: in the same session if that
 * still lives, else in a new one. Commands take effect at once, whatever is under way.
 */
public final class InMemoryNodeStore implements NodeStore {
    /**
     * Requests that have reached the server, carried out or refused.
     *
     * @param commits transactions
     * @param reads of one node
     * @param children lists of children
     */
    public record Operations(long commits, long reads, long children) {}

    /**
     * A request on its way.
     *
     * @param service carries it out at the server; returns what the answer does at the client
     * @param lost what the loss of the answer does at the client
     */
    private record Request(Link link, boolean commit, Function<Link, Runnable> service, Runnable lost) {}

    /** Something on its way to the client, which happens there when it arrives. */
    private record Inbound(Link link, boolean event, Runnable arrival) {}

    /** As of a namespace of usual length whose nodes are one user's alone. */
    private static final int ROOT_LENGTH = 20;

    private static final int ACL_BYTES = 60;

    private final InMemoryCoordination tree;
    private final String name;
    private final SerialExecutor requests;
    private final SerialExecutor replies;
    private final Duration sessionTimeout;
    private final Election election;

    // everything below is guarded by the tree
    private @Nullable Listener listener;
    private @Nullable Link link;
    private long session;
    private long seenZxid;
    private boolean reachable = true;
    private volatile boolean closed;
    private final Queue<Runnable> inbox = new ArrayDeque<>();
    private final Set<Request> unanswered = new LinkedHashSet<>();
    private final Map<String, Boolean> watches = new LinkedHashMap<>();
    /** One-shot watches that haven't fired, and whether the node existed when they were set. */
    private final Map<String, Boolean> oneShots = new TreeMap<>();

    private final Deque<Request> heldRequests = new ArrayDeque<>();
    private final Deque<Inbound> heldInbound = new ArrayDeque<>();
    private boolean holdsRequests;
    private boolean holdsReplies;
    private boolean holdsWatches;
    private boolean losesRequest;
    private boolean losesReply;
    private int lag;

    private long commits;
    private long reads;
    private long childrenLists;

    InMemoryNodeStore(
            InMemoryCoordination tree, String name, Executor requests, Executor replies, Duration sessionTimeout) {
        this.tree = tree;
        this.name = name;
        this.requests = new SerialExecutor(requests);
        this.replies = new SerialExecutor(replies);
        this.sessionTimeout = sessionTimeout;
        this.election = new Election(tree, this);
    }

    // the port

    @Override
    public void start(Listener newListener) {
        tree.locked(() -> {
            if (listener != null || closed) {
                throw new IllegalStateException("Store " + name + " was started before, or is closed");
            }
            listener = newListener;
            if (reachable) {
                connect();
            }
        });
    }

    @Override
    public CompletionStage<Outcome> commit(List<NodeOp> operations) {
        List<NodeOp> sent = List.copyOf(operations);
        NodeRequests.requireTransaction(sent);
        var answer = new CompletableFuture<Outcome>();
        if (NodeRequests.bytes(sent, ROOT_LENGTH, ACL_BYTES) > tree.mostBytes()) {
            tree.locked(() -> post(() -> answer.complete(new Outcome.Rejected(-1, Outcome.Reason.TOO_LARGE))));
            return answer;
        }
        send(
                true,
                at -> {
                    commits++;
                    Outcome outcome = tree.commit(at, sent);
                    return () -> post(() -> answer.complete(outcome));
                },
                () -> post(() -> answer.complete(new Outcome.Unknown())));
        return answer;
    }

    @Override
    public CompletionStage<Optional<Node>> read(String path, boolean watch) {
        NodeRequests.requirePath(path);
        return ask("read " + path, at -> {
            reads++;
            Optional<Node> node = at.read(path, watch);
            return answered -> {
                if (watch) {
                    oneShots.put(path, node.isPresent());
                }
                answered.accept(node);
            };
        });
    }

    @Override
    public CompletionStage<List<String>> children(String path) {
        NodeRequests.requirePath(path);
        return ask("list the children of " + path, at -> {
            childrenLists++;
            List<String> names = at.children(path);
            return answered -> answered.accept(names);
        });
    }

    @Override
    public CompletionStage<Void> sync() {
        return ask("sync", at -> {
            at.catchUp();
            return answered -> answered.accept(null);
        });
    }

    @Override
    public void watch(String path, boolean recursive) {
        NodeRequests.requirePath(path);
        tree.locked(() -> {
            watches.put(path, recursive);
            send(at -> {
                at.watch(path, recursive);
                return () -> {};
            });
        });
    }

    @Override
    public void unwatch(String path) {
        tree.locked(() -> {
            watches.remove(path);
            send(at -> {
                at.unwatch(path);
                return () -> {};
            });
        });
    }

    @Override
    public void campaign(String path, String id) {
        NodeRequests.requirePath(path);
        tree.locked(() -> {
            if (listener == null) {
                throw new IllegalStateException("Store " + name + " was not started");
            }
            election.campaign(path, id);
        });
    }

    @Override
    public void resign() {
        tree.locked(election::resign);
    }

    @Override
    public void close() {
        tree.locked(() -> {
            if (closed) {
                return;
            }
            closed = true;
            // who is cut off can't tell the server: the session goes when it expires
            if (link != null && tree.serves(link)) {
                tree.end(session);
            }
            disconnect();
        });
    }

    // faults

    /** Returns the number of the session, the last one if it is over, 0 before the first. */
    public long session() {
        synchronized (tree) {
            return session;
        }
    }

    /** Returns what this store has asked of the server so far. */
    public Operations operations() {
        synchronized (tree) {
            return new Operations(commits, reads, childrenLists);
        }
    }

    /**
     * Ends the session at the server: its ephemeral nodes go, its requests are refused. The client learns of it when it
     * {@link #reconnect reconnects}.
     */
    public void expire() {
        tree.locked(() -> tree.end(session));
    }

    /**
     * Cuts the connection, until {@link #reconnect}; the client notices. What is unanswered is answered as unknown.
     * Requests that are {@link #holdRequests held} may still arrive at the server until the session moves or ends.
     */
    public void suspend() {
        tree.locked(() -> {
            reachable = false;
            disconnect();
        });
    }

    /** Cuts the connection if it stands and makes a new one: in the same session if that lives, else in a new one. */
    public void reconnect() {
        tree.locked(this::connectAgain);
    }

    /**
     * Has the client take its session as lost although it lives on at the server, until {@link InMemoryCoordination#expire}:
     * what a client with a wrong clock does. Cuts the connection; {@link #reconnect} makes a new session.
     */
    public void abandon() {
        tree.locked(() -> {
            reachable = false;
            disconnect();
            if (session != 0) {
                lose();
            }
        });
    }

    /** The next transaction is lost on its way, and the connection with it; the client connects again by itself. */
    public void loseNextRequest() {
        synchronized (tree) {
            losesRequest = true;
        }
    }

    /**
     * The next transaction is carried out, but its answer is lost, and the connection with it; the client connects
     * again by itself.
     */
    public void loseNextReply() {
        synchronized (tree) {
            losesReply = true;
        }
    }

    /** Keeps requests from reaching the server until {@link #releaseRequests}. */
    public void holdRequests() {
        synchronized (tree) {
            holdsRequests = true;
        }
    }

    /**
     * Lets held requests arrive. Those of a session that is over, or of a connection that the session has left, are
     * refused.
     */
    public void releaseRequests() {
        tree.locked(() -> {
            holdsRequests = false;
            while (!heldRequests.isEmpty()) {
                Request request = heldRequests.remove();
                requests.execute(() -> arrive(request));
            }
        });
    }

    /** Keeps everything the server sends from reaching the client until {@link #releaseReplies}. */
    public void holdReplies() {
        synchronized (tree) {
            holdsReplies = true;
        }
    }

    /** Lets what was held arrive; watches too unless {@link #holdWatches} keeps them. */
    public void releaseReplies() {
        tree.locked(() -> {
            holdsReplies = false;
            releaseInbound();
        });
    }

    /**
     * Keeps reports of watches and of leadership from reaching the client until {@link #releaseWatches}, while answers
     * go through: harsher than ZooKeeper, which keeps the order on one connection.
     */
    public void holdWatches() {
        synchronized (tree) {
            holdsWatches = true;
        }
    }

    /** Lets held reports arrive. */
    public void releaseWatches() {
        tree.locked(() -> {
            holdsWatches = false;
            releaseInbound();
        });
    }

    /**
     * Connects the store to a server that is some transactions behind, in what is read and in what watches report. Its
     * own transactions and {@link #sync} let the server catch up, for the moment.
     *
     * @param transactions how many, 0 for none
     */
    public void lag(int transactions) {
        tree.locked(() -> {
            lag = transactions;
            if (link != null) {
                link.lag(transactions);
            }
        });
    }

    @Override
    public String toString() {
        return name;
    }

    // connection and session; the lock is held

    private void connectAgain() {
        reachable = true;
        disconnect();
        if (listener != null && !closed) {
            connect();
        }
    }

    private void connect() {
        if (session != 0 && !tree.lives(session)) {
            lose();
        }
        if (session == 0) {
            session = tree.newSession();
        }
        Link opened = tree.open(this, session);
        link = opened;
        opened.lag(lag);
        watches.forEach(opened::watch);
        long id = session;
        tell(to -> to.connected(id, sessionTimeout));
        Map<String, Boolean> again = new LinkedHashMap<>(oneShots);
        again.forEach((path, existed) -> opened.watchAgain(path, existed, seenZxid));
        election.connected();
    }

    private void disconnect() {
        if (link == null) {
            return;
        }
        link = null;
        heldInbound.clear();
        unanswered.forEach(request -> request.lost().run());
        unanswered.clear();
        election.disconnected();
        tell(Listener::suspended);
    }

    private void lose() {
        session = 0;
        oneShots.clear();
        election.sessionLost();
        tell(Listener::lost);
    }

    // to the server and back; the lock is held

    private <T> CompletionStage<T> ask(String what, Function<Link, Consumer<Consumer<T>>> service) {
        var answer = new CompletableFuture<T>();
        send(
                false,
                at -> {
                    Consumer<Consumer<T>> answering = service.apply(at);
                    return () -> answering.accept(value -> post(() -> answer.complete(value)));
                },
                () -> post(() -> answer.completeExceptionally(
                        new CoordinationException("Could not " + what + ": the connection of " + name + " is lost"))));
        return answer;
    }

    /** Asks something of the server whose answer, what the service returns, nobody waits for. */
    void send(Function<Link, Runnable> service) {
        send(false, service, () -> {});
    }

    private void send(boolean commit, Function<Link, Runnable> service, Runnable lost) {
        tree.locked(() -> {
            if (link == null) {
                lost.run();
                return;
            }
            var request = new Request(link, commit, service, lost);
            unanswered.add(request);
            if (commit && losesRequest) {
                losesRequest = false;
                connectAgain();
            } else if (holdsRequests) {
                heldRequests.add(request);
            } else {
                requests.execute(() -> arrive(request));
            }
        });
    }

    private void arrive(Request request) {
        tree.locked(() -> {
            Runnable answer = tree.serves(request.link()) ? request.service().apply(request.link()) : request.lost();
            if (request.commit() && losesReply && request.link() == link) {
                losesReply = false;
                connectAgain();
                return;
            }
            long zxid = request.link().zxid();
            receive(new Inbound(request.link(), false, () -> {
                unanswered.remove(request);
                seenZxid = Math.max(seenZxid, zxid);
                answer.run();
            }));
        });
    }

    private void receive(Inbound inbound) {
        if (inbound.link() != link) {
            return; // sent into a connection that is gone
        }
        if (holdsReplies || (holdsWatches && inbound.event())) {
            heldInbound.add(inbound);
        } else {
            inbound.arrival().run();
        }
    }

    private void releaseInbound() {
        List<Inbound> held = new ArrayList<>(heldInbound);
        heldInbound.clear();
        held.forEach(this::receive);
    }

    /** Has the server report something to the client, which happens there when it arrives. */
    void report(Link at, Runnable arrival) {
        receive(new Inbound(at, true, arrival));
    }

    @Nullable Link link() {
        return link;
    }

    /** Called by the server's end: a watch fired. */
    void changed(Link at, String path, Link.Event event) {
        long zxid = at.zxid();
        report(at, () -> {
            seenZxid = Math.max(seenZxid, zxid);
            boolean once = event != Link.Event.CHILDREN && oneShots.remove(path) != null;
            if (once || isWatched(path, event)) {
                tell(to -> to.changed(path, event == Link.Event.DELETED));
            }
        });
    }

    private boolean isWatched(String path, Link.Event event) {
        if (watches.containsKey(path) && (event != Link.Event.CHILDREN || !watches.get(path))) {
            return true;
        }
        for (String above = path; event != Link.Event.CHILDREN && !above.equals("/"); ) {
            above = Znodes.parent(above);
            if (Boolean.TRUE.equals(watches.get(above))) {
                return true;
            }
        }
        return false;
    }

    /** Called by the server's end: it has reached a newer state. */
    void reached(Link at, List<Change> changes) {
        if (at == link) {
            election.reached(changes);
        }
    }

    // to the client

    void tell(Consumer<Listener> report) {
        Listener told = listener;
        post(() -> {
            if (told != null && !closed) {
                report.accept(told);
            }
        });
    }

    private void post(Runnable callback) {
        inbox.add(callback);
        tree.deliver(() -> replies.execute(this::callBack));
    }

    private void callBack() {
        Runnable callback;
        synchronized (tree) {
            callback = inbox.remove();
        }
        callback.run();
    }
}
