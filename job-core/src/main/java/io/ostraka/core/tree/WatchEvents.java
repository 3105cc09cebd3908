package io.ostraka.core.tree;

import io.ostraka.core.coordination.Coordination;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Translates changes of nodes into the events of {@link Coordination.Listener}. Also ends the session when an operator
 * evicts the instance; this does not need a thread of the engine.
 */
final class WatchEvents implements NodeStore.Listener {
    private static final Logger log = LoggerFactory.getLogger(WatchEvents.class);

    private final Coordination.Listener listener;
    private final NodeStore store;
    /** Latest session; 0 after its eviction. Used only on the store's thread. */
    private long session;

    WatchEvents(Coordination.Listener listener, NodeStore store) {
        this.listener = listener;
        this.store = store;
    }

    @Override
    public void connected(long sessionId, Duration sessionTimeout) {
        boolean again = sessionId == session;
        session = sessionId;
        listener.connected(sessionId, sessionTimeout);
        if (again) { // no watch reports an eviction that an operator requested during the disconnection
            store.children(Paths.STOPS).thenAccept(names -> names.forEach(this::endIfEvicted));
        }
    }

    private void endIfEvicted(String stop) {
        Optional<String> evicted = Paths.evicted(stop).filter(id -> id.endsWith("@" + Long.toHexString(session)));
        if (session != 0 && evicted.isPresent()) {
            session = 0;
            log.error(
                    "an operator has evicted instance {}: its session ends, and other instances take over its items; this"
                            + " process gets items again as soon as its engine makes progress, otherwise restart it",
                    evicted.get());
            store.resign(); // a new session must not win the election for an engine that makes no progress
            store.renew();
        }
    }

    @Override
    public void suspended() {
        listener.suspended();
    }

    @Override
    public void lost() {
        listener.lost();
    }

    @Override
    public void hindered(String why) {
        listener.hindered(why);
    }

    @Override
    public void limited(@Nullable String what) {
        listener.limited(what);
    }

    @Override
    public void leadership(Optional<String> candidate) {
        listener.leadership(candidate);
    }

    @Override
    public void changed(String path, boolean deleted) {
        String[] parts = path.split("/", -1);
        if (path.startsWith(Paths.INSTANCES)) {
            listener.instancesChanged();
        } else if (path.startsWith(Paths.TRIGGERS)) {
            if (parts.length == 3) {
                listener.triggerChanged(parts[2], deleted);
            } else {
                listener.triggersChanged();
            }
        } else if (path.equals(Paths.ORDERS)) {
            listener.ordersChanged();
        } else if (path.startsWith(Paths.DELAYED)) {
            listener.delayedTriggersChanged();
        } else if (path.startsWith(Paths.HEALTH)) {
            listener.healthChanged();
        } else if (path.startsWith(Paths.BACKFILLS)) {
            listener.backfillsChanged();
        } else if (Paths.evicted(Paths.name(path)).isPresent()) {
            if (!deleted) {
                endIfEvicted(Paths.name(path));
            }
        } else if (path.startsWith(Paths.STOPS)) {
            listener.stopsChanged();
        } else if (parts.length >= 4 && path.startsWith(Paths.JOBS)) {
            switch (parts[3]) {
                case "config", "override" -> listener.configurationChanged(parts[2]);
                case "fires" -> listener.fireChanged(parts[2], Paths.name(path));
                case "sharding" -> {
                    if (parts.length == 4) {
                        listener.planChanged(parts[2]);
                    } else {
                        listener.itemChanged(parts[2], parts[4]);
                    }
                }
                default -> {} // no other path is watched
            }
        }
    }
}
