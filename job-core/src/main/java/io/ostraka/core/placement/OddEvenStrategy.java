package io.ostraka.core.placement;

import io.ostraka.api.JobInstance;
import io.ostraka.api.ShardingStrategies;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * Average allocation that reverses the order of instances for about half of the jobs, like ElasticJob's {@code
 * ODEVITY}. The order is reversed if the hash of the job's name is even. Thread-safe.
 *
 * <p>Use this strategy only for compatibility with ElasticJob: {@link StickyBalancedStrategy} also starts at a
 * different instance for each job, and moves fewer items. Item counts of instances differ by at most one. The number of
 * moves is not limited.
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
