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

    /** Computes the fires of a job. */
    public interface Schedule {
        /**
         * Returns the fires of a plan. The effective configuration is only validated.
         *
         * @param plan null before the first plan; there are no fires then
         * @throws io.ostraka.api.OstrakaException if the configuration is invalid
         */
        FireTimes times(JobConfiguration effective, @Nullable ShardingPlan plan);
    }

    /** Receives the requests and findings of a term. Called on the leader's executor. */
    public interface LeadingInstance {
        /** Gives up leadership and joins the election again as the last candidate. */
        void rejoinElection();

        /** Reports the problems of a job's planning; empty if there are none. */
        void planned(String job, Map<Kind, String> problems);
    }
}
