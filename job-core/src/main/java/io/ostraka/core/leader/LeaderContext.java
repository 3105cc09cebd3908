package io.ostraka.core.leader;

import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.SerialExecutor;
import java.time.Duration;
import java.util.Map;

/**
 * Services and settings that this instance needs as the leader. They are the same in all its terms (periods of
 * leadership).
 */
public record LeaderContext(
        Coordination coordination,
        Platform platform,
        SerialExecutor executor,
        Strategies strategies,
        FireTimes.Source schedule,
        AlarmDelivery alarms,
        Duration drainDeadline) {
    /**
     * Creates the context.
     *
     * @param executor serial executor for the leader only
     * @param strategies sharding strategies by type; this constructor calls {@code needs()} of each
     * @throws IllegalArgumentException if {@code needs()} of a strategy fails
     */
    public LeaderContext(
            Coordination coordination,
            Platform platform,
            SerialExecutor executor,
            Map<String, JobShardingStrategy> strategies,
            FireTimes.Source schedule,
            AlarmDelivery alarms,
            Duration drainDeadline) {
        this(coordination, platform, executor, new Strategies(strategies), schedule, alarms, drainDeadline);
    }

    /** Callbacks from the leader to its own instance. They are called on the leader's executor. */
    public interface LeadingInstance {
        /** Gives up the leadership and joins the election again behind all other candidates. */
        void rejoinElection();

        /**
         * Returns whether this instance is drained. A drained instance leads only while no other instance is working.
         */
        boolean drained();

        /** Called with the problems in the planning of a job. The map is empty if there are none. */
        void planned(String job, Map<Kind, String> problems);
    }
}
