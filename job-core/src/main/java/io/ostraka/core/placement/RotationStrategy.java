package io.ostraka.core.placement;

import io.ostraka.api.JobInstance;
import io.ostraka.api.ShardingStrategies;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * Average allocation, beginning at another instance for each job, as ElasticJob's {@code ROUND_ROBIN} does: the order is
 * rotated by the absolute value of the job name's hash. Thread-safe.
 *
 * <p>Worth choosing only for being what ElasticJob does: {@link StickyBalancedStrategy} begins at another instance for each
 * job as well, and moves less. Counts: within one of each other. Moves: no bound.
 */
final class RotationStrategy implements BuiltInStrategy {
    @Override
    public String type() {
        return ShardingStrategies.ROUND_ROBIN;
    }

    @Override
    public Map<String, List<String>> shard(Request request) {
        List<JobInstance> instances = new ArrayList<>(request.instances());
        long hash = Math.abs((long) request.jobName().hashCode()); // of an int, the smallest has none
        Collections.rotate(instances, -(int) (hash % instances.size()));
        return AverageAllocationStrategy.allocate(instances, request.items());
    }
}
