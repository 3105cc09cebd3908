package io.ostraka.api;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How an instance of the application is at one moment, as far as it knows itself. Immutable.
 *
 * @param instanceId {@code host@pid@session}; null before the first connection
 * @param state where it is in its life
 * @param connected whether ZooKeeper answers, and this instance is registered there
 * @param connectedSince since when that is so, or is not, by this instance's clock
 * @param problem what is wrong with the instance as a whole; null when nothing is
 * @param leading whether this instance leads: its health also shows the jobs that it can't plan
 * @param jobs every job hosted here, and what the leader can't plan, by name
 */
public record Health(
        @Nullable String instanceId,
        InstanceState state,
        boolean connected,
        Instant connectedSince,
        @Nullable String problem,
        boolean leading,
        Map<String, JobHealth> jobs) {
    /** Copies the jobs, in the order of their names. */
    public Health {
        jobs = Collections.unmodifiableMap(new TreeMap<>(jobs));
    }

    /** Tells whether this instance works, is connected, and every job runs as it is configured. */
    public boolean good() {
        return state == InstanceState.WORKING
                && connected
                && problem == null
                && jobs.values().stream().allMatch(job -> job.status() == JobHealth.Status.RUNNING);
    }
}
