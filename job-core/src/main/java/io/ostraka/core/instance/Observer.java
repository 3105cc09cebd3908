package io.ostraka.core.instance;

import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * Opens an observer's request gate while there is a connection. An observer watches nothing, so it receives no other
 * events.
 */
public final class Observer implements Coordination.Listener {
    private final RequestGate gate;
    private final Executor executor;
    private boolean connected;

    /** @param executor runs one task at a time */
    public Observer(Executor executor) {
        this.executor = executor;
        this.gate = new RequestGate(executor, () -> connected);
    }

    /** Returns what the operations of this observer need. An observer publishes no events. */
    public OperationsPort port(Coordination coordination, Clock clock) {
        return new OperationsPort(coordination, gate, clock, executor, EventSource.none(clock));
    }

    /** Fails the waiting requests and all later ones. */
    public void close() {
        executor.execute(gate::close);
    }

    @Override
    public void connected(long sessionId, Duration sessionTimeout) {
        executor.execute(() -> {
            connected = true;
            gate.connected();
        });
    }

    @Override
    public void suspended() {
        executor.execute(() -> connected = false);
    }

    @Override
    public void lost() {
        executor.execute(() -> connected = false);
    }

    @Override
    public void leadership(Optional<String> candidate) {}

    @Override
    public void instancesChanged() {}

    @Override
    public void planChanged(String job) {}

    @Override
    public void configurationChanged(String job) {}

    @Override
    public void itemChanged(String job, String item) {}

    @Override
    public void triggersChanged() {}

    @Override
    public void triggerChanged(String name, boolean gone) {}

    @Override
    public void fireChanged(String job, String fire) {}
}
