package io.ostraka.testkit;

import io.ostraka.core.tree.NodeStore;
import java.time.Duration;
import java.util.Optional;

/**
 * A listener that ignores all reports of a store, for tests that only read and write nodes. A test can override the
 * methods that it needs. Thread-safe.
 */
public class DeafListener implements NodeStore.Listener {
    @Override
    public void connected(long sessionId, Duration sessionTimeout) {}

    @Override
    public void suspended() {}

    @Override
    public void lost() {}

    @Override
    public void changed(String path, boolean deleted) {}

    @Override
    public void leadership(Optional<String> candidate) {}
}
