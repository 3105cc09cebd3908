package io.ostraka.core.placement;

import io.ostraka.api.JobInstance;
import io.ostraka.api.ShardingStrategies;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Assigns neighbouring items to the same instance, as ElasticJob does. Each instance gets an equal range of items, in
 * order; the first instances get one of the remaining items each. Current owners have no influence. Thread-safe; never
 * returns null.
 *
 * <p>Use it where neighbouring items benefit from one instance and moves are cheap. Counts: differ by at most one.
 * Moves: unbounded; one instance more or less may move nearly all items.
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

    /** Allocates items to instances in the given order. */
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
