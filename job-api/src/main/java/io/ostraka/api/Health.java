package io.ostraka.api;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How an instance of the application is at one moment, as far as it knows itself. Immutable.
 *
 * @param instanceId {@code name@pid@session}; null before the first connection
 * @param state where it is in its life
 * @param live whether the engine's own threads make progress: false when they have done nothing for two minutes, which only
 *     a restart of the process mends. It does not depend on ZooKeeper, on jobs or on their code, and is true once the
 *     instance is closed. For a liveness probe
 * @param connected whether ZooKeeper answers, and this instance is registered there
 * @param connectedSince since when that is so, or is not, by this instance's clock
 * @param problem what is wrong with the instance as a whole; null when nothing is
 * @param leading whether this instance leads: its health also shows the jobs that it can't plan
 * @param jobs every job hosted here, and what the leader can't plan, by name
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
    /** Copies the jobs, in the order of their names. */
    public Health {
        jobs = Collections.unmodifiableMap(new TreeMap<>(jobs));
    }

    /**
     * Returns whether this instance has been taken up: it has been registered at ZooKeeper once, what {@link
     * InstanceListener#beforeWork} does is done, and it is neither drained nor closed. It stays true while ZooKeeper is away,
     * since no instance could take over then; {@link #connected} tells whether ZooKeeper is there. For a readiness probe.
     */
    public boolean ready() {
        return state == InstanceState.WORKING || state == InstanceState.SUSPENDED;
    }

    /**
     * Returns whether this instance works, is connected, and every job runs exactly as configured. A pause, a disabled
     * instance, a quarantined item or a change of the item count makes it false, and so does the trouble of one job: it is
     * for people and dashboards, never for a probe that restarts a process or takes it out of service.
     */
    public boolean good() {
        return state == InstanceState.WORKING
                && connected
                && problem == null
                && jobs.values().stream().allMatch(job -> job.status() == JobHealth.Status.RUNNING);
    }

    /**
     * Returns whether an operator must act: the instance has a problem of its own, or one of its jobs has a reason that
     * {@link JobHealth.Kind#needsAttention}. What an operator has asked for, such as a pause, is no such reason. For an alert.
     */
    public boolean needsAttention() {
        return problem != null
                || jobs.values().stream().flatMap(job -> job.reasons().stream()).anyMatch(reason -> reason.kind()
                        .needsAttention());
    }
}
