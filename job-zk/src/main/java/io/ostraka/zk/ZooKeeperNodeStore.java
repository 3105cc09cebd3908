package io.ostraka.zk;

import io.ostraka.api.CoordinationException;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.time.SystemClock;
import io.ostraka.core.tree.Node;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeRequests;
import io.ostraka.core.tree.NodeStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.retry.BoundedExponentialBackoffRetry;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node store on ZooKeeper. The store reports all events to the listener on one thread, in the order in which they
 * occurred, and logs exceptions of the listener. Thread-safe.
 *
 * <p>Curator manages the handle (an object of ZooKeeper's client) and the leader election. Curator replaces the handle
 * when the session has expired, or after a session timeout without a connection. Each handle has exactly one session.
 *
 * <p>The store sends its requests directly to the handle, because Curator repeats a request after a lost connection,
 * and the repetition could conflict with the first attempt. The store also learns of sessions and connections from the
 * handle and not from Curator, because the handle reports all of them, in order with the replies to requests.
 *
 * <p>The store's thread handles all changes of sessions and connections. {@code lock} guards the fields that other
 * threads read as well.
 *
 * <p>If a request finds no connection, its caller receives the failure before the listener is notified of the next
 * connection. {@code lock} ensures this order. A request holds the lock from the check of the connection until its
 * failure is enqueued for the store's thread. {@code use} holds the lock while it sets a connection and enqueues the
 * notification.
 */
public final class ZooKeeperNodeStore implements NodeStore {
    private static final Logger log = LoggerFactory.getLogger(ZooKeeperNodeStore.class);
    private static final Duration BETWEEN_CHECKS = Duration.ofSeconds(5);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
    /**
     * Number of checks without a connection after which the servers are probed for the first time. Further probes
     * follow every {@link #CHECKS_BETWEEN_PROBES} checks.
     */
    private static final int CHECKS_BEFORE_PROBE = 2;

    private static final int CHECKS_BETWEEN_PROBES = 5;

    private final ZooKeeperConfig config;
    private final boolean createsRoot;
    private final Obstacle obstacle;
    private final StoreThread thread;
    private final CuratorFramework curator;
    private final LatchReplies replies = new LatchReplies();
    private final Object lock = new Object();
    private final PacketLimit packets = new PacketLimit(new SystemClock()::monotonicNanos);

    // guarded by lock
    private final Map<String, Boolean> watches = new LinkedHashMap<>();
    private @Nullable Reports reports;
    /** Session to which requests are sent; null without a connection. */
    private @Nullable ZooKeeperSession usable;
    /** Session of the current handle, connected or not. Changed only on the store's thread. */
    private @Nullable ZooKeeperSession current;

    private boolean campaigning;
    private boolean closed;

    // only on the store's thread
    private @Nullable Candidacy candidacy;
    private @Nullable ZooKeeperSession rooted;
    /** Sessions that this store no longer uses, but that the servers may not have ended yet. */
    private final List<FormerSession> former = new ArrayList<>();

    /** True if the size of transactions is limited according to the latest notification of the listener. */
    private boolean limited;

    private boolean deadBefore;
    private Duration pause;
    private int checksWithout;
    /**
     * Number that increases when a connection begins and when it ends, so that each connection has its own number. A
     * sent transaction remembers the number, which tells the store later on which connection it was sent. Read by any
     * thread.
     */
    private volatile int connections;

    private boolean connected;

    /** Creates a store without a connection; {@link #start} connects. */
    public ZooKeeperNodeStore(ZooKeeperConfig config) {
        this(config, true);
    }

    /**
     * Creates a store that connects only to an existing namespace, because a mistyped name must not create another
     * namespace. If the configuration has no namespace, the store always connects, even if its root is missing.
     */
    public static ZooKeeperNodeStore observing(ZooKeeperConfig config) {
        return new ZooKeeperNodeStore(config, false);
    }

    private ZooKeeperNodeStore(ZooKeeperConfig config, boolean createsRoot) {
        this.config = config;
        this.createsRoot = createsRoot;
        obstacle = new Obstacle(config, why -> reports().hindered(why));
        pause = config.retryPause();
        thread = new StoreThread("ostraka-zk-" + (config.namespace() == null ? "namespaces" : config.namespace()));
        int millis = (int) config.retryPause().toMillis();
        curator = CuratorFrameworkFactory.builder()
                .connectString(config.hosts())
                .sessionTimeoutMs((int) config.sessionTimeout().toMillis())
                .connectionTimeoutMs((int) config.connectionTimeout().toMillis())
                // only for the leader election, which retries until the connection ends
                .retryPolicy(new BoundedExponentialBackoffRetry(
                        millis, Math.max(millis, (int) LONGEST_PAUSE.toMillis()), 29))
                .zookeeperFactory(this::open)
                .canBeReadOnly(false)
                .ensembleTracker(false)
                .dontUseContainerParents()
                .aclProvider(new SameAcl(config.security().acl()))
                .build();
    }

    private record SameAcl(List<ACL> acl) implements ACLProvider {
        @Override
        public List<ACL> getDefaultAcl() {
            return acl;
        }

        @Override
        public List<ACL> getAclForPath(String path) {
            return acl;
        }
    }

    @Override
    public void start(Listener listener) {
        Objects.requireNonNull(listener, "listener");
        synchronized (lock) {
            if (reports != null || closed) {
                throw new IllegalStateException("the ZooKeeper store has been started before, or is closed");
            }
            reports = new Reports(listener);
            if (config.namespace() != null && !config.security().closed()) {
                log.info(
                        "the nodes of {} in ZooKeeper at {} are open to every client that can connect ({})",
                        config.root(),
                        config.hosts(),
                        config.security());
            }
            thread.execute(curator::start);
            thread.every(BETWEEN_CHECKS, this::check);
        }
    }

    // Requests

    @Override
    public CompletionStage<Outcome> commit(List<NodeOp> operations) {
        NodeRequests.requireTransaction(operations);
        long bytes = NodeRequests.bytes(
                operations, config.root().length(), config.security().aclBytes());
        if (!packets.allows(bytes)) {
            var answer = new CompletableFuture<Outcome>();
            thread.execute(() -> answer.complete(new Outcome.Rejected(-1, Outcome.Reason.TOO_LARGE)));
            return answer;
        }
        int sentOn = connections;
        return send(session -> session.commit(operations)).handle((outcome, failure) -> {
            if (failure == null && !(outcome instanceof Outcome.Unknown)) {
                packets.answered(bytes);
                return outcome;
            }
            packets.lost(bytes, sentOn)
                    .ifPresent(most -> thread.execute(() -> {
                        limited = true;
                        reports().limited(obstacle.dropsLargePackets(bytes, most));
                    }));
            return new Outcome.Unknown();
        });
    }

    @Override
    public CompletionStage<Optional<Node>> read(String path, boolean watch) {
        NodeRequests.requirePath(path);
        return ask("read " + path, session -> session.read(path, watch));
    }

    @Override
    public List<CompletionStage<Optional<Node>>> read(List<String> paths) {
        paths.forEach(NodeRequests::requirePath);
        synchronized (lock) {
            List<CompletableFuture<Optional<Node>>> sent =
                    usable == null || paths.isEmpty() ? List.of() : usable.read(paths);
            List<CompletionStage<Optional<Node>>> answers = new ArrayList<>();
            for (String path : paths) {
                int at = answers.size();
                answers.add(ask("read " + path, session -> sent.get(at)));
            }
            return answers;
        }
    }

    @Override
    public CompletionStage<List<String>> children(String path) {
        NodeRequests.requirePath(path);
        return ask("list the children of " + path, session -> session.children(path));
    }

    @Override
    public CompletionStage<Void> sync() {
        return ask("sync", ZooKeeperSession::sync);
    }

    private <T> CompletionStage<T> ask(String what, Function<ZooKeeperSession, CompletableFuture<T>> request) {
        var answer = new CompletableFuture<T>();
        var unused = send(request).whenComplete((value, failure) -> {
            if (failure == null) {
                answer.complete(value);
            } else {
                String text = obstacle.explain(what + " below " + config.root(), failure);
                answer.completeExceptionally(
                        failure instanceof KeeperException.NoAuthException
                                ? new RefusedException(text, failure)
                                : new CoordinationException(text, failure));
            }
        });
        return answer;
    }

    private <T> CompletableFuture<T> send(Function<ZooKeeperSession, CompletableFuture<T>> request) {
        synchronized (lock) {
            if (usable != null) {
                return request.apply(usable);
            }
            var answer = new CompletableFuture<T>();
            thread.execute(() -> answer.completeExceptionally(KeeperException.create(Code.CONNECTIONLOSS)));
            return answer;
        }
    }

    // Watches and leader election

    @Override
    public void watch(String path, boolean recursive) {
        NodeRequests.requirePath(path);
        synchronized (lock) {
            Boolean before = watches.put(path, recursive);
            if (usable == null) {
                return; // the next connection sets the watch
            }
            if (before != null && before != recursive) {
                usable.unwatch(path, before);
            }
            usable.watch(path, recursive);
        }
    }

    @Override
    public void unwatch(String path) {
        synchronized (lock) {
            Boolean recursive = watches.remove(path);
            if (recursive != null && current != null) {
                current.unwatch(path, recursive); // even without a connection: otherwise the client would set it again
            }
        }
    }

    @Override
    public void campaign(String path, String id) {
        NodeRequests.requirePath(path);
        synchronized (lock) {
            if (reports == null || campaigning) {
                throw new IllegalStateException("cannot join the leader election at " + path + ": "
                        + (campaigning ? "the store has joined an election already" : "the store was not started"));
            }
            campaigning = true;
        }
        String root = config.root();
        thread.execute(() -> candidacy = new Candidacy(curator, replies, root + path, id, thread, candidate -> reports()
                .leads(candidate.map(at -> at.substring(root.length())))));
    }

    @Override
    public void resign() {
        synchronized (lock) {
            if (!campaigning) {
                return;
            }
            campaigning = false;
        }
        thread.execute(() -> {
            endCandidacy();
            reports().resigned();
        });
    }

    private void endCandidacy() {
        if (candidacy != null) {
            candidacy.close();
            candidacy = null;
        }
    }

    // Session; only on the store's thread

    /** Creates a handle. Curator calls this method on any thread, for its first handle and for each replacement. */
    private ZooKeeper open(String hosts, int timeoutMillis, Watcher curators, boolean readOnly) throws IOException {
        var session =
                new ZooKeeperSession(config.root(), config.security(), obstacle, thread, (path, deleted) -> reports()
                        .changed(path, deleted));
        thread.execute(() -> {
            end();
            synchronized (lock) {
                current = session;
            }
        });
        try {
            return session.open(hosts, timeoutMillis, readOnly, replies, event -> {
                // The report is queued before Curator gets the event, because Curator replaces the handle at once after
                // an expiry.
                if (event.getType() == EventType.None) {
                    thread.execute(() -> stateChanged(session, event.getState()));
                }
                curators.process(event);
            });
        } catch (IOException | RuntimeException e) {
            thread.execute(() -> {
                end();
                obstacle.is("cannot create a client of ZooKeeper at " + config.hosts() + ": " + e.getMessage());
            });
            throw e;
        }
    }

    private void stateChanged(ZooKeeperSession session, KeeperState state) {
        if (session != current) {
            return;
        }
        switch (state) {
            case SyncConnected -> {
                connections = connections + 1;
                connected = true;
                try {
                    endFormer();
                } finally { // even after an exception, because otherwise the store would never use the connection
                    prepare(session);
                }
            }
            case Disconnected -> suspend();
            case Expired -> end();
            case AuthFailed -> {
                if (!session.isAlive()) {
                    end(); // this session will never reply; a later check creates another one
                }
                obstacle.is(obstacle.refusedCredentials());
            }
            default -> log.debug("ZooKeeper's client reports the state {}", state);
        }
    }

    private void prepare(ZooKeeperSession session) {
        if (session == rooted || config.namespace() == null) {
            use(session);
            return;
        }
        int connection = connections;
        var unused = (createsRoot ? session.createRoot() : session.requireRoot())
                .thenCompose(created -> session.openNodes())
                .whenComplete((open, failure) -> {
                    if (connection != connections) {
                        return; // the connection has changed since the request
                    }
                    if (failure == null && open.isEmpty()) {
                        rooted = session;
                        pause = config.retryPause();
                        use(session);
                        return;
                    }
                    if (failure == null) {
                        obstacle.isOpen(String.join(", ", open));
                    } else if (cause(failure) instanceof KeeperException.NoNodeException) {
                        obstacle.is("there is no namespace " + config.root() + " at " + config.hosts()
                                + "; check its name, or start an instance that uses it");
                    } else if (!isLossOfConnection(cause(failure))) { // a loss is no obstacle: a new connection follows
                        obstacle.is(obstacle.explain("create or read " + config.root(), cause(failure)));
                    }
                    thread.after(pause, () -> {
                        if (connection == connections) {
                            prepareAgain(session);
                        }
                    });
                    Duration longer = pause.multipliedBy(2);
                    pause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
                });
    }

    private static boolean isLossOfConnection(Throwable failure) {
        return failure instanceof KeeperException.ConnectionLossException
                || failure instanceof KeeperException.SessionExpiredException;
    }

    private static Throwable cause(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    /**
     * Prepares a connection again: creates the root node and checks the access rights. If there are credentials, this
     * needs a new session, because a session keeps the credentials with which it started.
     */
    private void prepareAgain(ZooKeeperSession session) {
        if (config.security().hasCredentials()) {
            replaceHandle();
        } else {
            prepare(session);
        }
    }

    /** Makes Curator replace the current handle with a new one. Curator closes the old one, which ends its session. */
    void replaceHandle() {
        try {
            curator.getZookeeperClient().reset();
        } catch (Exception e) { // the exception type that Curator declares
            log.debug("cannot create a client of ZooKeeper at {}; the store tries again", config.hosts(), e);
        }
    }

    private void use(ZooKeeperSession session) {
        synchronized (lock) {
            if (closed) {
                return;
            }
            usable = session;
            obstacle.gone();
            watches.forEach(session::watchAgain);
            // The notification is queued behind the replies to requests that were made without a connection.
            thread.execute(() -> {
                if (usable == session) {
                    reports().connected(session.id(), session.timeout());
                }
            });
        }
    }

    private void suspend() {
        connections = connections + 1;
        connected = false;
        obstacle.disconnected();
        synchronized (lock) {
            usable = null;
        }
        reports().suspended();
    }

    /** Ends the current session, after it has expired or Curator has closed its handle. */
    private void end() {
        ZooKeeperSession over = current;
        if (over == null) {
            return;
        }
        suspend();
        synchronized (lock) {
            current = null;
        }
        over.end();
        over.former().ifPresent(former::add);
        reports().lost();
    }

    private void endFormer() {
        former.forEach(session -> session.end(config.hosts(), thread, () -> former.remove(session)));
    }

    /** Repairs states from which Curator does not recover by itself. Called periodically. */
    private void check() {
        if (candidacy != null && reports().isConnected()) {
            candidacy.check();
        }
        if (limited && !packets.limits()) {
            limited = false;
            reports().limited(null);
        }
        boolean dead = current == null || !current.isAlive();
        if (dead && deadBefore) {
            if (obstacle.present().isEmpty()) {
                log.warn(
                        "ZooKeeper's client for {} has ended without a successor; the store creates a new one",
                        config.hosts());
            }
            replaceHandle();
        }
        deadBefore = dead;
        checksWithout = connected ? 0 : checksWithout + 1;
        if (checksWithout % CHECKS_BETWEEN_PROBES == CHECKS_BEFORE_PROBE) {
            var probing = new Thread(this::probe, "ostraka-zk-probe");
            probing.setDaemon(true);
            try {
                probing.start();
            } catch (Throwable e) { // the next probe may find a thread
                log.warn("no thread can be started that looks for the cause of the lost connection: {}", e.toString());
            }
        }
    }

    private void probe() {
        ServerProbe.Findings findings = new ServerProbe(config).probe();
        thread.execute(() -> {
            if (!connected) {
                obstacle.found(findings);
            }
        });
    }

    /**
     * Describes why the store cannot use ZooKeeper and suggests an action. If there is no connection and no reason is
     * known yet, connects to all servers to find one, which can take up to 30 seconds if a server is suspended.
     *
     * @return the reason; empty if there is a connection and ZooKeeper has refused nothing
     */
    public String trouble() {
        boolean connection;
        synchronized (lock) {
            connection = usable != null;
        }
        return obstacle.present()
                .orElseGet(
                        () -> connection ? "" : new ServerProbe(config).probe().text());
    }

    private Reports reports() {
        synchronized (lock) {
            return Objects.requireNonNull(reports, "not started");
        }
    }

    /** Returns the current handle; throws a NullPointerException before the first connection. */
    ZooKeeper handle() {
        synchronized (lock) {
            return Objects.requireNonNull(current, "no session").handle();
        }
    }

    @Override
    public void renew() {
        thread.execute(() -> {
            synchronized (lock) {
                if (reports == null || closed) {
                    return;
                }
            }
            replaceHandle();
        });
    }

    @Override
    public void close() {
        synchronized (lock) {
            if (closed) {
                return;
            }
            closed = true;
            usable = null;
            if (reports != null) {
                reports.stop();
            }
        }
        var ended = new CompletableFuture<@Nullable Void>();
        Runnable ending = () -> {
            try {
                endCandidacy();
                replies.stop();
                curator.close();
                end();
            } finally {
                thread.stop(); // last, since this thread completes all earlier replies
                ended.complete(null);
            }
        };
        if (thread.isCurrent()) {
            ending.run();
            return;
        }
        thread.execute(ending);
        try {
            ended.get(config.connectionTimeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            log.warn(
                    "ZooKeeper at {} does not answer while the store closes; the session's nodes are deleted when it expires",
                    config.hosts());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException("the end was completed exceptionally, which is a defect", e);
        }
    }
}
