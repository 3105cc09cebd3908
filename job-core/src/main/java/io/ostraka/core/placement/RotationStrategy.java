package io.ostraka.core.placement;

import io.ostraka.api.JobInstance;
import io.ostraka.api.ShardingStrategies;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * Average allocation that starts at a different instance for each job, like ElasticJob's {@code ROUND_ROBIN}. The list
 * of instances is rotated by the absolute value of the hash of the job's name. Thread-safe.
 *
 * <p>Use this strategy only for compatibility with ElasticJob: {@link StickyBalancedStrategy} also starts at a
 * different instance for each job, and moves fewer items. Item counts of instances differ by at most one. The number of
 * moves is not limited.
 */
final class RotationStrategy implements BuiltInStrategy {
    @Override
    public String type() {
        return ShardingStrategies.ROUND_ROBIN;
    }

    @Override
    public Map<String, List<String>> shard(Request request) {
        List<JobInstance> instances = new ArrayList<>(request.instances());
        long hash = Math.abs((long) request.jobName().hashCode()); // the smallest int has no absolute value
        Collections.rotate(instances, -(int) (hash % instances.size()));
        return AverageAllocationStrategy.allocate(instances, request.items());
    }
}
