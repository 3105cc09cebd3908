package io.ostraka.core.instance;

import io.ostraka.api.InstanceListener;
import io.ostraka.api.InstanceState;
import io.ostraka.core.run.LimitedCall;
import io.ostraka.core.time.Platform;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the instance is in its life: has done what must come before its first work, and tells health and listeners of each
 * state. Until then the instance's node names no jobs, so that nothing is given to it, and nothing needs to be kept for
 * later. Confined to the instance's lane, but for what says otherwise.
 */
final class Lifecycle {
    private static final Logger log = LoggerFactory.getLogger(Lifecycle.class);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private final InstanceExecutor executor;
    private final List<Going> listeners;
    private final InstanceHealth health;
    private final Runnable ready;

    private InstanceState state = InstanceState.STARTING;
    private boolean preparing;
    private volatile boolean prepared;
    private boolean connected;
    private boolean drained;
    private boolean closing;
    private boolean stopped;
    /** Completed once every listener has been told of all so far, one after the other, or has had its time. */
    private CompletableFuture<Void> told = CompletableFuture.completedFuture(null);

    /** A listener, and the calls of it. */
    private static final class Going {
        final InstanceListener listener;
        final LimitedCall calls;

        Going(InstanceListener listener, Platform platform) {
            this.listener = listener;
            Duration limit = listener.timeLimit();
            if (limit == null || limit.isNegative() || limit.isZero()) { // users' code
                throw new IllegalArgumentException(
                        "timeLimit of instance listener " + name() + " is " + limit + "; accepted: more than 0");
            }
            calls = new LimitedCall(platform, limit);
        }

        String name() {
            return listener.getClass().getName();
        }
    }

    /**
     * @param ready told, on the lane, once what must come before the first work is done, if there was any
     */
    Lifecycle(
            Platform platform,
            InstanceExecutor executor,
            List<? extends InstanceListener> listeners,
            InstanceHealth health,
            Runnable ready) {
        this.executor = executor;
        this.listeners = listeners.stream()
                .sorted(Comparator.comparingInt(InstanceListener::order))
                .map(listener -> new Going(listener, platform))
                .toList();
        this.health = health;
        this.ready = ready;
        this.prepared = this.listeners.isEmpty();
    }

    /** Whether the instance may be given items. Any thread. */
    boolean prepared() {
        return prepared;
    }

    /** There is a connection, and the instance is registered. */
    void connected() {
        connected = true;
        update();
        if (!prepared && !preparing) {
            preparing = true;
            prepare(0, FIRST_PAUSE);
        }
    }

    /** There is none. */
    void disconnected() {
        connected = false;
        update();
    }

    /** The instance is to take nothing more, or again. */
    void drained(boolean now) {
        drained = now;
        update();
    }

    /** The instance is being closed. */
    void closing() {
        closing = true;
        update();
    }

    /** The instance has left; completed once all listeners have been told of all, or have had their time. */
    CompletionStage<Void> stopped() {
        stopped = true;
        update();
        return told;
    }

    private void prepare(int next, Duration pause) {
        if (closing) {
            return;
        }
        if (next == listeners.size()) {
            prepared = true;
            health.unprepared(null);
            update();
            ready.run();
            return;
        }
        Going going = listeners.get(next);
        CompletableFuture<Void> preparation = going.calls.call(going.listener::beforeWork);
        told = told.thenCombine(preparation.exceptionally(failure -> null), (before, done) -> null);
        preparation.whenComplete((done, failure) -> executor.execute(() -> {
            if (failure == null) {
                prepare(next + 1, FIRST_PAUSE);
                return;
            }
            log.error(
                    "instance listener {} failed before work; this instance gets no items until it succeeds, and it is tried"
                            + " again in {}",
                    going.name(),
                    pause,
                    failure);
            health.unprepared("before work instance listener " + going.name() + " failed: " + failure.getMessage()
                    + "; no items until it succeeds, it is tried again");
            Duration longer = pause.multipliedBy(2);
            Duration nextPause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
            executor.after(pause, () -> prepare(next, nextPause));
        }));
    }

    private void update() {
        InstanceState now = now();
        if (now == state) {
            return;
        }
        state = now;
        log.debug("this instance is {}", now);
        health.state(now);
        for (Going going : listeners) {
            told = told.thenCompose(before -> going.calls.call(() -> going.listener.stateChanged(now)))
                    .exceptionally(failure -> {
                        log.error(
                                "instance listener {} failed when told that this instance is {}",
                                going.name(),
                                now,
                                failure.getCause() == null ? failure : failure.getCause());
                        return null;
                    });
        }
    }

    private InstanceState now() {
        if (stopped) {
            return InstanceState.STOPPED;
        }
        if (closing) {
            return InstanceState.DRAINING;
        }
        if (!prepared || (state == InstanceState.STARTING && !connected)) {
            return InstanceState.STARTING;
        }
        if (drained) {
            return InstanceState.DRAINING;
        }
        return connected ? InstanceState.WORKING : InstanceState.SUSPENDED;
    }
}
