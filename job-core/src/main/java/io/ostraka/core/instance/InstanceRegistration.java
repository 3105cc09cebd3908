package io.ostraka.core.instance;

import io.ostraka.api.JobInstance;
import io.ostraka.core.coordination.Membership;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.job.HostedJob;
import io.ostraka.core.job.Session;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.time.ClockCheck;
import io.ostraka.core.time.Stages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registration of the instance under its present session: its id, its node, and its candidacy for leadership. Confined to
 * the instance's executor, except where noted.
 */
final class InstanceRegistration {
    private static final Logger log = LoggerFactory.getLogger(InstanceRegistration.class);
    /**
     * Pause between two writes of the instance's node; changes during the pause go into the next write. A job's
     * registration does not wait for the pause unless another write already does: a single registration is quick, and
     * many cost few writes.
     */
    private static final Duration PAUSE = Duration.ofMillis(200);
    /** Longest pause while ZooKeeper refuses the writes. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
    /** Number of earlier ids that the node names. */
    private static final int EARLIER_IDS = 16;

    private final EngineSettings.Identity identity;
    private final Membership membership;
    private final InstanceExecutor executor;
    private final ClockCheck clock;
    private final InstanceHealth health;
    private final Engine engine;

    private volatile @Nullable Session session;
    private volatile boolean connected;
    private boolean announced;
    private boolean announcing;
    /** Ends the pause after a write; null outside a pause. */
    private @Nullable Runnable pausing;

    private boolean stale;
    private boolean drained;
    /** Completes when the node shows the value of {@link #drained}. */
    private CompletableFuture<Void> shown = CompletableFuture.completedFuture(null);

    private boolean closing;
    private Duration pause = PAUSE;
    private @Nullable String candidate;
    /**
     * Earlier ids with an unanswered write at the end of their session. The write may have created the node under the
     * next session; such a node would represent an instance that does not exist, until that session ends.
     */
    private final Set<String> unanswered = new HashSet<>();

    /** The engine that is registered. */
    interface Engine {
        /** Returns the hosted jobs. */
        Collection<HostedJob> jobs();

        /** Returns whether the instance may be given items. */
        boolean prepared();

        /**
         * Reports that the instance's node exists under a session. Called after each connection, on the instance's
         * executor.
         */
        void registered(Session session);
    }

    InstanceRegistration(
            EngineSettings.Identity identity,
            Membership membership,
            InstanceExecutor executor,
            ClockCheck clock,
            InstanceHealth health,
            Engine engine) {
        this.identity = identity;
        this.membership = membership;
        this.executor = executor;
        this.clock = clock;
        this.health = health;
        this.engine = engine;
    }

    /** Returns the latest session, which may have ended; null before the first. Any thread. */
    @Nullable Session session() {
        return session;
    }

    /** Returns whether the instance is connected. Any thread. */
    boolean connected() {
        return connected;
    }

    /** Returns whether the instance is connected and has written its node on this connection. */
    boolean established() {
        return connected && announced;
    }

    /** Registers the instance on a new connection. */
    void connected(long sessionId, Duration timeout) {
        Session before = session;
        if (before == null || before.id() != sessionId) {
            List<String> earlier = new ArrayList<>();
            if (before != null) {
                earlier.addAll(before.earlierIds());
                earlier.add(before.instanceId());
            }
            String id = identity.name() + "@" + identity.pid() + "@" + Long.toHexString(sessionId);
            int from = Math.max(0, earlier.size() - EARLIER_IDS);
            session = new Session(id, sessionId, timeout, List.copyOf(earlier.subList(from, earlier.size())));
        }
        connected = true;
        announced = false;
        announce();
    }

    void disconnected() {
        connected = false;
    }

    /** Returns whether the instance is being closed. */
    boolean closing() {
        return closing;
    }

    /** Marks the node as draining because the instance is being closed. */
    void close() {
        closing = true;
        announce();
    }

    /** Marks the node as draining or working; completes when the node shows it. */
    CompletionStage<Void> drained(boolean now) {
        if (now != drained) {
            drained = now;
            CompletableFuture<Void> before = shown;
            shown = new CompletableFuture<>();
            shown.thenRun(() -> before.complete(null)); // a newer request replaces the earlier one
            announce();
        }
        return shown;
    }

    /** Writes the node again, because it is missing although the session lives. */
    void missing() {
        announced = false;
        announce();
    }

    /** Writes the node. Calls during a write and the pause after it share the next write. */
    void announce() {
        if (announcing || pausing != null) {
            stale = true;
        } else {
            write();
        }
    }

    /** Writes the node without waiting for the pause, unless another write already waits for it. */
    void announceAtOnce() {
        if (pausing != null && !stale) {
            pausing.run();
            pausing = null;
        }
        announce();
    }

