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
 * Tells a listener of sessions, changes and leadership in the order that {@link io.ostraka.core.tree.NodeStore}
 * promises, whatever order they come in: ZooKeeper's client reports changes before the connection they came with is
 * ready, and Curator's latch speaks on a thread of its own. Used on the store's thread alone, but for {@link #stop}.
 */
final class Reports {
    /** Not this class's: it is the listener that failed. */
    private static final Logger log = LoggerFactory.getLogger(Listener.class);

    private final Listener listener;
    /** Paths, each with whether it was deleted. */
    private final Map<String, Boolean> changedEarly = new LinkedHashMap<>();

    private boolean connected;
    private boolean hasSession;
    private Optional<String> leader = Optional.empty();
    private Optional<String> toldLeader = Optional.empty();
    private volatile boolean stopped;

    Reports(Listener listener) {
        this.listener = listener;
    }

    /** Whether the listener takes the store as connected. */
    boolean isConnected() {
        return connected;
    }

    void connected(long sessionId, Duration sessionTimeout) {
        if (connected) {
            return;
        }
        connected = true;
        hasSession = true;
        tell(to -> to.connected(sessionId, sessionTimeout));
        changedEarly.forEach((path, deleted) -> tell(to -> to.changed(path, deleted)));
        changedEarly.clear();
        leads(leader);
    }

    void suspended() {
        if (connected) {
            leads(Optional.empty()); // as the latch says too, a little later
            connected = false;
            tell(Listener::suspended);
        }
    }

    void lost() {
        suspended();
        changedEarly.clear();
        if (hasSession) {
            hasSession = false;
            tell(Listener::lost);
        }
    }

    void hindered(String why) {
        tell(to -> to.hindered(why));
    }

    void limited(@Nullable String what) {
        tell(to -> to.limited(what));
    }

    void changed(String path, boolean deleted) {
        if (connected) {
            tell(to -> to.changed(path, deleted));
        } else {
            changedEarly.put(path, deleted);
        }
    }

    /** The own candidate's path, or empty. */
    void leads(Optional<String> candidate) {
        leader = candidate;
        if (connected && !leader.equals(toldLeader)) {
            toldLeader = leader;
            tell(to -> to.leadership(candidate));
        }
    }

    /** Leadership was given up, which isn't told. */
    void resigned() {
        leader = Optional.empty();
        toldLeader = Optional.empty();
    }

    /** Tells nothing from now on. Thread-safe. */
    void stop() {
        stopped = true;
    }

    private void tell(Consumer<Listener> report) {
        if (stopped) {
            return;
        }
        try {
            report.accept(listener);
        } catch (RuntimeException e) {
            log.error("A listener of the ZooKeeper store failed; the store goes on", e);
        }
    }
}
