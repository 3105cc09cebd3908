package io.ostraka.core.instance;

import io.ostraka.api.JobInstance;
import io.ostraka.core.coordination.Membership;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.job.HostedJob;
import io.ostraka.core.job.Session;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.time.ClockCheck;
import io.ostraka.core.time.Refresh;
import io.ostraka.core.time.Stages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers the instance under its current session: determines its id, writes its node, and joins the leader election.
 * Confined to the instance's executor, except for the methods that say otherwise.
 */
final class InstanceRegistration {
    private static final Logger log = LoggerFactory.getLogger(InstanceRegistration.class);
    /**
     * Pause after each write of the instance's node. Changes during the pause share the next write. If no other change
     * waits, the registration of a job ends the pause early. A single registration is therefore quick, and many
     * registrations cost few writes.
     */
    private static final Duration PAUSE = Duration.ofMillis(200);
    /** Longest pause while ZooKeeper refuses the writes. The pause doubles after each refusal. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
    /** Maximum number of earlier ids that the node lists. */
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
    private final Refresh<Announcement> writes;
    private boolean drained;
    /** Completes when the node in ZooKeeper shows the value of {@link #drained}. */
    private CompletableFuture<Void> shown = CompletableFuture.completedFuture(null);

    private boolean closing;
    private Duration pause = PAUSE;
    private @Nullable String candidate;
    /**
     * Ids of earlier sessions that ended while a write of this instance's node was unanswered. The write may have
     * arrived in the next session and created a node with the earlier id. That node would represent an instance that
     * does not exist, so it is deleted.
     */
    private final Set<String> unanswered = new HashSet<>();

    /**
     * A write of the node and its result.
     *
     * @param result null if the write has failed
     * @param showing value of {@link #shown} at the time of the write
     */
    private record Announcement(Session session, @Nullable TransactionResult result, CompletableFuture<Void> showing) {}

    /** Callbacks to the engine of this instance. */
    interface Engine {
        Collection<HostedJob> jobs();

        /**
         * Returns whether the preparation for the first work is complete. Before that, the instance must not get any
         * items.
         */
        boolean prepared();

        /**
         * Returns whether the operators' orders have been read on this connection. The instance's node is written only
         * after that, because a drained instance must never appear as working.
         */
        boolean ordersKnown();

        /** Called on the instance's executor after each connection, when the instance's node exists. */
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
        this.writes = new Refresh<>(
                "the write of the instance's node",
                executor,
                PAUSE,
                () -> session != null && connected && engine.ordersKnown(),
                this::write,
                this::announced);
    }

    /** Returns the latest session, which may have ended; null before the first one. May be called on any thread. */
    @Nullable Session session() {
        return session;
    }

    /** Returns whether the instance is connected. May be called on any thread. */
    boolean connected() {
        return connected;
    }

    /** Returns whether the instance is connected and has written its node since the connection began. */
    boolean established() {
        return connected && announced;
    }

    /** Returns all names of this instance; before the first session, only its host and its name. */
    Stream<String> names() {
        Session current = session;
        return current == null
                ? Stream.of(identity.host(), identity.name())
                : InstanceInfo.names(identity.host(), current.instanceId(), current.earlierIds());
    }

    /**
     * Called on a new connection. Determines the instance's id. The next call of {@link #announce} writes the node if
     * {@link Engine#ordersKnown} returns true by then.
     */
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
    }

    void disconnected() {
        connected = false;
    }

    boolean closing() {
        return closing;
    }

    /** Starts closing. From now on, the node shows the instance as draining. */
    void close() {
        closing = true;
        announce();
    }

    /** Makes the node show the instance as draining or as working. */
    void drained(boolean now) {
        if (now != drained) {
            drained = now;
            CompletableFuture<Void> before = shown;
            shown = new CompletableFuture<>();
            // a newer request also completes the earlier one
            shown.whenComplete((done, error) -> Stages.complete(before, done, error));
            announce();
        }
    }

    /** Returns a stage that completes when the node in ZooKeeper shows the latest value of {@link #drained}. */
    CompletionStage<Void> shown() {
        return shown;
    }

    /** Writes the node again after it was found missing although the session is alive. */
    void missing() {
        announced = false;
        announce();
    }

    /** Writes the node. Calls during a write, or during the pause after it, share the next write. */
    void announce() {
        writes.demand();
    }

    /** Writes the node. Ends the current pause early, unless another change already waits for the end of the pause. */
    void announceAtOnce() {
        if (!writes.demanded()) {
            writes.endRest();
        }
        announce();
    }

    private CompletionStage<Announcement> write() {
        Session current = Objects.requireNonNull(session, "session");
        CompletableFuture<Void> showing = shown;
        return Stages.of(() -> membership.announce(self(current)))
                .handle((result, error) -> new Announcement(current, result, showing));
    }

    private void announced(Announcement announcement) {
        Session current = announcement.session;
        TransactionResult result = announcement.result;
        if (!current.equals(session)) {
            unanswered.add(current.instanceId());
        }
        boolean written = result instanceof TransactionResult.Done && current.equals(session) && connected;
        if (written && !announced) {
            announced = true;
            campaign(current);
            engine.registered(current);
        }
        if (written) {
            announcement.showing.complete(null);
            withdrawUnanswered();
            health.connected(current.instanceId()); // health may still report an earlier refusal
            pause = PAUSE;
        } else if (result instanceof TransactionResult.Refused) {
            health.refused("ZooKeeper refuses this instance's node; check access rights and jute.maxbuffer");
            Duration longer = pause.multipliedBy(2);
            pause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
        }
        boolean clockChanged = written && clock.compared();
        if (clockChanged) {
            health.clockAhead(clock.foundAhead());
            engine.jobs().forEach(HostedJob::decideAgain);
        }
        // a change of the clock's state is written at once, if possible before the leader assigns items
        writes.rest(clockChanged ? Duration.ZERO : pause);
        if (!written || clockChanged) {
            announce();
        }
    }

    /**
     * Compares this machine's clock with the server's clock if a comparison is due. Writes the node for this purpose,
     * because each write of the node includes a comparison.
     */
    void checkClock() {
        if (established() && clock.due()) {
            announce();
        }
    }

    /**
     * Reads the node, and writes it again if another client has changed or deleted it. No event reports such a change.
     */
    void checkNode() {
        Session current = session;
        if (current == null || !established() || !writes.idle()) {
            return;
        }
        membership
                .instance(current.instanceId())
                .whenComplete((found, error) -> executor.execute(() -> {
                    if (error == null && current.equals(session) && established() && writes.idle()) {
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
                            result -> {
                                if (!(result instanceof TransactionResult.Unknown)) {
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

    /** Leaves the leader election and joins it again behind all other candidates. */
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
                .filter(job ->
                        engine.prepared() && job.defined() && !job.shutdown().draining() && of.test(job))
                .map(HostedJob::name)
                .collect(Collectors.toSet());
    }

    /**
     * Removes the node and leaves the leader election. The stage completes after the removal of the node, or after the
     * timeout.
     */
    CompletionStage<TransactionResult> leave(Duration timeout) {
        Session current = session;
        CompletableFuture<TransactionResult> left = current == null || !connected
                ? CompletableFuture.completedFuture(new TransactionResult.Unknown())
                : membership.withdraw(current.instanceId()).toCompletableFuture();
        Runnable deadline = executor.after(timeout, () -> left.complete(new TransactionResult.Unknown()));
        return left.whenComplete((result, error) -> {
            deadline.run();
            membership.resign();
            shown.completeExceptionally(Refusals.closed());
        });
    }
}
