package io.ostraka.testkit;

import io.ostraka.core.tree.NodeStore;
import java.time.Duration;
import java.util.Optional;

/** Doesn't mind what a store tells: for who only reads and writes nodes. What matters to a test it overrides. Thread-safe. */
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
