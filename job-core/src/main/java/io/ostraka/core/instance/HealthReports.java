package io.ostraka.core.instance;

import io.ostraka.api.Health;
import io.ostraka.api.HealthListener;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobHealth.Reason;
import io.ostraka.api.JobHealth.Status;
import io.ostraka.core.job.JobContext;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.SerialExecutor;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports changes of health to the log and to health listeners. Not thread-safe: {@link InstanceHealth} calls it under
 * its own lock.
 */
final class HealthReports {
    private static final Logger log = LoggerFactory.getLogger(HealthReports.class);

    /**
     * Kinds of problems that are not logged here, because other classes log them. Those classes log once for the
     * whole instance, or know more details.
     */
    private static final Set<Kind> LOGGED_ELSEWHERE = EnumSet.of(
            Kind.DISCONNECTED,
            Kind.CLOCK_AHEAD,
            Kind.NO_FREE_SLOT,
            Kind.LONG_RUNNING_ITEMS,
            Kind.SKIPPED_FIRES,
            Kind.FROZEN,
            Kind.DRAINED);

    private final List<Notifier> notifiers;
    /** Latest reason why the instance is not registered; null if it is registered, or if no reason is known. */
    private @Nullable String loggedObstacle;

    private final Map<String, Map<Kind, String>> loggedOfJobs = new HashMap<>();

    HealthReports(Platform platform, List<HealthListener> listeners) {
        this.notifiers = listeners.stream()
                .map(listener -> new Notifier(listener, platform.serialUserCode()))
                .toList();
    }

    /**
     * Reports a change.
     *
     * @param problem reason why the instance may not be registered; null if there is none
     */
    void changed(Health before, Health now, @Nullable String problem) {
        log(before, now, problem);
        notifiers.forEach(notifier -> notifier.notifyOf(now));
    }

    /** Calls one listener on a worker. Changes during a call are combined into the next call. */
    private record Notifier(HealthListener listener, SerialExecutor executor, AtomicReference<@Nullable Health> next) {
        Notifier(HealthListener listener, SerialExecutor executor) {
            this(listener, executor, new AtomicReference<>());
        }

        void notifyOf(Health now) {
            if (next.getAndSet(now) == null) {
                executor.execute(this::call);
            }
        }

        private void call() {
            Health latest = next.getAndSet(null);
            try {
                if (latest != null) {
                    listener.healthChanged(latest);
                }
            } catch (Throwable e) { // user code may throw anything
                log.error("a health listener failed: {}", listener.getClass().getName(), e);
            }
        }
    }

    private void log(Health before, Health now, @Nullable String problem) {
        String obstacle = now.connected() ? null : problem;
        boolean found = obstacle != null && !obstacle.equals(loggedObstacle);
        loggedObstacle = obstacle;
        if (found || now.connected() != before.connected()) {
            if (now.connected()) {
                log.info("connected to ZooKeeper as {}", now.instanceId());
            } else if (obstacle != null) {
                log.error("not registered at ZooKeeper: {}", obstacle);
            } else {
                log.warn(
                        "no connection to ZooKeeper; running items continue, and no new item of {} jobs starts",
                        now.jobs().size());
            }
        }
        if (now.leading() != before.leading()) {
            log.info(now.leading() ? "this instance leads" : "this instance no longer leads");
        }
        if (now.connected()) { // without a connection, all jobs have the same reason, which is logged above
            loggedOfJobs.keySet().retainAll(now.jobs().keySet());
            now.jobs().values().forEach(this::log);
        }
    }

    private void log(JobHealth job) {
        Map<Kind, String> reasons = texts(job.reasons());
        if (JobContext.UNANSWERED.equals(reasons.get(Kind.NOT_REGISTERED))) {
            return; // a registration that has just begun is not logged
        }
        reasons.keySet().removeAll(LOGGED_ELSEWHERE);
        Map<Kind, String> before = loggedOfJobs.put(job.job(), reasons);
        if (reasons.equals(before == null ? Map.of() : before)) {
            return;
        }
        if (reasons.isEmpty()) {
            log.info("job '{}' runs as configured", job.job());
            return;
        }
        String state = job.status() == Status.STOPPED ? "is stopped here" : "is limited";
        String why = String.join("; ", reasons.values());
        boolean grave = reasons.keySet().stream()
                .anyMatch(kind -> kind.needsAttention() && (before == null || !before.containsKey(kind)));
        if (grave) {
            log.error("job '{}' {}: {}", job.job(), state, why);
        } else {
            log.info("job '{}' {}: {}", job.job(), state, why);
        }
    }

    /** Returns the texts of reasons by their kind. */
    static Map<Kind, String> texts(Collection<Reason> reasons) {
        Map<Kind, String> texts = new EnumMap<>(Kind.class);
        reasons.forEach(reason -> texts.put(reason.kind(), reason.text()));
        return texts;
    }
}
