package io.ostraka.core.instance;

import io.ostraka.core.job.HostedJob;
import io.ostraka.core.job.Session;
import io.ostraka.core.time.PacedScan;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks periodically whether other instances may have taken over the items of this instance, and repairs the effects
 * of lost events. Confined to the instance's executor.
 */
final class Watchdog {
    private static final Logger log = LoggerFactory.getLogger(Watchdog.class);

    private final EngineSettings.Intervals intervals;
    private final InstanceExecutor executor;
    private final InstanceRegistration registration;
    private final InstanceRunSession runs;
    private final HostedJobs jobs;
    private final Engine engine;
    private final PacedScan audit;
    private Duration sinceAudit = Duration.ZERO;
    private boolean settled;
    private Runnable cancelNextCheck = () -> {};
    /**
     * Number of the latest scheduled check. A check with a lower number does nothing, because the latest one has
     * replaced it.
     */
    private int latest;

    private boolean doubted;

    /** Callbacks to the engine of this instance. */
    interface Engine {
        /** Called at each check. A check shows that the engine's timer and executor work. */
        void alive();

        /**
         * Called at each check while the instance is connected. Makes the engine repair the effects of lost events.
         *
         * @param elapsed time since the last call
         * @param full true to read everything again, once per audit interval
         */
        void resync(Duration elapsed, boolean full);
    }

    Watchdog(
            EngineSettings.Intervals intervals,
            InstanceExecutor executor,
            InstanceRegistration registration,
            InstanceRunSession runs,
            HostedJobs jobs,
            Engine engine) {
        this.intervals = intervals;
        this.executor = executor;
        this.registration = registration;
        this.runs = runs;
        this.jobs = jobs;
        this.engine = engine;
        this.audit = new PacedScan(intervals.audit());
    }

    void start() {
        scheduleCheck();
    }

    /**
     * Called on a new connection. Reschedules the next check, because the time between checks depends on the session
     * timeout.
     */
    void connected() {
        doubted = false;
        cancelNextCheck.run();
        scheduleCheck();
    }

    void close() {
        latest++;
        cancelNextCheck.run();
    }

    private void scheduleCheck() {
        Session session = registration.session();
        Duration interval = intervals.reconcile();
        Duration quarter = session == null ? interval : session.timeout().dividedBy(4);
        Duration delay = quarter.compareTo(interval) < 0 ? quarter : interval;
        int number = ++latest;
        cancelNextCheck = executor.after(delay, () -> {
            if (number == latest) {
                try {
                    check(delay);
                } finally { // also after an exception: without further checks, lost events would stay lost
                    scheduleCheck();
                }
            }
        });
    }

    private void check(Duration elapsed) {
        engine.alive();
        if (registration.session() != null && jobs.all().stream().anyMatch(HostedJob::running)) {
            checkOwnership();
        }
        if (registration.established()) {
            registration.checkClock();
            sinceAudit = sinceAudit.plus(elapsed);
            boolean full = sinceAudit.compareTo(intervals.audit()) >= 0;
            if (full) {
                sinceAudit = Duration.ZERO;
                settled();
            }
            engine.resync(elapsed, full);
            Set<String> due = Set.copyOf(audit.next(jobs.names(), elapsed));
            jobs.all().forEach(job -> job.look(due.contains(job.name())));
        } else {
            jobs.all().forEach(HostedJob::examine);
        }
    }

    /** Called at each audit. By the first one, the application has registered the jobs of its start. */
    private void settled() {
        if (!settled && jobs.names().isEmpty()) {
            log.info(
                    "this instance has no jobs, so it gets no items, but it may become the leader of all jobs; give it the"
                            + " strategies, alarm handlers and modules of the other instances, or connect as an observer");
        }
        settled = true;
    }

    private void checkOwnership() {
        if (registration.connected()) {
            runs.refresh(); // the next check sees the reply
        }
        Optional<String> doubt = runs.doubt();
        doubted &= doubt.isPresent();
        doubt.ifPresent(this::doubt);
    }

    /** Reports to all jobs, once per outage, that this instance may have lost their items. */
    void doubt(String reason) {
        if (!doubted) {
            doubted = true;
            log.warn("{}; running items may be another instance's", reason);
            jobs.all().forEach(job -> job.lost(reason));
        }
    }
}
