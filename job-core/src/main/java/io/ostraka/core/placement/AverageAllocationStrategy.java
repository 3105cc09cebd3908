package io.ostraka.core.placement;

import io.ostraka.api.JobInstance;
import io.ostraka.api.ShardingStrategies;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Gives neighbouring items to the same instance, as ElasticJob does: each instance gets an equal run of items, in
 * order; those that remain go one each to the first instances. Who has an item now plays no part. Thread-safe; never
 * answers null.
 *
 * <p>Worth choosing where neighbouring items are better off together, and moves cost nothing. Counts: within one of each
 * other. Moves: no bound, one instance more or less may move nearly everything.
 */
final class AverageAllocationStrategy implements BuiltInStrategy {
    @Override
    public String type() {
        return ShardingStrategies.AVG_ALLOCATION;
    }

    @Override
    public Map<String, List<String>> shard(Request request) {
        return allocate(request.instances(), request.items());
    }

    /** Does it for instances in any order. */
    static Map<String, List<String>> allocate(List<JobInstance> instances, List<String> items) {
        int equalShare = items.size() / instances.size();
        int shared = equalShare * instances.size();
        Map<String, List<String>> plan = new LinkedHashMap<>();
        for (int i = 0; i < instances.size(); i++) {
            List<String> mine = new ArrayList<>(items.subList(i * equalShare, (i + 1) * equalShare));
            if (shared + i < items.size()) {
                mine.add(items.get(shared + i));
            }
            plan.put(instances.get(i).id(), mine);
        }
        return plan;
    }
}
