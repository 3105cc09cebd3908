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
 * A client of an {@link InMemoryCoordination}. It has a session and a connection, and simulates faults of both.
 *
 * <p>Thread-safe. Reports and replies run on the executor that was given to {@link InMemoryCoordination#connect}, one
 * at a time and in order. They never run inside the call that causes them, unless this executor runs tasks on the
 * calling thread. If a callback throws an exception, the store continues, and the exception propagates to the executor,
 * where a test can notice it.
 *
 * <p>{@link #suspend} loses the connection. {@link #reconnect} restores it, in the same session if the session is still
 * alive, otherwise in a new one. Methods that simulate a fault take effect at once.
 */
public final class InMemoryNodeStore implements NodeStore {
    /**
     * Numbers of requests that have reached the server, including refused requests.
     *
     * @param commits number of transactions
     * @param reads number of reads of single nodes
     * @param children number of reads of lists of children
     */
    public record Operations(long commits, long reads, long children) {}

    /**
     * A request on its way to the server.
     *
     * @param service executes the request at the server and returns the effect of the reply at the client
     * @param lost effect at the client if the request or its reply is lost on the way
     */
    private record Request(Link link, boolean commit, Function<Link, Runnable> service, Runnable lost) {}

    /** A message on its way to the client. It takes effect at the client when it arrives. */
    private record Inbound(Link link, boolean event, Runnable arrival) {}

    /**
     * Length that is assumed for the path of the namespace. The size of a transaction includes this length and
     * {@link #ACL_BYTES}, which is the size of the access rights for one user.
     */
    private static final int ROOT_LENGTH = 20;

    private static final int ACL_BYTES = 60;

    private final InMemoryCoordination tree;
    private final String name;
    private final SerialExecutor requests;
    private final SerialExecutor replies;
    private final Duration sessionTimeout;
    private final Election election;

    // the lock of the tree guards all fields below
    private @Nullable Listener listener;
    private @Nullable Link link;
    private long session;
    private long seenZxid;
    private boolean reachable = true;
    private volatile boolean closed;
    private final Queue<Runnable> inbox = new ArrayDeque<>();
    private final Set<Request> unanswered = new LinkedHashSet<>();
    private final Map<String, Boolean> watches = new LinkedHashMap<>();
    /**
     * One-shot watches that have not fired yet, by path. The value is true if the node existed when the watch was set.
     */
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

    // The NodeStore interface

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
    public void renew() {
        tree.locked(() -> {
            if (listener == null || closed || session == 0) {
                return;
            }
            if (link != null && tree.serves(link)) {
                tree.end(session); // a disconnected client cannot notify the server
            }
            disconnect();
            lose();
            if (reachable) {
                connect();
            }
        });
    }

    @Override
    public void close() {
        tree.locked(() -> {
            if (closed) {
                return;
            }
            closed = true;
            // a disconnected client cannot notify the server: its session ends when it expires
            if (link != null && tree.serves(link)) {
                tree.end(session);
            }
            disconnect();
        });
    }

    // Faults

    /**
     * Returns the number of the client's session, even if the server has ended it and the client has not learned this
     * yet; 0 while the client has no session.
     */
    public long session() {
        synchronized (tree) {
            return session;
        }
    }

    /** Returns the numbers of requests of this store that have reached the server so far. */
    public Operations operations() {
        synchronized (tree) {
            return new Operations(commits, reads, childrenLists);
        }
    }

    /**
     * Ends the session at the server. The server deletes the session's ephemeral nodes and refuses its requests. The
     * client learns of the end when it {@link #reconnect reconnects}.
     */
    public void expire() {
        tree.locked(() -> tree.end(session));
    }

    /**
     * Disconnects the client until {@link #reconnect}. The client notices the lost connection, and pending requests
     * complete with an unknown result. {@link #holdRequests Held} requests may still reach the server until the session
     * ends or uses a new connection.
     */
    public void suspend() {
        tree.locked(() -> {
            reachable = false;
            disconnect();
        });
    }

    /**
     * Disconnects the client if it is connected, and connects it again: in the same session if the session is still
     * alive, otherwise in a new one.
     */
    public void reconnect() {
        tree.locked(this::connectAgain);
    }

    /**
     * Disconnects the client and makes it treat its session as lost, as a client with a wrong clock may do. At the
     * server, the session stays alive until {@link InMemoryCoordination#expire}. {@link #reconnect} creates a new
     * session.
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

    /**
     * Loses the next transaction on its way to the server, together with the connection. The client reconnects by
     * itself.
     */
    public void loseNextRequest() {
        synchronized (tree) {
            losesRequest = true;
        }
    }

    /**
     * Executes the next transaction, but loses its reply together with the connection. The client reconnects by itself.
     */
    public void loseNextReply() {
        synchronized (tree) {
            losesReply = true;
        }
    }

    /** Holds requests on their way to the server until {@link #releaseRequests}. */
    public void holdRequests() {
        synchronized (tree) {
            holdsRequests = true;
        }
    }

    /**
     * Lets held requests arrive. The server refuses requests of an ended session, and requests from an earlier
     * connection of the session.
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

    /** Holds all messages from the server to the client until {@link #releaseReplies} is called. */
    public void holdReplies() {
        synchronized (tree) {
            holdsReplies = true;
        }
    }

    /** Lets held messages arrive, except for reports of watches if {@link #holdWatches} holds them. */
    public void releaseReplies() {
        tree.locked(() -> {
            holdsReplies = false;
            releaseInbound();
        });
    }

    /**
     * Holds reports of watches and of leadership on their way to the client until {@link #releaseWatches}. Replies
     * still arrive. This order is impossible with a ZooKeeper server, which keeps the order of all messages on a
     * connection.
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
     * Connects the store to a server that lags behind the other servers in its answers to reads and its reports of
     * watches. At each transaction or {@link #sync} of this store, the server catches up, and then falls behind again.
     *
     * @param transactions number of transactions by which the server is behind; 0 for a server that is up to date
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

    // Connection and session; callers hold the lock

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

    // Requests and replies; callers hold the lock

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

    /** Sends a request for which no caller waits. */
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
            return; // the connection was lost before the request was sent
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

    /** Sends a report from the server to the client. It takes effect when it arrives. */
    void report(Link at, Runnable arrival) {
        receive(new Inbound(at, true, arrival));
    }

    @Nullable Link link() {
        return link;
    }

    /** Called by the server when a watch has fired. */
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

    /** Called by the server when it has reached a newer state. */
    void reached(Link at, List<Change> changes) {
        if (at == link) {
            election.reached(changes);
        }
    }

    // Calls of the listener

    void tell(Consumer<Listener> report) {
        Listener told = listener;
        post(() -> {
            if (told != null && !closed) {
                report.accept(told);
            }
        });
    }

    private void post(Runnable callback) {
        tree.locked(() -> {
            inbox.add(callback);
            tree.deliver(() -> replies.execute(this::callBack));
        });
    }

    private void callBack() {
        Runnable callback;
        synchronized (tree) {
            callback = inbox.remove();
        }
        callback.run();
    }
}
