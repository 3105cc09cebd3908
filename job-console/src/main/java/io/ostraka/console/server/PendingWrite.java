package io.ostraka.console.server;

import java.util.concurrent.atomic.AtomicReference;

/**
 * Decides at an idle timeout of a connection whether a client has stopped to read. The first timeout during a write does
 * not count: Jetty measures from the last byte that moved, so it may have measured the wait for ZooKeeper before the
 * write. A client therefore has between one and two idle times. Thread-safe.
 */
final class PendingWrite {
    private enum State {
        NONE,
        BEGUN,
        TIMED_OUT
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.NONE);

    void begin() {
        state.set(State.BEGUN);
    }

    void end() {
        state.set(State.NONE);
    }

    boolean isPending() {
        return state.get() != State.NONE;
    }

    /** Called at each idle timeout. Returns whether the connection must end because its client reads nothing. */
    boolean timesOut() {
        return !state.compareAndSet(State.BEGUN, State.TIMED_OUT) && state.get() == State.TIMED_OUT;
    }
}
