package io.ostraka.core.leader;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.SerialExecutor;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The parts of the leader that all its terms share. */
public record LeaderContext(
        Coordination coordination,
        Platform platform,
        SerialExecutor executor,
        Strategies strategies,
        Schedule schedule,
        Duration drainDeadline) {
    /**
     * Creates the context.
     *
     * @param executor executor of the leader alone
     * @param strategies strategies by type; each is asked here for its needs
     * @throws IllegalArgumentException if a strategy does not return its needs
     */
    public LeaderContext(
            Coordination coordination,
            Platform platform,
            SerialExecutor executor,
            Map<String, JobShardingStrategy> strategies,
            Schedule schedule,
            Duration drainDeadline) {
        this(coordination, platform, executor, new Strategies(strategies), schedule, drainDeadline);
    }

    /** Tells when a job fires. */
    public interface Schedule {
        /**
         * Returns the fires that a plan tells of; what is effective is only looked at, and refused if it can't be.
         *
         * @param plan null before the first, which tells of none
         */
        FireTimes times(JobConfiguration effective, @Nullable ShardingPlan plan);
    }

    /** The place that a leader holds. Called on the leader's lane. */
    public interface LeadingInstance {
        /** Lets the next candidate lead, and stands again behind all others. */
        void rejoinElection();

        /** What keeps a job from being planned; empty when it is. */
        void planned(String job, Map<Kind, String> problems);
    }
}
