package io.ostraka.core.placement;

import io.ostraka.api.JobInstance;
import io.ostraka.api.ShardingStrategies;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * Average allocation that begins at a different instance for each job, as ElasticJob's {@code ROUND_ROBIN} does: the
 * order is rotated by the absolute value of the hash of the job name. Thread-safe.
 *
 * <p>Use it only for compatibility with ElasticJob: {@link StickyBalancedStrategy} also begins at a different instance
 * for each job, and moves fewer items. Counts: differ by at most one. Moves: unbounded.
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
