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
 * The instance under its present session: its id, its node, its candidacy. Confined to the instance's lane, but for what
 * says otherwise.
 */
final class InstanceRegistration {
    private static final Logger log = LoggerFactory.getLogger(InstanceRegistration.class);
    /**
     * How far apart two writes of the instance's node are: what changes meanwhile goes into the next. A job's registration waits
     * for it only behind others, so that one after the other is quick and many at once are few writes.
     */
    private static final Duration PAUSE = Duration.ofMillis(200);
    /** How far apart they grow while ZooKeeper refuses them. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
    /** How many earlier ids an instance keeps naming. */
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
    /** Ends the pause after a write; null while there is none. */
    private @Nullable Runnable pausing;

    private boolean stale;
    private boolean drained;
    /** Completed once the node says what {@link #drained} does. */
    private CompletableFuture<Void> said = CompletableFuture.completedFuture(null);

    private boolean closing;
    private Duration pause = PAUSE;
    private @Nullable String candidate;
    /**
     * Earlier ids that were being written when their session ended. The node may have come about under the next session:
     * it would stand for an instance that nobody is, for as long as that session lives.
     */
    private final Set<String> doubtful = new HashSet<>();

    /** The engine that is registered. */
    interface Engine {
        /** Returns the hosted jobs. */
        Collection<HostedJob> jobs();

        /** Returns whether the instance may be given items. */
        boolean prepared();

        /** The instance's node exists under a session. Called after each connection, on the instance's executor. */
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

    /** The latest session, living or not; null before the first. Any thread. */
    @Nullable Session session() {
        return session;
    }

    /** Whether there is a connection. Any thread. */
    boolean connected() {
        return connected;
    }

    /** Whether there is a connection and the instance's node has been written on it. */
    boolean established() {
        return connected && announced;
    }

    /** A connection is there, first or again. */
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

    /** Whether the instance is being closed. */
    boolean closing() {
        return closing;
    }

    /** The instance is being closed: from now on the node says that it takes nothing more. */
    void close() {
        closing = true;
        announce();
    }

    /** Has the node say that the instance takes nothing more, or that it does; completed once it says so. */
    CompletionStage<Void> drained(boolean now) {
        if (now != drained) {
            drained = now;
            CompletableFuture<Void> before = said;
            said = new CompletableFuture<>();
            said.thenRun(() -> before.complete(null)); // nobody waits for what nobody wants any more
            announce();
        }
        return said;
    }

    /** The node was found missing though the session lives. */
    void missing() {
        announced = false;
        announce();
    }

    /** Writes the node; writes gather while one is under way, and for a pause after it. */
    void announce() {
        if (announcing || pausing != null) {
            stale = true;
        } else {
            write();
        }
    }

    /** Writes the node; only behind others that wait for the pause to end does it wait for that. */
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
        CompletableFuture<Void> saying = said;
        Stages.of(() -> membership.announce(self(current)))
                .whenComplete((verdict, error) -> executor.execute(() -> {
                    try {
                        announced(current, verdict, saying);
                    } catch (Throwable e) {
                        log.error("this instance's node was not written properly; trying again", e);
                        stale = true;
                        announceLater(pause);
                    }
                }));
    }

    private void announced(Session current, @Nullable TransactionResult verdict, CompletableFuture<Void> saying) {
        if (!current.equals(session)) {
            doubtful.add(current.instanceId());
        }
        boolean written = verdict instanceof TransactionResult.Done && current.equals(session) && connected;
        if (written && !announced) {
            announced = true;
            campaign(current);
            engine.registered(current);
        }
        if (written) {
            saying.complete(null);
            withdrawDoubtful();
            health.connected(current.instanceId()); // a write before this one may have been refused
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
        announceLater(clockChanged ? Duration.ZERO : pause); // before the leader gives it items, or soon after
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

    /** Compares the clocks by another write, where there is reason to. */
    void checkClock() {
        if (established() && clock.due()) {
            announce();
        }
    }

    /** Reads the node, for somebody may have changed or deleted it: nothing tells, and others go by it. */
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

    private void withdrawDoubtful() {
        for (String id : doubtful) {
            membership
                    .withdraw(id)
                    .thenAcceptAsync(
                            verdict -> {
                                if (!(verdict instanceof TransactionResult.Unknown)) {
                                    doubtful.remove(id);
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

    /** Gives leadership up, and stands again behind all others. */
    void standAgain() {
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

    /** Removes the node and gives leadership up; completed once that is done, or is known to be impossible. */
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
