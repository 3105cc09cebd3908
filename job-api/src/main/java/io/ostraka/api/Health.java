package io.ostraka.api;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Health of one instance of the application at one moment, as the instance itself knows it. Immutable.
 *
 * @param instanceId id of the instance, {@code name@pid@session}; null before the first connection
 * @param state state of the instance in its life cycle
 * @param live false if the engine's own threads have made no progress for two minutes, so that the process must be
 *     restarted; otherwise true, even after the instance was closed. Neither ZooKeeper nor the jobs and their code
 *     affect this value, so it is suitable for a liveness probe
 * @param connected true if this instance is connected to ZooKeeper and registered there
 * @param connectedSince time at which {@code connected} last changed, by this instance's clock
 * @param problem description of a problem that affects the whole instance; null if there is none
 * @param leading true if this instance is the leader
 * @param jobs health of every job that this instance hosts ({@link JobHealth#hosted}), by job name. On the leader, the
 *     map also contains the jobs that the leader does not host and cannot plan as configured. Unmodifiable
 */
public record Health(
        @Nullable String instanceId,
        InstanceState state,
        boolean live,
        boolean connected,
        Instant connectedSince,
        @Nullable String problem,
        boolean leading,
        Map<String, JobHealth> jobs) {
    /** Copies the jobs and sorts them by name. */
    public Health {
        jobs = Collections.unmodifiableMap(new TreeMap<>(jobs));
    }

    /**
     * Returns whether this instance is in service: it has registered with ZooKeeper at least once, all {@link
     * InstanceListener#beforeWork} calls have succeeded, and it is neither drained nor closed. The value stays true
     * while ZooKeeper is unreachable: an outage of ZooKeeper affects all instances, and would otherwise take all of
     * them out of service. See {@link #connected} for the connection. Use this value for a readiness probe.
     */
    public boolean ready() {
        return state == InstanceState.WORKING || state == InstanceState.SUSPENDED;
    }

    /**
     * Returns whether this instance is connected and runs every job exactly as configured. A single paused job or
     * quarantined item, a disabled instance or a change of an item count is enough to make the value false. Use this
     * value for dashboards, but not for a probe that restarts a process or takes it out of service.
     */
    public boolean good() {
        return state == InstanceState.WORKING
                && connected
                && problem == null
                && jobs.values().stream().allMatch(job -> job.status() == JobHealth.Status.RUNNING);
    }

    /**
     * Returns whether an operator must act: the whole instance has a problem, or one of its jobs has a reason whose
     * {@link JobHealth.Kind#needsAttention} is true. A state that an operator has requested, such as a pause, does not
     * need a reaction. Use this value for an alert.
     */
    public boolean needsAttention() {
        return problem != null
                || jobs.values().stream().flatMap(job -> job.reasons().stream()).anyMatch(reason -> reason.kind()
                        .needsAttention());
    }
}
