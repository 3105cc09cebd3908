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
 * State of the instance. Each change of state is reported to health and to the instance listeners. Before the first
 * work, this class calls {@code beforeWork()} of all instance listeners. Until these calls have succeeded, the
 * instance's node lists no jobs, so the instance gets no items. Confined to the instance's executor, except for the
 * methods that say otherwise.
 */
final class Lifecycle {
    private static final Logger log = LoggerFactory.getLogger(Lifecycle.class);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private final InstanceExecutor executor;
    private final List<Listening> listeners;
    private final InstanceHealth health;
    private final Runnable ready;

    private InstanceState state = InstanceState.STARTING;
    private boolean preparing;
    private volatile boolean prepared;
    private boolean connected;
    private boolean drained;
    private boolean closing;
    private boolean stopped;
    /** Completes when each listener has received all states so far, in order, or has exceeded its time limit. */
    private CompletableFuture<Void> notified = CompletableFuture.completedFuture(null);

    private static final class Listening {
        final InstanceListener listener;
        final LimitedCall calls;

        Listening(InstanceListener listener, Platform platform) {
            this.listener = listener;
            Duration limit = listener.timeLimit();
            if (limit == null || limit.isNegative() || limit.isZero()) { // user code may return null or zero
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
     * @param ready called on the instance's executor when the preparation is complete; not called if there are no
     * listeners
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
                .map(listener -> new Listening(listener, platform))
                .toList();
        this.health = health;
        this.ready = ready;
        this.prepared = this.listeners.isEmpty();
    }

    /**
     * Returns whether the preparation for the first work is complete, so the instance may get items. May be called on
     * any thread.
     */
    boolean prepared() {
        return prepared;
    }

    /** Records that the instance is connected and registered. Starts the preparation on the first call. */
    void connected() {
        connected = true;
        update();
        if (!prepared && !preparing) {
            preparing = true;
            prepare(0, FIRST_PAUSE);
        }
    }

    void disconnected() {
        connected = false;
        update();
    }

    void drained(boolean now) {
        drained = now;
        update();
    }

    void closing() {
        closing = true;
        update();
    }

    /**
     * Records that the instance's node was removed. The stage completes when each listener has received all states or
     * has exceeded its time limit.
     */
    CompletionStage<Void> stopped() {
        stopped = true;
        update();
        return notified;
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
        Listening listening = listeners.get(next);
        CompletableFuture<Void> preparation = listening.calls.call(listening.listener::beforeWork);
        notified = notified.thenCombine(preparation.exceptionally(failure -> null), (before, done) -> null);
        preparation.whenComplete((done, failure) -> executor.execute(() -> {
            if (failure == null) {
                prepare(next + 1, FIRST_PAUSE);
                return;
            }
            log.error(
                    "instance listener {} failed before work; this instance gets no items until it succeeds; retrying"
                            + " in {}",
                    listening.name(),
                    pause,
                    failure);
            health.unprepared("before work instance listener " + listening.name() + " failed: " + failure.getMessage()
                    + "; this instance gets no items until it succeeds; retrying");
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
        for (Listening listening : listeners) {
            notified = notified.thenCompose(before -> listening.calls.call(() -> listening.listener.stateChanged(now)))
                    .exceptionally(failure -> {
                        log.error(
                                "instance listener {} failed on the change of state to {}",
                                listening.name(),
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
