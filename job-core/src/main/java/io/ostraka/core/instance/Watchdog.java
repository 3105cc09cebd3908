package io.ostraka.core.instance;

import io.ostraka.core.coordination.Membership;
import io.ostraka.core.job.HostedJob;
import io.ostraka.core.job.Session;
import io.ostraka.core.leader.Reconciler;
import io.ostraka.core.run.RunSession;
import io.ostraka.core.time.PacedScan;
import io.ostraka.core.time.SerialExecutor;
import io.ostraka.core.time.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after an instance now and then: whether its items can still be believed to be its own, and whatever events should
 * have told. Confined to the instance's lane.
 */
final class Watchdog {
    private static final Logger log = LoggerFactory.getLogger(Watchdog.class);

    private final EngineSettings settings;
    private final Membership membership;
    private final Timer timer;
    private final SerialExecutor lane;
    private final InstanceRegistration presence;
    private final RunSession runs;
    private final Reconciler reconciler;
    private final ManualTriggers triggers;
    private final InstanceHealth health;
    private final Map<String, HostedJob> jobs;
    private final PacedScan audit;
    private Duration sinceAudit = Duration.ZERO;
    private Runnable nextLook = () -> {};
    /** The latest look asked for: one that could not be taken back any more is not taken, nor another after it. */
    private int latest;

    private boolean doubted;

    /**
     * @param jobs what the instance hosts; a view
     */
    Watchdog(
            EngineSettings settings,
            Membership membership,
            Timer timer,
            SerialExecutor lane,
            InstanceRegistration presence,
            RunSession runs,
            Reconciler reconciler,
            ManualTriggers triggers,
            InstanceHealth health,
            Map<String, HostedJob> jobs) {
        this.settings = settings;
        this.membership = membership;
        this.timer = timer;
        this.lane = lane;
        this.presence = presence;
        this.runs = runs;
        this.reconciler = reconciler;
        this.triggers = triggers;
        this.health = health;
        this.jobs = jobs;
        this.audit = new PacedScan(settings.auditInterval());
    }

    void start() {
        lookLater();
    }

    /** A connection is there: how often to look depends on the session's timeout. */
    void connected() {
        doubted = false;
        nextLook.run();
        lookLater();
    }

    void close() {
        latest++;
        nextLook.run();
    }

    private void lookLater() {
        Session current = presence.session();
        Duration interval = settings.reconcileInterval();
        Duration quarter = current == null ? interval : current.timeout().dividedBy(4);
        Duration next = quarter.compareTo(interval) < 0 ? quarter : interval;
        int mine = ++latest;
        Runnable look = () -> lane.execute(() -> {
            if (mine == latest) {
                try {
                    look(next);
                } finally { // nothing else looks after what events should have told
                    lookLater();
                }
            }
        });
        try {
            nextLook = timer.after(next, look);
        } catch (Throwable e) { // then the JDK's timer, whose thread is there
            CompletableFuture.delayedExecutor(next.toMillis(), TimeUnit.MILLISECONDS, Runnable::run)
                    .execute(look);
        }
    }

    private void look(Duration elapsed) {
        health.alive();
        Session current = presence.session();
        if (current != null && jobs.values().stream().anyMatch(HostedJob::running)) {
            checkOwnership(current);
        }
        if (presence.established()) {
            presence.checkClock();
            sinceAudit = sinceAudit.plus(elapsed);
            boolean round = sinceAudit.compareTo(settings.auditInterval()) >= 0;
            if (round) {
                sinceAudit = Duration.ZERO;
                triggers.look();
                presence.checkNode();
            }
            reconciler.reconcileAll(elapsed, round);
            Set<String> turn = Set.copyOf(audit.next(jobs.keySet(), elapsed));
            jobs.forEach((name, job) -> job.look(turn.contains(name)));
        }
    }

    private void checkOwnership(Session current) {
        if (presence.connected()
                && membership.lastAnswerAge().compareTo(current.timeout().dividedBy(4)) > 0) {
            membership.ping(); // its answer counts at the next look
        }
        Optional<String> doubt = runs.doubt();
        doubted &= doubt.isPresent();
        doubt.ifPresent(this::doubt);
    }

    /** This instance can no longer be sure of its items. */
    void doubt(String reason) {
        if (!doubted) {
            doubted = true;
            log.warn("{}; running items may be another instance's", reason);
            jobs.values().forEach(job -> job.lost(reason));
        }
    }
}
