package io.ostraka.core.leader;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.JobShardingStrategy.Need;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.SerialExecutor;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The parts of the leader that all its terms share. */
public record LeaderContext(
        Coordination coordination,
        Platform platform,
        SerialExecutor lane,
        Map<String, JobShardingStrategy> strategies,
        Map<String, Set<Need>> needs,
        Schedule schedule,
        LeaderEvents events,
        Duration drainDeadline) {
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
    public interface Office {
        /** Lets the next candidate lead, and stands again behind all others. */
        void standAgain();

        /** What keeps a job from being planned; empty when it is. */
        void planned(String job, Map<Kind, String> problems);
    }
}
