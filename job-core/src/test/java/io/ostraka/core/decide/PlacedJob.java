package io.ostraka.core.decide;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.PlacementReasons;
import io.ostraka.core.placement.ShardingInvariant;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** A job for placement tests, with the owners of its items and the reasons for the placement. */
record PlacedJob(
        JobConfiguration job,
        List<String> items,
        Map<String, String> owners,
        PlacementReasons grounds,
        PlacementContext circumstances,
        Instant now) {
    static PlacedJob of(String name, List<String> items) {
        return new PlacedJob(
                JobConfiguration.newBuilder(name, Math.max(1, items.size())).build(),
                items,
                Map.of(),
                PlacementReasons.NONE,
                PlacementContext.NONE,
                Instant.EPOCH);
    }

    PlacedJob with(UnaryOperator<JobConfiguration.Builder> change) {
        return new PlacedJob(change.apply(job.toBuilder()).build(), items, owners, grounds, circumstances, now);
    }

    PlacedJob with(PlacementContext next) {
        return new PlacedJob(job, items, owners, grounds, next, now);
    }

    PlacedJob ownedBy(Map<String, String> next) {
        return new PlacedJob(job, items, next, grounds, circumstances, now);
    }

    PlacedJob at(Instant later) {
        return new PlacedJob(job, items, owners, grounds, circumstances, later);
    }

    Placement.Placed placed(List<InstanceInfo> instances, JobShardingStrategy strategy) {
        return Placement.place(new Placement.Demand(
                job, items, owners, grounds, new Placement.Candidates(instances, strategy, circumstances), now));
    }

    Map<String, List<String>> place(List<InstanceInfo> instances, JobShardingStrategy strategy) {
        return placed(instances, strategy).items();
    }

    /** Returns the job after a placement. */
    PlacedJob after(Placement.Placed placed) {
        return new PlacedJob(
                job, items, ShardingInvariant.owners(placed.items()), placed.grounds(), circumstances, now);
    }
}
