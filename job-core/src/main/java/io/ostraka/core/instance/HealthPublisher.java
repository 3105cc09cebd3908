package io.ostraka.core.instance;

import io.ostraka.core.coordination.Membership;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.job.Session;
import io.ostraka.core.model.HealthDigest;
import io.ostraka.core.time.Refresh;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
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
    private final Refresh<TransactionResult> writes;

    /** Latest digest that was computed; null before the first one. */
    private @Nullable HealthDigest digest;
    /** Latest digest that was written; null if the last write failed, and during a write. */
    private @Nullable HealthDigest published;

    /** True if a write of new causes of alarms waits for further causes. */
    private boolean collecting;
    /** True during the pause after a write of new causes of alarms. */
    private boolean alarmsPausing;
    /** True if the last write was rejected and the rejection was logged. */
    private boolean rejected;

    HealthPublisher(
            Membership membership,
            InstanceExecutor executor,
            InstanceRegistration registration,
            InstanceHealth health) {
        this.membership = membership;
        this.executor = executor;
        this.registration = registration;
        this.health = health;
        this.writes = new Refresh<>(
                "the write of this instance's health", executor, PAUSE, this::changed, this::write, this::written);
    }

    /**
     * Writes the digest if it has changed. Called after each change of health, for example a new connection, and at
     * each full resync.
     */
    void publish() {
        writes.demand();
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
        if (!alarmsPausing) {
            executor.after(PAUSE, () -> alarmsPausing = false);
            alarmsPausing = true;
            writes.endRest();
        }
        publish();
    }

    /** Computes the digest, and returns whether it must be written now. */
    private boolean changed() {
        Session session = registration.session();
        if (session == null || !registration.established()) {
            return false;
        }
        digest = HealthDigest.of(session.instanceId(), health.health(), health.alarms(), health.historyLost());
        return !digest.equals(published);
    }

    private CompletionStage<TransactionResult> write() {
        writes.rest(PAUSE);
        published = null;
        return membership.publish(Objects.requireNonNull(digest, "digest"));
    }

    private void written(TransactionResult result) {
        boolean unknown = result instanceof TransactionResult.Unknown;
        boolean rejection = !unknown && !(result instanceof TransactionResult.Done);
        if (rejection && !rejected) {
            log.warn(
                    "ZooKeeper rejects the health node of instance {}: {}; operators elsewhere do not see its health until a"
                            + " write succeeds; check access rights",
                    Objects.requireNonNull(digest, "digest").instance(),
                    result);
        }
        rejected = rejection;
        if (unknown) {
            publish();
        } else if (!rejection) { // after a rejection, the next change or full resync repeats the write
            published = digest;
        }
    }

    void close() {
        writes.close();
    }
}
