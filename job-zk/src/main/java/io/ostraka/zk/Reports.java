package io.ostraka.zk;

import io.ostraka.core.tree.NodeStore.Listener;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports sessions, changes and leadership to a listener, in the order that {@link io.ostraka.core.tree.NodeStore}
 * promises. The events arrive here in a different order: ZooKeeper's client may report a change before the connection
 * is ready for use, and Curator's LeaderLatch reports leadership on a thread of its own. Used only on the store's
 * thread, except for {@link #stop}.
 */
final class Reports {
    /** Logs exceptions of the listener under the listener's name, since this class has not failed. */
    private static final Logger log = LoggerFactory.getLogger(Listener.class);

    private final Listener listener;
    /**
     * Changes that were reported before the connection was ready: each changed path, with true if the node was deleted.
     */
    private final Map<String, Boolean> changedEarly = new LinkedHashMap<>();

    private boolean connected;
    private boolean hasSession;
    private Optional<String> leader = Optional.empty();
    private Optional<String> reportedLeader = Optional.empty();
    private volatile boolean stopped;

    Reports(Listener listener) {
        this.listener = listener;
    }

    /** Returns whether the store is connected according to the latest notification of the listener. */
    boolean isConnected() {
        return connected;
    }

    void connected(long sessionId, Duration sessionTimeout) {
        if (connected) {
            return;
        }
        connected = true;
        hasSession = true;
        report(to -> to.connected(sessionId, sessionTimeout));
        changedEarly.forEach((path, deleted) -> report(to -> to.changed(path, deleted)));
        changedEarly.clear();
        leads(leader);
    }

    void suspended() {
        if (connected) {
            leads(Optional.empty()); // Curator's LeaderLatch reports the same a little later
            connected = false;
            report(Listener::suspended);
        }
    }

    void lost() {
        suspended();
        changedEarly.clear();
        if (hasSession) {
            hasSession = false;
            report(Listener::lost);
        }
    }

    void hindered(String why) {
        report(to -> to.hindered(why));
    }

    void limited(@Nullable String what) {
        report(to -> to.limited(what));
    }

    void changed(String path, boolean deleted) {
        if (connected) {
            report(to -> to.changed(path, deleted));
        } else {
            changedEarly.put(path, deleted);
        }
    }

    /**
     * Reports a change of leadership to the listener: the path of this process's candidate node if the process leads,
     * otherwise empty.
     */
    void leads(Optional<String> candidate) {
        leader = candidate;
        if (connected && !leader.equals(reportedLeader)) {
            reportedLeader = leader;
            report(to -> to.leadership(candidate));
        }
    }

    /** Ends the leadership without a report, because the store has left the election. */
    void resigned() {
        leader = Optional.empty();
        reportedLeader = Optional.empty();
    }

    /** Stops all further reports. Thread-safe. */
    void stop() {
        stopped = true;
    }

    private void report(Consumer<Listener> report) {
        if (stopped) {
            return;
        }
        try {
            report.accept(listener);
        } catch (RuntimeException e) {
            log.error(
                    "a listener of the ZooKeeper store failed, which is a defect; the store continues. Please report it",
                    e);
        }
    }
}
