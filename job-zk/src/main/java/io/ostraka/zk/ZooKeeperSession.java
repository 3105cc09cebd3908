package io.ostraka.zk;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.tree.Node;
import io.ostraka.core.tree.NodeOp;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ZKConfig;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One session, with its handle (an object of ZooKeeper's client). The session sends every request exactly once and
 * completes the reply on the store's thread. The server executes requests in the order of the calls. Thread-safe.
 */
final class ZooKeeperSession {
    private static final Logger log = LoggerFactory.getLogger(ZooKeeperSession.class);
    private static final int OK = Code.OK.intValue();
    /**
     * Largest accepted size of a reply. A reply can contain several nodes of up to a megabyte each; the client's
     * default is the size of a single such node.
     */
    private static final int LARGEST_ANSWER_BYTES = 40 << 20;

    private final String root;
    /** Prefix of all paths of the namespace; empty if the namespace begins at ZooKeeper's root node. */
    private final String prefix;

    private final ZooKeeperSecurity security;
    private final List<ACL> acl;
    private final Obstacle obstacle;
    private final Executor thread;
    private final BiConsumer<String, Boolean> changed;
    /**
     * A single watcher for all watches. ZooKeeper's client calls the same watcher only once if several watches cover a
     * change.
     */
    private final Watcher watcher = this::report;

    private final Queue<CompletableFuture<?>> unanswered = new ConcurrentLinkedQueue<>();
    /** Paths of the active watches, which ZooKeeper's client sets again on each connection. */
    private final Set<String> watched = ConcurrentHashMap.newKeySet();

    private @Nullable Handle handle;

    /**
     * Creates a session without a handle.
     *
     * @param root node that contains all paths
     * @param security credentials, and access rights of created nodes
     * @param obstacle records refused writes
     * @param thread completes replies and calls {@code changed}
     * @param changed receives the path of each change that a watch reports, and true if the node was deleted
     */
    ZooKeeperSession(
            String root,
            ZooKeeperSecurity security,
            Obstacle obstacle,
            Executor thread,
            BiConsumer<String, Boolean> changed) {
        this.root = root;
        this.prefix = root.equals("/") ? "" : root;
        this.obstacle = obstacle;
        this.security = security;
        this.acl = security.acl();
        this.thread = thread;
        this.changed = changed;
    }

    /**
     * Creates the handle, which then connects in the background. Events of the handle are processed only after this
     * method has returned.
     *
     * @param replies receives the replies to the requests of LeaderLatch
     */
    synchronized ZooKeeper open(String hosts, int timeoutMillis, boolean readOnly, LatchReplies replies, Watcher events)
            throws IOException {
        Watcher whenOpen = event -> {
            handle();
            events.process(event);
        };
        byte[] digest = security.digest(); // first, so that an unreadable secret leaves no handle behind
        ZKClientConfig config = security.clientConfig();
        int largest = Math.max(LARGEST_ANSWER_BYTES, config.getInt(ZKConfig.JUTE_MAXBUFFER, 0));
        config.setProperty(ZKConfig.JUTE_MAXBUFFER, Integer.toString(largest));
        var opened = new Handle(hosts, timeoutMillis, whenOpen, readOnly, config, replies);
        if (digest.length > 0) {
            opened.addAuthInfo("digest", digest); // the handle repeats this on each later connection
        }
        handle = opened;
        return opened;
    }

    synchronized Handle handle() {
        if (handle == null) {
            throw new IllegalStateException("the session was not opened");
        }
        return handle;
    }

    private synchronized boolean isOpen() {
        return handle != null;
    }

    /**
     * Returns whether the handle still keeps or restores its connection: it is not closed, and its session has not
     * expired.
     */
    boolean isAlive() {
        return isOpen() && handle().getState().isAlive();
    }

    long id() {
        return handle().getSessionId();
    }

    Duration timeout() {
        return Duration.ofMillis(handle().getSessionTimeout());
    }

    /**
     * Completes all requests that have no reply yet exceptionally, because the session has ended. Called on the store's
     * thread.
     */
    void end() {
        for (CompletableFuture<?> answer = unanswered.poll(); answer != null; answer = unanswered.poll()) {
            answer.completeExceptionally(KeeperException.create(Code.SESSIONEXPIRED));
        }
    }

    /**
     * Returns this session as a {@link FormerSession}, so that the store can end it on the servers: they may still keep
     * it after its handle was closed. Empty if no server has created the session.
     */
    Optional<FormerSession> former() {
        return isOpen() && id() != 0
                ? Optional.of(new FormerSession(handle(), security.clientConfig()))
                : Optional.empty();
    }

    /**
     * Creates the root and its missing ancestors. Completes exceptionally with a {@link KeeperException} if this is not
     * possible now.
     */
    CompletableFuture<Void> createRoot() {
        return hasRoot().thenCompose(exists -> exists ? CompletableFuture.completedFuture(null) : createPath());
    }

    /** Completes exceptionally with a {@link KeeperException.NoNodeException} if the root does not exist. */
    CompletableFuture<Void> requireRoot() {
        return hasRoot()
                .thenCompose(exists -> exists
                        ? CompletableFuture.completedFuture(null)
                        : CompletableFuture.failedFuture(KeeperException.create(Code.NONODE, root)));
    }

    private CompletableFuture<Boolean> hasRoot() {
        CompletableFuture<Boolean> there = request();
        AsyncCallback.StatCallback callback = (rc, path, context, stat) -> {
            boolean known = rc == OK || rc == Code.NONODE.intValue();
            answer(there, known ? OK : rc, path, rc == OK);
        };
        handle().exists(root, false, callback, null);
        return there;
    }

    private CompletableFuture<Void> createPath() {
        for (int slash = root.indexOf('/', 1); slash > 0; slash = root.indexOf('/', slash + 1)) {
            // only the creation of the last node must succeed
            create(root.substring(0, slash)).exceptionally(e -> null);
        }
        return create(root);
    }

    private CompletableFuture<Void> create(String path) {
        CompletableFuture<Void> answer = request();
        AsyncCallback.StringCallback callback = (rc, at, context, name) -> {
            boolean there = rc == OK || rc == Code.NODEEXISTS.intValue();
            answer(answer, there ? OK : rc, path, null);
        };
        handle().create(path, new byte[0], acl, CreateMode.PERSISTENT, callback, null);
        return answer;
    }

    /**
     * Checks the root and its children, and returns the paths of the nodes that every client may change. Returns none
     * if this client accepts such nodes. Completes exceptionally with a {@link KeeperException} if the check fails, for
     * example if this client is not allowed to read the root.
     */
    CompletableFuture<List<String>> openNodes() {
        CompletableFuture<List<String>> ofRoot = openNode(root);
        if (!security.closed()) {
            return ofRoot.thenApply(any -> List.of());
        }
        return ofRoot.thenCombine(children("/"), (open, names) -> {
                    CompletableFuture<List<String>> all = CompletableFuture.completedFuture(open);
                    for (String name : names) {
                        all = all.thenCombine(openNode(absolute("/" + name)), ZooKeeperSession::both);
                    }
                    return all;
                })
                .thenCompose(all -> all);
    }

    private static List<String> both(List<String> some, List<String> more) {
        return Stream.concat(some.stream(), more.stream()).toList();
    }

    /** Returns a list that contains the path if every client may change the node, otherwise an empty list. */
    private CompletableFuture<List<String>> openNode(String path) {
        CompletableFuture<List<String>> answer = request();
        AsyncCallback.ACLCallback callback = (rc, at, context, found, stat) -> {
            boolean missing = rc == Code.NONODE.intValue();
            boolean open = rc == OK && found.stream().anyMatch(ZooKeeperSession::isForAnyoneToChange);
            answer(answer, missing ? OK : rc, at, open ? List.of(path) : List.of());
        };
        handle().getACL(path, null, callback, null);
        return answer;
    }

    private static boolean isForAnyoneToChange(ACL acl) {
        return acl.getId().equals(ZooDefs.Ids.ANYONE_ID_UNSAFE) && (acl.getPerms() & ~ZooDefs.Perms.READ) != 0;
    }

    CompletableFuture<Outcome> commit(List<NodeOp> operations) {
        List<Op> translated = operations.stream().map(this::translate).toList();
        CompletableFuture<Outcome> answer = request();
        AsyncCallback.MultiCallback callback = (rc, path, context, results) -> {
            Outcome outcome = Answers.outcome(rc, results);
            if (outcome instanceof Outcome.Rejected rejected && rejected.reason() == Outcome.Reason.REFUSED) {
                int index = rejected.index();
                obstacle.refused(
                        index < 0 ? root : absolute(operations.get(index).path()), Answers.code(rc));
            } else if (outcome instanceof Outcome.Committed) {
                obstacle.accepted(operations.stream().map(operation -> absolute(operation.path())));
            }
            answer(answer, OK, root, outcome);
        };
        handle().multi(translated, callback, null);
        return answer;
    }

    CompletableFuture<Optional<Node>> read(String path, boolean watch) {
        String at = absolute(path);
        if (watch) {
            // only exists can watch a missing node; both requests are sent together, so no change is missed
            AsyncCallback.StatCallback ignored = (rc, where, context, stat) -> {};
            handle().exists(at, watcher, ignored, null);
        }
        CompletableFuture<Optional<Node>> answer = request();
        AsyncCallback.DataCallback callback = (rc, where, context, data, stat) -> {
            Answers.Read read = Answers.read(
                    path, rc == OK ? new OpResult.GetDataResult(data, stat) : new OpResult.ErrorResult(rc));
            answer(answer, read.rc(), at, read.node());
        };
        handle().read(at, callback);
        return answer;
    }

    List<CompletableFuture<Optional<Node>>> read(List<String> paths) {
        List<CompletableFuture<Optional<Node>>> answers =
                paths.stream().map(path -> this.<Optional<Node>>request()).toList();
        AsyncCallback.MultiCallback callback = (rc, where, context, results) -> {
            for (int i = 0; i < answers.size(); i++) {
                OpResult result =
                        results == null || results.size() <= i ? new OpResult.ErrorResult(rc) : results.get(i);
                Answers.Read read = Answers.read(paths.get(i), result);
                answer(answers.get(i), read.rc(), absolute(paths.get(i)), read.node());
            }
        };
        handle().multi(paths.stream().map(path -> Op.getData(absolute(path))).toList(), callback, null);
        return answers;
    }

    CompletableFuture<List<String>> children(String path) {
        CompletableFuture<List<String>> answer = request();
        AsyncCallback.ChildrenCallback callback = (rc, at, context, names) -> {
            boolean missing = rc == Code.NONODE.intValue();
            answer(answer, missing ? OK : rc, at, missing ? List.of() : names);
        };
        handle().getChildren(absolute(path), false, callback, null);
        return answer;
    }

    CompletableFuture<Void> sync() {
        CompletableFuture<Void> answer = request();
        AsyncCallback.VoidCallback callback = (rc, path, context) -> answer(answer, rc, path, null);
        handle().sync(root, callback, null);
        return answer;
    }

    /** Watches a path, unless this session already has a watch of the path. */
    void watchAgain(String path, boolean recursive) {
        if (!watched.contains(path)) {
            watch(path, recursive);
        }
    }

    void watch(String path, boolean recursive) {
        AddWatchMode mode = recursive ? AddWatchMode.PERSISTENT_RECURSIVE : AddWatchMode.PERSISTENT;
        AsyncCallback.VoidCallback callback = (rc, at, context) -> {
            if (rc == OK) {
                watched.add(path);
            } else if (!Answers.isUnknown(rc)) {
                log.error(
                        "cannot watch {}: {}; this instance notices changes there late. ZooKeeper's servers must be 3.6 or newer",
                        at,
                        Answers.code(rc));
            }
        };
        handle().addWatch(absolute(path), watcher, mode, callback, null);
    }

    void unwatch(String path, boolean recursive) {
        if (!isOpen()) {
            return;
        }
        WatcherType type = recursive ? WatcherType.PersistentRecursive : WatcherType.Persistent;
        AsyncCallback.VoidCallback callback =
                (rc, at, context) -> log.debug("removed the watch of {}: {}", at, Answers.code(rc));
        watched.remove(path);
        // ZooKeeper's removeWatches would remove a single watch only in the client, so this removes all watches of this
        // type, also on the server. The argument true removes them in the client even without a connection; otherwise
        // the client would set them again on the next connection.
        handle().removeAllWatches(absolute(path), type, true, callback, null);
    }

    private Op translate(NodeOp operation) {
        String path = absolute(operation.path());
        if (operation instanceof NodeOp.Check check) {
            return Op.check(path, check.version());
        }
        if (operation instanceof NodeOp.Set set) {
            return Op.setData(path, set.data(), set.version());
        }
        if (operation instanceof NodeOp.Delete delete) {
            return Op.delete(path, delete.version());
        }
        if (operation instanceof NodeOp.Create create) {
            return Op.create(path, create.data(), acl, mode(create.kind()));
        }
        throw new IllegalArgumentException("unknown operation: " + operation);
    }

    private static CreateMode mode(NodeOp.Kind kind) {
        return switch (kind) {
            case PERSISTENT -> CreateMode.PERSISTENT;
            case PERSISTENT_SEQUENTIAL -> CreateMode.PERSISTENT_SEQUENTIAL;
            case EPHEMERAL -> CreateMode.EPHEMERAL;
        };
    }

    private String absolute(String path) {
        return path.equals("/") ? root : prefix + path;
    }

    private void report(WatchedEvent event) {
        boolean change =
                switch (event.getType()) {
                    case NodeCreated, NodeDeleted, NodeDataChanged, NodeChildrenChanged -> true;
                    default -> false; // a change of the connection's state, or the end of a watch
                };
        String path = event.getPath();
        if (change && path != null && path.startsWith(prefix)) {
            String relative = path.substring(prefix.length());
            boolean deleted = event.getType() == EventType.NodeDeleted;
            thread.execute(() -> changed.accept(relative.isEmpty() ? "/" : relative, deleted));
        }
    }

    private <T> CompletableFuture<T> request() {
        var answer = new CompletableFuture<T>();
        unanswered.add(answer);
        return answer;
    }

    @SuppressWarnings("CollectionUndefinedEquality") // compares object identity on purpose
    private <T> void answer(CompletableFuture<T> answer, int rc, String path, @Nullable T value) {
        thread.execute(() -> {
            unanswered.remove(answer);
            if (rc == OK) {
                answer.complete(value);
            } else {
                answer.completeExceptionally(KeeperException.create(Answers.code(rc), path));
            }
        });
    }
}
