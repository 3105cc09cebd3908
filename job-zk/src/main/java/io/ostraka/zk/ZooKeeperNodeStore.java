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
 * Nodes in ZooKeeper. Thread-safe. Everything is told on one thread of the store, in the order in which it happened;
 * what a listener throws is logged.
 *
 * <p>How it works: Curator keeps a handle of ZooKeeper's client and replaces it when its session has expired, or when
 * there was no connection for as long as that takes; it also brings the leader election. Requests go to the handle
 * itself, because Curator would send them again after a lost connection and meet its own first attempt. The handles'
 * own events, not Curator's states, tell about the session: they come in order with the answers, none is missed, and a
 * new handle is a new session by definition.
 *
 * <p>State changes only on the store's thread. What other threads need of it is guarded by {@code lock}, under which
 * requests are sent too: whoever is told that there is no connection is told so before the next one is.
 */
public final class ZooKeeperNodeStore implements NodeStore {
    private static final Logger log = LoggerFactory.getLogger(ZooKeeperNodeStore.class);
    private static final Duration BETWEEN_CHECKS = Duration.ofSeconds(5);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
    /** How many checks without a connection come before it is looked for the reason, first and then again. */
    private static final int CHECKS_BEFORE_PROBE = 2;

    private static final int CHECKS_BETWEEN_PROBES = 12;

    private final ZooKeeperConfig config;
    private final Obstacle obstacle;
    private final StoreThread thread;
    private final CuratorFramework curator;
    private final Object lock = new Object();
    private final PacketLimit packets = new PacketLimit(new SystemClock()::monotonicNanos);

    // guarded by lock
    private final Map<String, Boolean> watches = new LinkedHashMap<>();
    private @Nullable Reports reports;
    /** The session that takes requests: only while it is connected. */
    private @Nullable ZooKeeperSession usable;
    /** The session of the present handle, connected or not. Changed on the store's thread alone. */
    private @Nullable ZooKeeperSession current;

    private boolean campaigning;
    private boolean closed;

    // of the store's thread
    private @Nullable Candidacy candidacy;
    private @Nullable ZooKeeperSession rooted;
    /** Sessions that are over here, until the servers have ended them too. */
    private final List<FormerSession> former = new ArrayList<>();

    /** Whether transactions are kept small, and that was told. */
    private boolean limited;

    private boolean deadBefore;
    private Duration pause;
    private int checksWithout;
    /** Counts connections made and lost: what was begun on one doesn't go on on the next. Read anywhere. */
    private volatile int connections;

    private boolean connected;

