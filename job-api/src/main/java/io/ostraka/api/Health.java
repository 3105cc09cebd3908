package io.ostraka.api;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The state of an instance of the application at one moment, as far as the instance itself knows it. Immutable.
 *
 * @param instanceId {@code name@pid@session}; null before the first connection
 * @param state state of the instance in its life cycle
 * @param live true if the engine's own threads make progress. False if they have made none for two minutes; only a
 *     restart of the process helps then. The value does not depend on ZooKeeper, on jobs or on their code, and is true
 *     once the instance is closed. Meant for a liveness probe
 * @param connected true if ZooKeeper answers and this instance is registered there
 * @param connectedSince time at which {@code connected} last changed, by this instance's clock
 * @param problem description of a problem of the whole instance; null if there is none
 * @param leading true if this instance is the leader; its health then also contains the jobs that it cannot plan
 * @param jobs health of every job that this instance hosts, and of jobs that it cannot plan as the leader, by name.
 *     Unmodifiable
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
     * Returns whether this instance is in service: it was registered with ZooKeeper at least once, all {@link
     * InstanceListener#beforeWork} calls have succeeded, and it is neither drained nor closed. The value stays true
     * while ZooKeeper is unreachable, since no other instance could take over then; {@link #connected} reports the
     * connection. Meant for a readiness probe.
     */
    public boolean ready() {
        return state == InstanceState.WORKING || state == InstanceState.SUSPENDED;
    }

    /**
     * Returns whether this instance works, is connected, and runs every job exactly as configured. A pause, a disabled
     * instance, a quarantined item, a change of the item count or a problem of a single job makes the value false.
     * Meant for people and dashboards, never for a probe that restarts a process or takes it out of service.
     */
    public boolean good() {
        return state == InstanceState.WORKING
                && connected
                && problem == null
                && jobs.values().stream().allMatch(job -> job.status() == JobHealth.Status.RUNNING);
    }

    /**
     * Returns whether an operator must act: the instance has a problem of its own, or one of its jobs has a reason
     * whose {@link JobHealth.Kind#needsAttention} is true. States that an operator has requested, such as a pause, do
     * not count. Meant for an alert.
     */
    public boolean needsAttention() {
        return problem != null
                || jobs.values().stream().flatMap(job -> job.reasons().stream()).anyMatch(reason -> reason.kind()
                        .needsAttention());
    }
}