    private void write() {
        Session current = session;
        if (current == null || !connected) {
            return;
        }
        announcing = true;
        stale = false;
        CompletableFuture<Void> showing = shown;
        Stages.of(() -> membership.announce(self(current)))
                .whenComplete((verdict, error) -> executor.execute(() -> {
                    try {
                        announced(current, verdict, showing);
                    } catch (Throwable e) {
                        log.error("this instance's node was not written properly; trying again", e);
                        stale = true;
                        announceLater(pause);
                    }
                }));
    }

    private void announced(Session current, @Nullable TransactionResult verdict, CompletableFuture<Void> showing) {
        if (!current.equals(session)) {
            unanswered.add(current.instanceId());
        }
        boolean written = verdict instanceof TransactionResult.Done && current.equals(session) && connected;
        if (written && !announced) {
            announced = true;
            campaign(current);
            engine.registered(current);
        }
        if (written) {
            showing.complete(null);
            withdrawUnanswered();
            health.connected(current.instanceId()); // an earlier write may have been refused
            pause = PAUSE;
        } else if (verdict instanceof TransactionResult.Refused) {
            health.refused("ZooKeeper refuses this instance's node; check access rights and jute.maxbuffer");
            Duration longer = pause.multipliedBy(2);
            pause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
        }
        boolean clockChanged = written && clock.compared();
        if (clockChanged) {
            health.clockAhead(clock.foundAhead());
            engine.jobs().forEach(HostedJob::clockChanged);
        }
        stale |= !written || clockChanged;
        announceLater(clockChanged ? Duration.ZERO : pause); // before the leader assigns items, or soon after
    }

    private void announceLater(Duration delay) {
        announcing = false;
        Runnable[] own = new Runnable[1];
        own[0] = executor.after(delay, () -> {
            if (pausing == own[0]) {
                pausing = null;
                if (stale) {
                    write();
                }
            }
        });
        pausing = own[0];
    }

    /** Compares the clocks with another write of the node, if a comparison is due. */
    void checkClock() {
        if (established() && clock.due()) {
            announce();
        }
    }

    /** Reads the node and repairs it if another client changed or deleted it; no event reports that. */
    void checkNode() {
        Session current = session;
        if (current == null || !established() || announcing || pausing != null) {
            return;
        }
        membership
                .instance(current.instanceId())
                .whenComplete((found, error) -> executor.execute(() -> {
                    if (error == null && current.equals(session) && established() && !announcing && pausing == null) {
                        if (found.isEmpty()) {
                            missing();
                        } else if (!found.get().equals(self(current))) {
                            announce();
                        }
                    }
                }));
    }

    private void withdrawUnanswered() {
        for (String id : unanswered) {
            membership
                    .withdraw(id)
                    .thenAcceptAsync(
                            verdict -> {
                                if (!(verdict instanceof TransactionResult.Unknown)) {
                                    unanswered.remove(id);
                                }
                            },
                            executor);
        }
    }

    private void campaign(Session current) {
        log.info("instance {} is registered", current.instanceId());
        if (!closing && !current.instanceId().equals(candidate)) {
            if (candidate != null) {
                membership.resign();
            }
            candidate = current.instanceId();
            membership.campaign(candidate);
        }
    }

    /** Resigns and joins the election again behind all other candidates. */
    void campaignAgain() {
        if (candidate != null) {
            membership.resign();
            membership.campaign(candidate);
        }
    }

    private InstanceInfo self(Session current) {
        Map<String, Set<String>> executing = new HashMap<>();
        if (!current.earlierIds().isEmpty()) {
            for (HostedJob job : engine.jobs()) {
                Set<String> items = job.executingFromBefore(current.instanceId());
                if (!items.isEmpty()) {
                    executing.put(job.name(), items);
                }
            }
        }
        return new InstanceInfo(
                new JobInstance(
                        current.instanceId(), identity.host(), identity.zone(), identity.tags(), identity.weight()),
                identity.pid(),
                drained || closing ? InstanceInfo.State.DRAINING : InstanceInfo.State.WORKING,
                clock.foundAhead(),
                hosted(job -> true),
                current.earlierIds(),
                executing,
                hosted(HostedJob::hasOnceListeners));
    }

    private Set<String> hosted(Predicate<HostedJob> of) {
        return engine.jobs().stream()
                .filter(job -> engine.prepared() && job.defined() && !job.draining() && of.test(job))
                .map(HostedJob::name)
                .collect(Collectors.toSet());
    }

    /** Removes the node and resigns; completes when that is done, or after the timeout. */
    CompletionStage<TransactionResult> leave(Duration timeout) {
        Session current = session;
        CompletableFuture<TransactionResult> left = current == null || !connected
                ? CompletableFuture.completedFuture(new TransactionResult.Unknown())
                : membership.withdraw(current.instanceId()).toCompletableFuture();
        Runnable deadline = executor.after(timeout, () -> left.complete(new TransactionResult.Unknown()));
        return left.whenComplete((verdict, error) -> {
            deadline.run();
            membership.resign();
        });
    }
}
