package io.ostraka.zk;

import io.ostraka.api.CoordinationException;
import io.ostraka.core.coordination.Node;
import io.ostraka.core.coordination.NodeOp;
import io.ostraka.core.coordination.NodeStore;
import io.ostraka.core.coordination.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.curator.RetryPolicy;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.retry.BoundedExponentialBackoffRetry;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.common.PathUtils;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Nodes in ZooKeeper. Thread-safe. Everything is told on one thread of the store, in the order in which it happened; what
 * a listener throws is logged.
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

    private static final Logger listenerLog = LoggerFactory.getLogger(Listener.class);

    /** Only the cause of what is told; there may be many in a short time. */
    private static final KeeperException NO_CONNECTION = KeeperException.create(KeeperException.Code.CONNECTIONLOSS);

    /** A server drops the connection of who sends more than 1 MiB (its default), again and again. */
    private static final int MAX_BYTES = 1_000_000;

    private static final int MAX_OVERHEAD_BYTES_PER_OPERATION = 100;
    private static final long CHECK_SECONDS = 5;
    private static final int LONGEST_PAUSE_MILLIS = 10_000;

    private final ZooKeeperConfig config;
    private final List<ACL> acl = ZooDefs.Ids.OPEN_ACL_UNSAFE;
    private final ScheduledThreadPoolExecutor executor;
    private final CuratorFramework curator;
    private final Object lock = new Object();

    // guarded by lock
    private final Map<String, Boolean> watches = new LinkedHashMap<>();
    private @Nullable Listener listener;
    /** The session that takes requests: only while it is connected. */
    private @Nullable ZooKeeperSession usable;
    /** The session of the present handle, connected or not. Changed on the store's thread alone. */
    private @Nullable ZooKeeperSession current;

    private boolean campaigning;
    private boolean closed;

    // of the store's thread
    private @Nullable Thread thread;
    /** The session that the listener was told of last, unless it was told of its end. */
    private @Nullable ZooKeeperSession known;
    /** Whether the listener takes the store as connected. */
    private boolean told;
    /** Nodes that changed before the listener could be told of the connection. */
    private final Set<String> changedEarly = new LinkedHashSet<>();

    private boolean deadBefore;
    private @Nullable Candidacy candidacy;
    private Optional<String> leader = Optional.empty();
    private Optional<String> toldLeader = Optional.empty();
    /** Counts connections made and lost: what was begun on one doesn't go on on the next. */
    private int stateChanges;

    /** Makes a store that is not connected; it has a thread from the start. */
    public ZooKeeperNodeStore(ZooKeeperConfig config) {
        this.config = config;
        executor = new ScheduledThreadPoolExecutor(1, task -> {
            var made = new Thread(task, "ostraka-zk-" + config.namespace());
            made.setDaemon(true);
            return made;
        });
        curator = CuratorFrameworkFactory.builder()
                .connectString(config.hosts())
                .sessionTimeoutMs((int) config.sessionTimeout().toMillis())
                .connectionTimeoutMs((int) config.connectionTimeout().toMillis())
                .retryPolicy(retries(config.retryPause()))
                .zookeeperFactory(this::open)
                .canBeReadOnly(false)
                .ensembleTracker(false)
                .dontUseContainerParents()
                .aclProvider(new SameAcl(acl))
                .build();
    }

    /** For what Curator does in the background, the election: it ends with the connection, not after so many attempts. */
    private static RetryPolicy retries(Duration pause) {
        int first = (int) pause.toMillis();
        return new BoundedExponentialBackoffRetry(first, Math.max(first, LONGEST_PAUSE_MILLIS), 29);
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
    public void start(Listener newListener) {
        Objects.requireNonNull(newListener, "listener");
        synchronized (lock) {
            if (listener != null || closed) {
                throw new IllegalStateException("The store was started before, or is closed");
            }
            listener = newListener;
        }
        onThread(() -> {
            thread = Thread.currentThread();
            curator.start();
        });
        executor.scheduleWithFixedDelay(() -> guarded(this::check), CHECK_SECONDS, CHECK_SECONDS, TimeUnit.SECONDS);
    }

    // requests

    @Override
    public CompletionStage<Outcome> commit(List<NodeOp> operations) {
        checkOperations(operations);
        if (bytes(operations) > MAX_BYTES) {
            return answered(new Outcome.Rejected(-1, Outcome.Reason.REFUSED));
        }
        CompletableFuture<Outcome> answer = send(session -> {
            List<Op> translated = operations.stream().map(session::translate).toList();
            return session.commit(translated);
        });
        return answer.exceptionally(e -> new Outcome.Unknown());
    }

    @Override
    public CompletionStage<Optional<Node>> read(String path, boolean watch) {
        checkPath(path);
        return ask("read " + path, session -> session.read(path, watch));
    }

    @Override
    public CompletionStage<List<String>> children(String path) {
        checkPath(path);
        return ask("list the children of " + path, session -> session.children(path));
    }

    @Override
    public CompletionStage<Void> sync() {
        return ask("sync", ZooKeeperSession::sync);
    }

    private <T> CompletionStage<T> ask(String what, Function<ZooKeeperSession, CompletableFuture<T>> request) {
        var answer = new CompletableFuture<T>();
        send(request).whenComplete((value, failure) -> {
            if (failure == null) {
                answer.complete(value);
            } else {
                answer.completeExceptionally(new CoordinationException(
                        "Could not " + what + " at " + config.connectString() + ": " + failure.getMessage(), failure));
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
            onThread(() -> answer.completeExceptionally(NO_CONNECTION));
            return answer;
        }
    }

    // watches and leadership

    @Override
    public void watch(String path, boolean recursive) {
        checkPath(path);
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
            if (recursive == null) {
                return;
            }
            if (current != null) {
                current.unwatch(path, recursive); // without a connection too, or the client sets it again
            }
        }
    }

    @Override
    public void campaign(String path, String id) {
        checkPath(path);
        synchronized (lock) {
            if (campaigning) {
                throw new IllegalStateException("Stands for leader already, and now at " + path);
            }
            campaigning = true;
        }
        onThread(() -> candidacy = new Candidacy(curator, config.root() + path, id, this::onThread, this::leads));
    }

    @Override
    public void resign() {
        synchronized (lock) {
            campaigning = false;
        }
        onThread(() -> {
            endCandidacy();
            leader = Optional.empty();
            toldLeader = Optional.empty();
        });
    }

    private void endCandidacy() {
        if (candidacy != null) {
            candidacy.close();
            candidacy = null;
        }
    }

    // the session; on the store's thread

    /** Called by Curator, on whatever thread, for its first handle and after each expiry. */
    private ZooKeeper open(String hosts, int timeoutMillis, Watcher curators, boolean readOnly) throws Exception {
        var session = new ZooKeeperSession(config.root(), acl, this::onThread, this::changed);
        onThread(() -> {
            end();
            synchronized (lock) {
                current = session;
            }
        });
        try {
            return session.open(hosts, timeoutMillis, readOnly, event -> {
                // first here: at an expiry Curator closes this handle and opens the next at once
                if (event.getType() == EventType.None) {
                    onThread(() -> stateChanged(session, event.getState()));
                }
                curators.process(event);
            });
        } catch (IOException | RuntimeException e) {
            onThread(this::end);
            throw e;
        }
    }

    private void stateChanged(ZooKeeperSession session, KeeperState state) {
        if (session != current) {
            return;
        }
        switch (state) {
            case SyncConnected -> {
                stateChanges++;
                prepare(session);
            }
            case Disconnected -> suspend();
            case Expired -> end();
            case AuthFailed -> log.error("ZooKeeper at {} refused our credentials; check them", config.hosts());
            default -> log.debug("ZooKeeper's client says {}", state);
        }
    }

    private void prepare(ZooKeeperSession session) {
        if (session == known) {
            connected(session);
            return;
        }
        int before = stateChanges;
        session.createRoot().whenComplete((nothing, failure) -> {
            if (before != stateChanges) {
                return; // another connection by now
            }
            if (failure == null) {
                connected(session);
                return;
            }
            log.warn(
                    "Cannot create {} at {}; trying again. Create it by hand if the right to do so is missing",
                    config.root(),
                    config.hosts(),
                    failure);
            executor.schedule(
                    () -> guarded(() -> {
                        if (before == stateChanges) {
                            prepare(session);
                        }
                    }),
                    config.retryPause().toMillis(),
                    TimeUnit.MILLISECONDS);
        });
    }

    private void connected(ZooKeeperSession session) {
        synchronized (lock) {
            if (closed) {
                return;
            }
            usable = session;
            watches.forEach(session::watch);
            // behind the answers of requests that were made while there was no connection
            onThread(() -> {
                if (usable == session && !told) {
                    told = true;
                    known = session;
                    tell(to -> to.connected(session.id(), session.timeout()));
                    changedEarly.forEach(path -> tell(to -> to.changed(path)));
                    changedEarly.clear();
                    leads(leader);
                }
            });
        }
    }

    private void changed(String path) {
        if (told) {
            tell(to -> to.changed(path));
        } else {
            changedEarly.add(path);
        }
    }

    private void leads(Optional<String> candidate) {
        leader = candidate;
        if (told && !leader.equals(toldLeader)) {
            toldLeader = leader;
            tell(to -> to.leadership(
                    candidate.map(path -> path.substring(config.root().length()))));
        }
    }

    private void suspend() {
        stateChanges++;
        synchronized (lock) {
            usable = null;
        }
        if (told) {
            leads(Optional.empty()); // as the latch says too, a little later
            told = false;
            tell(Listener::suspended);
        }
    }

    /** Ends the present session: it has expired, or Curator has given its handle up. */
    private void end() {
        suspend();
        ZooKeeperSession over = current;
        if (over == null) {
            return;
        }
        synchronized (lock) {
            current = null;
        }
        over.end();
        changedEarly.clear();
        if (over == known) {
            known = null;
            tell(Listener::lost);
        }
    }

    /** Mends now and then what Curator would leave as it is. */
    private void check() {
        if (candidacy != null && told) {
            candidacy.check();
        }
        boolean dead = current == null || !current.isAlive();
        if (!dead || !deadBefore) {
            deadBefore = dead;
            return;
        }
        try {
            log.warn("ZooKeeper's client for {} has ended without a successor; making one", config.hosts());
            curator.getZookeeperClient().reset();
        } catch (Exception e) { // declared so
            log.warn("Cannot make a client of ZooKeeper for {}; trying again", config.hosts(), e);
        }
    }

    /** Returns the present handle, once there was a connection. */
    ZooKeeper handle() {
        synchronized (lock) {
            return Objects.requireNonNull(current, "no session").handle();
        }
    }

    // threads

    private void tell(Consumer<Listener> report) {
        Listener to;
        synchronized (lock) {
            to = closed ? null : listener;
        }
        if (to == null) {
            return;
        }
        try {
            report.accept(to);
        } catch (RuntimeException e) {
            listenerLog.error("The listener of the store at {} failed; the store goes on", config.connectString(), e);
        }
    }

    private void onThread(Runnable task) {
        try {
            executor.execute(() -> guarded(task));
        } catch (RejectedExecutionException e) {
            guarded(task); // closed: nobody is told any more, but somebody may wait for an answer
        }
    }

    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            log.error("A task of the store at {} failed; the store goes on", config.connectString(), e);
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
        }
        Runnable ending = () -> {
            try {
                endCandidacy();
                curator.close();
                end();
            } finally {
                executor.shutdown(); // not before: what is answered until now is still completed on this thread
            }
        };
        if (Thread.currentThread() == thread) {
            ending.run();
            return;
        }
        Future<?> ended = executor.submit(ending);
        try {
            ended.get(config.connectionTimeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            log.warn("ZooKeeper at {} doesn't answer; the session's nodes go when it expires", config.hosts());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new CoordinationException("Could not close the store at " + config.connectString(), e.getCause());
        }
    }

    private <T> CompletionStage<T> answered(T value) {
        var answer = new CompletableFuture<T>();
        onThread(() -> answer.complete(value));
        return answer;
    }

    private static void checkOperations(List<NodeOp> operations) {
        if (operations.isEmpty()) {
            throw new IllegalArgumentException("A transaction needs an operation");
        }
        for (NodeOp operation : operations) {
            checkPath(isNumbered(operation) ? operation.path() + "0" : operation.path());
            boolean keepsNodes = operation instanceof NodeOp.Check || operation instanceof NodeOp.Set;
            if (operation.path().equals("/") && !keepsNodes) {
                throw new IllegalArgumentException("The root is neither created nor deleted: " + operation);
            }
        }
    }

    /** The name of such a node may be its number alone. */
    private static boolean isNumbered(NodeOp operation) {
        return operation instanceof NodeOp.Create create && create.kind() == NodeOp.Kind.PERSISTENT_SEQUENTIAL;
    }

    private static void checkPath(String path) {
        PathUtils.validatePath(path);
    }

    private static int bytes(List<NodeOp> operations) {
        int bytes = 0;
        for (NodeOp operation : operations) {
            int data = operation instanceof NodeOp.Create create
                    ? create.data().length
                    : operation instanceof NodeOp.Set set ? set.data().length : 0;
            bytes += operation.path().length() + data + MAX_OVERHEAD_BYTES_PER_OPERATION;
        }
        return bytes;
    }
}
