package io.ostraka.core.tree;

import io.ostraka.core.coordination.Coordination;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Translates changes of nodes into the events of {@link Coordination.Listener}. */
record WatchEvents(Coordination.Listener listener) implements NodeStore.Listener {
    @Override
    public void connected(long sessionId, Duration sessionTimeout) {
        listener.connected(sessionId, sessionTimeout);
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
        } else if (path.startsWith(Paths.DELAYED)) {
            listener.delayedTriggersChanged();
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
