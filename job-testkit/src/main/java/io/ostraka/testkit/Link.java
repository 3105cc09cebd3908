package io.ostraka.testkit;

import io.ostraka.core.tree.Node;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The server's side of one connection. It contains the state that the server has reached, and the watches of the
 * session. Guarded by the lock of the tree.
 */
final class Link {
    /** Kinds of changes that a watch reports. */
    enum Event {
        CREATED,
        DELETED,
        WRITTEN,
        CHILDREN
    }

    private record Step(long zxid, List<Change> changes) {}

    private final InMemoryNodeStore store;
    private final long session;
    private final Set<String> once = new HashSet<>();
    private final Map<String, Boolean> lasting = new HashMap<>();
    /** Paths of the watches that also cover all descendants. There are only a few. */
    private final Set<String> recursive = new HashSet<>();

    private final Deque<Step> behind = new ArrayDeque<>();
    private final Znodes newest;
    private Znodes view;
    private long zxid;
    private int lag;

    Link(InMemoryNodeStore store, long session, Znodes newest, long zxid) {
        this.store = store;
        this.session = session;
        this.newest = newest;
        this.view = newest;
        this.zxid = zxid;
    }

    long session() {
        return session;
    }

    long zxid() {
        return zxid;
    }

    /**
     * Makes reads return old data: the server answers them from the state before the given number of latest
     * transactions.
     */
    void lag(int transactions) {
        lag = transactions;
        if (lag > 0 && view == newest) {
            view = newest.copy();
        }
        reach(lag);
        if (lag == 0) {
            view = newest;
        }
    }

    void committed(long at, List<Change> changes) {
        behind.add(new Step(at, changes));
        reach(lag);
    }

    /** Lets the server reach the newest state, after a transaction or a sync of this client. */
    void catchUp() {
        reach(0);
    }

    private void reach(int stepsBehind) {
        while (behind.size() > stepsBehind) {
            Step step = behind.remove();
            zxid = step.zxid();
            for (Change change : step.changes()) {
                if (view != newest) {
                    view.apply(change);
                }
                if (change.isSeenByWatches()) {
                    report(change);
                }
            }
            store.reached(this, step.changes());
        }
    }

    private void report(Change change) {
        Event event = change.before() == null ? Event.CREATED : change.after() == null ? Event.DELETED : Event.WRITTEN;
        boolean watched = once.remove(change.path()) || lasting.containsKey(change.path());
        if (watched || recursivelyWatched(change.path())) {
            store.changed(this, change.path(), event);
        }
        if (change.createsOrDeletes() && isWatchedAlone(Znodes.parent(change.path()))) {
            store.changed(this, Znodes.parent(change.path()), Event.CHILDREN);
        }
    }

    private boolean isWatchedAlone(String path) {
        return Boolean.FALSE.equals(lasting.get(path));
    }

    private boolean recursivelyWatched(String path) {
        for (String root : recursive) {
            if (path.equals(root) || path.startsWith(root.equals("/") ? root : root + "/")) {
                return true;
            }
        }
        return false;
    }

    Optional<Node> read(String path, boolean watch) {
        if (watch) {
            once.add(path);
        }
        return view.read(path);
    }

    List<String> children(String path) {
        return view.children(path);
    }

    void watch(String path, boolean all) {
        lasting.put(path, all);
        if (all) {
            recursive.add(path);
        } else {
            recursive.remove(path);
        }
    }

    void unwatch(String path) {
        lasting.remove(path);
        recursive.remove(path);
    }

    /**
     * Sets a one-shot watch again after a reconnection. If the node has changed since the connection was lost, the
     * watch fires at once.
     *
     * @param existed true if the node existed when the client set the watch
     * @param seenZxid number of the latest transaction whose effects the client has seen
     */
    void watchAgain(String path, boolean existed, long seenZxid) {
        Optional<Node> node = view.read(path);
        if (existed && node.isEmpty()) {
            store.changed(this, path, Event.DELETED);
        } else if (existed && node.get().mzxid() > seenZxid) {
            store.changed(this, path, Event.WRITTEN);
        } else if (!existed && node.isPresent()) {
            store.changed(this, path, Event.CREATED);
        } else {
            once.add(path);
        }
    }
}
