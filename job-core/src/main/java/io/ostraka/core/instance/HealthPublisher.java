package io.ostraka.core.instance;

import io.ostraka.core.coordination.Membership;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.job.Session;
import io.ostraka.core.model.HealthDigest;
import io.ostraka.core.time.Stages;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes a digest of this instance's health in ZooKeeper, for operators and for the leader. Writes the digest in
 * each new session and after each change, and pauses after each write. Confined to the instance's executor.
 */
final class HealthPublisher {
    private static final Logger log = LoggerFactory.getLogger(HealthPublisher.class);
    /** Minimum time between two writes. Changes during this time share the next write. */
    private static final Duration PAUSE = Duration.ofSeconds(5);

    /** Time within which all jobs finish a search for causes of alarms. */
    private static final Duration COLLECTING = Duration.ofMillis(200);

    private final Membership membership;
    private final InstanceExecutor executor;
    private final InstanceRegistration registration;
    private final InstanceHealth health;

    /** Latest digest that was written; null if the last write failed. */
    private @Nullable HealthDigest published;

    private boolean writing;
    private boolean pausing;
    /** True if a write of new causes of alarms waits for further causes. */
    private boolean collecting;
    /** True during the pause after a write of new causes of alarms. */
    private boolean alarmsPausing;
    /** True if the digest may have changed since the last write. */
    private boolean stale;

    /** True if the last write was rejected and the rejection was logged. */
    private boolean rejected;

    private boolean closed;

    HealthPublisher(
            Membership membership,
            InstanceExecutor executor,
            InstanceRegistration registration,
            InstanceHealth health) {
        this.membership = membership;
        this.executor = executor;
        this.registration = registration;
        this.health = health;
    }

    /**
     * Writes the digest if it has changed. Called after each change of health, for example a new connection, and at
     * each full resync.
     */
    void publish() {
        Session session = registration.session();
        if (closed || session == null || !registration.established()) {
            return;
        }
        if (writing || pausing) {
            stale = true;
            return;
        }
        write(session);
    }

    /**
     * Writes the digest if it has changed. Called after each change of the causes of alarms. The leader must learn of a
     * cause within seconds, so this write does not wait for the pause after an earlier write; at most one write in each
     * pause is made this way. All jobs search for causes at about the same time and share this write.
     */
    void publishAlarms() {
        if (!collecting) {
            executor.after(COLLECTING, () -> {
                collecting = false;
                publishCollected();
            });
            collecting = true;
        }
    }

    private void publishCollected() {
        Session session = registration.session();
        if (closed || session == null || !registration.established() || writing || alarmsPausing) {
            stale = true;
            return;
        }
        executor.after(PAUSE, () -> {
            alarmsPausing = false;
            publishIfStale();
        });
        alarmsPausing = true;
        write(session);
    }

    private void write(Session session) {
        stale = false;
        HealthDigest digest =
                HealthDigest.of(session.instanceId(), health.health(), health.alarms(), health.historyLost());
        if (digest.equals(published)) {
            return;
        }
        if (!pausing) {
            executor.after(PAUSE, () -> {
                pausing = false;
                publishIfStale();
            });
        }
        pausing = true;
        writing = true;
        Stages.of(() -> membership.publish(digest))
                .whenComplete((result, error) -> executor.execute(() -> written(digest, result)));
    }

    private void written(HealthDigest digest, @Nullable TransactionResult result) {
        writing = false;
        boolean done = result instanceof TransactionResult.Done;
        boolean unknown = result == null || result instanceof TransactionResult.Unknown;
        if (!done && !unknown && !rejected) {
            log.warn(
                    "ZooKeeper rejects the health node of instance {}: {}; operators elsewhere do not see its health until a"
                            + " write succeeds; check access rights",
                    digest.instance(),
                    result);
        }
        rejected = !done && !unknown;
        published = done ? digest : null;
        stale |= unknown; // after a rejection, the next change or full resync repeats the write
        publishIfStale();
    }

    void close() {
        closed = true;
    }

    private void publishIfStale() {
        if (stale) {
            publish();
        }
    }
}
