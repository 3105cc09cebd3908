package io.ostraka.core.placement;

import io.ostraka.api.JobInstance;
import io.ostraka.api.ShardingStrategies;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Assigns consecutive items to the same instance, like ElasticJob's average allocation. Each instance gets a range of
 * items, and all ranges have the same length. The remaining items go to the first instances, one each. Current owners
 * have no influence. Thread-safe; never returns null.
 *
 * <p>Use this strategy if consecutive items benefit from running on the same instance and if moves are cheap. Item
 * counts of instances differ by at most one. The number of moves is not limited: if one instance joins or leaves,
 * nearly all items may move.
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
