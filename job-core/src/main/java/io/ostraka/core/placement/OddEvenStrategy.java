package io.ostraka.core.placement;

import io.ostraka.api.JobInstance;
import io.ostraka.api.ShardingStrategies;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * Average allocation, for every other job from the last instance on instead of from the first, as ElasticJob's {@code
 * ODEVITY} does: the parity of the job name's hash decides, an odd one takes the order as it is. Thread-safe.
 *
 * <p>Worth choosing only for being what ElasticJob does: {@link StickyBalancedStrategy} begins at another instance for each
 * job as well, and moves less. Counts: within one of each other. Moves: no bound.
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
