package io.ostraka.core.placement;

import io.ostraka.api.JobInstance;
import io.ostraka.api.ShardingStrategies;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * Average allocation that reverses the order of instances for every other job, as ElasticJob's {@code ODEVITY} does:
 * for an odd hash of the job name it keeps the order, for an even one it reverses it. Thread-safe.
 *
 * <p>Use it only for compatibility with ElasticJob: {@link StickyBalancedStrategy} also begins at a different instance
 * for each job, and moves fewer items. Counts: differ by at most one. Moves: unbounded.
 */
final class OddEvenStrategy implements BuiltInStrategy {
    @Override
    public String type() {
        return ShardingStrategies.ODEVITY;
    }

    @Override
    public Map<String, List<String>> shard(Request request) {
        List<JobInstance> instances = new ArrayList<>(request.instances());
        if (request.jobName().hashCode() % 2 == 0) {
            Collections.reverse(instances);
        }
        return AverageAllocationStrategy.allocate(instances, request.items());
    }
}
