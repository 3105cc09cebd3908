package io.ostraka.core.placement;

import io.ostraka.api.JobInstance;
import io.ostraka.api.ShardingStrategies;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Assigns each instance a number of items in proportion to its weight, with the fewest possible moves. With equal
 * weights, the result is the same as that of {@link StickyBalancedStrategy}. Thread-safe.
 *
 * <p>Use this strategy if weights describe the capacity of instances. The share of an instance with weight w is n · w /
 * W, where n is the number of items and W the sum of all weights. The item count of an instance is its share, rounded
 * up or down.
 *
 * <p>No other placement with such counts needs fewer moves. If all shares are rounded down, some items remain. Each of
 * them goes to a different instance with a fractional share. There are enough of these instances, because each lacks
 * less than one item. An instance that has h items and gets c items keeps at most min(h, c) of them. A remaining item
 * therefore saves a move only if h is greater than the instance's rounded-down share. Such instances get the remaining
 * items first, followed by the instances with the largest fractions.
 */
final class WeightedStrategy implements BuiltInStrategy {
    @Override
    public String type() {
        return ShardingStrategies.WEIGHTED;
    }

    @Override
    public Map<String, List<String>> shard(Request request) {
        CurrentAssignment holdings = new CurrentAssignment(request);
        List<JobInstance> instances = request.instances();
        long items = request.items().size();
        long weights = instances.stream().mapToLong(JobInstance::weight).sum();
        int[] quotas = new int[instances.size()];
        long[] remainders = new long[instances.size()];
        long left = items;
        for (int i = 0; i < quotas.length; i++) {
            long share = items * instances.get(i).weight(); // less than 2^48
            quotas[i] = (int) (share / weights);
            remainders[i] = share % weights;
            left -= quotas[i];
        }
        Comparator<Integer> holdsMore = Comparator.comparing((Integer i) -> holdings.held(i) <= quotas[i]);
        List<Integer> rounded = holdings.turned().stream()
                .filter(i -> remainders[i] > 0)
                .sorted(holdsMore.thenComparing(i -> -remainders[i]))
                .limit(left)
                .toList();
        rounded.forEach(i -> quotas[i]++);
        return holdings.filled(quotas);
    }
}
