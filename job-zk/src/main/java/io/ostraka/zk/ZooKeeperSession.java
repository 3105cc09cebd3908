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
 * One handle of ZooKeeper's client, which is one session: sends every request exactly once and says on the store's
 * thread what came back. Thread-safe; requests are carried out in the order of calls.
 */
final class ZooKeeperSession {
    private static final Logger log = LoggerFactory.getLogger(ZooKeeperSession.class);
    private static final int OK = Code.OK.intValue();
    /** What several nodes of a megabyte, as large as nodes get, take together: the client's default is one of them. */
    private static final int LARGEST_ANSWER_BYTES = 40 << 20;

    private final String root;
    private final ZooKeeperSecurity security;
    private final List<ACL> acl;
    private final Obstacle obstacle;
    private final Executor thread;
    private final BiConsumer<String, Boolean> changed;
    /** One watcher for all: a change that several watches are about is reported once. */
    private final Watcher watcher = this::report;

    private final Queue<CompletableFuture<?>> unanswered = new ConcurrentLinkedQueue<>();
    /** Paths of watches that are in place: ZooKeeper's client sets them again on each connection. */
    private final Set<String> watched = ConcurrentHashMap.newKeySet();

    private @Nullable ZooKeeper handle;

    /**
     * Makes a session without a handle.
     *
     * @param root what all paths are below
     * @param security who it is, and who may do what with the nodes created
     * @param obstacle told what is refused
     * @param thread completes what is returned, and calls {@code changed}
     * @param changed receives the path of every watch that fires, and whether the node was deleted
     */
    ZooKeeperSession(
            String root,
            ZooKeeperSecurity security,
            Obstacle obstacle,
            Executor thread,
            BiConsumer<String, Boolean> changed) {
        this.root = root;
        this.obstacle = obstacle;
        this.security = security;
        this.acl = security.acl();
        this.thread = thread;
        this.changed = changed;
    }

    /** Makes the handle, which connects by itself. Its events wait until it is in place. */
    synchronized ZooKeeper open(String hosts, int timeoutMillis, boolean readOnly, Watcher events) throws IOException {
        Watcher whenOpen = event -> {
            handle();
            events.process(event);
        };
        byte[] digest = security.digest(); // first: whoever can't have it must not leave a handle behind
        ZKClientConfig config = security.clientConfig();
        int largest = Math.max(LARGEST_ANSWER_BYTES, config.getInt(ZKConfig.JUTE_MAXBUFFER, 0));
        config.setProperty(ZKConfig.JUTE_MAXBUFFER, Integer.toString(largest));
        var opened = new ZooKeeper(hosts, timeoutMillis, whenOpen, readOnly, config);
        if (digest.length > 0) {
            opened.addAuthInfo("digest", digest); // kept there, for the handle's later connections
        }
        handle = opened;
        return opened;
    }

    synchronized ZooKeeper handle() {
        if (handle == null) {
            throw new IllegalStateException("The handle was not opened");
        }
        return handle;
    }

    private synchronized boolean isOpen() {
        return handle != null;
    }

    /** Whether it still connects by itself. */
    boolean isAlive() {
        return isOpen() && handle().getState().isAlive();
    }

    long id() {
        return handle().getSessionId();
    }

    Duration timeout() {
        return Duration.ofMillis(handle().getSessionTimeout());
    }

    /** Answers everything that hasn't been answered: the session is over. To be called on the store's thread. */
    void end() {
        for (CompletableFuture<?> answer = unanswered.poll(); answer != null; answer = unanswered.poll()) {
            answer.completeExceptionally(KeeperException.create(Code.SESSIONEXPIRED));
        }
    }

    /** What the servers may still keep of it, once its handle is closed: nothing if no server has ever given it out. */
    Optional<FormerSession> former() {
        return isOpen() && id() != 0
                ? Optional.of(new FormerSession(handle(), security.clientConfig()))
                : Optional.empty();
    }

    /** Creates the root and all above it, where they are missing; a {@link KeeperException} if it can't be done now. */
    CompletableFuture<Void> createRoot() {
        CompletableFuture<Boolean> there = request();
        AsyncCallback.StatCallback callback = (rc, path, context, stat) -> {
            boolean known = rc == OK || rc == Code.NONODE.intValue();
            answer(there, known ? OK : rc, path, rc == OK);
        };
        handle().exists(root, false, callback, null);
        return there.thenCompose(exists -> exists ? CompletableFuture.completedFuture(null) : createPath());
    }

    private CompletableFuture<Void> createPath() {
        for (int slash = root.indexOf('/', 1); slash > 0; slash = root.indexOf('/', slash + 1)) {
            // what matters is whether the last succeeds
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
     * Finds the nodes which anyone may change, of the root and those right below it; a {@link KeeperException} if it
     * can't be known, as when these credentials may not even look at the root.
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

    /** The path itself, if anyone may change the node. */
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
            }
            answer(answer, OK, root, outcome);
        };
        handle().multi(translated, callback, null);
        return answer;
    }

    CompletableFuture<Optional<Node>> read(String path, boolean watch) {
        String at = absolute(path);
        if (watch) {
            // a missing node is watched by exists alone, and asking for both in one go leaves no gap between them
            AsyncCallback.StatCallback ignored = (rc, where, context, stat) -> {};
            handle().exists(at, watcher, ignored, null);
        }
        CompletableFuture<Optional<Node>> answer = request();
        AsyncCallback.DataCallback callback = (rc, where, context, data, stat) -> {
            Answers.Read read = Answers.read(
                    path, rc == OK ? new OpResult.GetDataResult(data, stat) : new OpResult.ErrorResult(rc));
            answer(answer, read.rc(), at, read.node());
        };
        handle().getData(at, false, callback, null);
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

    /** Watches what is not watched yet in this session. */
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
                        "Cannot watch {}: {}. Changes there are noticed late; ZooKeeper's server must be 3.6 or newer.",
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
                (rc, at, context) -> log.debug("Ended the watch of {}: {}", at, Answers.code(rc));
        watched.remove(path);
        // all of this type, or the server keeps its watch; locally in any case, or it is set again on reconnection
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
        throw new IllegalArgumentException("Unknown operation: " + operation);
    }

    private static CreateMode mode(NodeOp.Kind kind) {
        return switch (kind) {
            case PERSISTENT -> CreateMode.PERSISTENT;
            case PERSISTENT_SEQUENTIAL -> CreateMode.PERSISTENT_SEQUENTIAL;
            case EPHEMERAL -> CreateMode.EPHEMERAL;
        };
    }

    private String absolute(String path) {
        return path.equals("/") ? root : root + path;
    }

    private void report(WatchedEvent event) {
        boolean change =
                switch (event.getType()) {
                    case NodeCreated, NodeDeleted, NodeDataChanged, NodeChildrenChanged -> true;
                    default -> false; // the state of the connection, or the end of a watch
                };
        String path = event.getPath();
        if (change && path != null && path.startsWith(root)) {
            String relative = path.substring(root.length());
            boolean deleted = event.getType() == EventType.NodeDeleted;
            thread.execute(() -> changed.accept(relative.isEmpty() ? "/" : relative, deleted));
        }
    }

    private <T> CompletableFuture<T> request() {
        var answer = new CompletableFuture<T>();
        unanswered.add(answer);
        return answer;
    }

    @SuppressWarnings("CollectionUndefinedEquality") // the very same is meant
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