    /** Makes a store that is not connected. */
    public ZooKeeperNodeStore(ZooKeeperConfig config) {
        this.config = config;
        obstacle = new Obstacle(config, why -> reports().hindered(why));
        pause = config.retryPause();
        thread = new StoreThread("ostraka-zk-" + config.namespace());
        int millis = (int) config.retryPause().toMillis();
        curator = CuratorFrameworkFactory.builder()
                .connectString(config.hosts())
                .sessionTimeoutMs((int) config.sessionTimeout().toMillis())
                .connectionTimeoutMs((int) config.connectionTimeout().toMillis())
                // of the election alone, whose attempts end with the connection, not by number
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
                throw new IllegalStateException("The store was started before, or is closed");
            }
            reports = new Reports(listener);
            if (!config.security().closed()) {
                log.info(
                        "nodes of {} in ZooKeeper at {} are open to everyone who can connect there ({})",
                        config.root(),
                        config.hosts(),
                        config.security());
            }
            thread.execute(curator::start);
            thread.every(BETWEEN_CHECKS, this::check);
        }
    }

    // requests

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
                answer.completeExceptionally(new CoordinationException(
                        obstacle.explain(what + " below " + config.root(), failure), failure));
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

    // watches and leadership

    @Override
    public void watch(String path, boolean recursive) {
        NodeRequests.requirePath(path);
        synchronized (lock) {
            Boolean before = watches.put(path, recursive);
            if (usable == null) {
                return; // set as soon as there is a connection
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
                current.unwatch(path, recursive); // without a connection too, or the client sets it again
            }
        }
    }

    @Override
    public void campaign(String path, String id) {
        NodeRequests.requirePath(path);
        synchronized (lock) {
            if (reports == null || campaigning) {
                throw new IllegalStateException("Cannot stand for leader at " + path + ": "
                        + (campaigning ? "it stands already" : "the store was not started"));
            }
            campaigning = true;
        }
        String root = config.root();
        thread.execute(() -> candidacy = new Candidacy(curator, root + path, id, thread, candidate -> reports()
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

    // the session, on the store's thread

    /** Called by Curator, on whatever thread, for its first handle and after each expiry. */
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
            return session.open(hosts, timeoutMillis, readOnly, event -> {
                // first here: at an expiry Curator closes this handle and opens the next at once
                if (event.getType() == EventType.None) {
                    thread.execute(() -> stateChanged(session, event.getState()));
                }
                curators.process(event);
            });
        } catch (IOException | RuntimeException e) {
            thread.execute(() -> {
                end();
                obstacle.is("Cannot make a client of ZooKeeper at " + config.hosts() + ": " + e.getMessage());
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
                } finally { // without it nothing would be asked on this connection
                    prepare(session);
                }
            }
            case Disconnected -> suspend();
            case Expired -> end();
            case AuthFailed -> {
                if (!session.isAlive()) {
                    end(); // it will never answer; the next check makes another
                }
                obstacle.is(obstacle.refusedCredentials());
            }
            default -> log.debug("ZooKeeper's client says {}", state);
        }
    }

    private void prepare(ZooKeeperSession session) {
        if (session == rooted) {
            use(session);
            return;
        }
        int connection = connections;
        var unused = session.createRoot()
                .thenCompose(created -> session.openNodes())
                .whenComplete((open, failure) -> {
                    if (connection != connections) {
                        return; // another connection by now
                    }
                    if (failure == null && open.isEmpty()) {
                        rooted = session;
                        pause = config.retryPause();
                        use(session);
                        return;
                    }
                    if (failure == null) {
                        obstacle.isOpen(String.join(", ", open));
                    } else if (!isLossOfConnection(cause(failure))) { // the next connection is told of by itself
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

    /** With credentials in a session of its own, because a session keeps those that it began with. */
    private void prepareAgain(ZooKeeperSession session) {
        if (config.security().hasCredentials()) {
            renew();
        } else {
            prepare(session);
        }
    }

    /** Has Curator give the present handle up for a new one. */
    void renew() {
        try {
            curator.getZookeeperClient().reset();
        } catch (Exception e) { // declared so
            log.debug("Cannot make a client of ZooKeeper for {}; trying again", config.hosts(), e);
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
            // behind the answers to what was asked while there was no connection
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

    /** Ends the present session: it has expired, or Curator has given its handle up. */
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

    /** Mends now and then what Curator would leave as it is. */
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
                log.warn("ZooKeeper's client for {} has ended without a successor; making one", config.hosts());
            }
            renew();
        }
        deadBefore = dead;
        checksWithout = connected ? 0 : checksWithout + 1;
        if (checksWithout % CHECKS_BETWEEN_PROBES == CHECKS_BEFORE_PROBE
                && obstacle.present().isEmpty()) {
            var probing = new Thread(this::probe, "ostraka-zk-probe");
            probing.setDaemon(true);
            probing.start();
        }
    }

    private void probe() {
        String findings = new ServerProbe(config).findings();
        thread.execute(() -> {
            if (!connected) {
                obstacle.is(findings);
            }
        });
    }

    /**
     * Says what keeps the store from serving and what to do: what is known, or what the servers say now. Blocks, a few
     * seconds for each server at most.
     */
    public String trouble() {
        return obstacle.present().orElseGet(() -> new ServerProbe(config).findings());
    }

    private Reports reports() {
        synchronized (lock) {
            return Objects.requireNonNull(reports, "not started");
        }
    }

    /** Returns the present handle, once there was a connection. */
    ZooKeeper handle() {
        synchronized (lock) {
            return Objects.requireNonNull(current, "no session").handle();
        }
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
                curator.close();
                end();
            } finally {
                thread.stop(); // not before: what is answered until now is still completed on this thread
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
            log.warn("ZooKeeper at {} doesn't answer; the session's nodes go when it expires", config.hosts());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException("Never completed so", e);
        }
    }
}
