package io.ostraka.core.placement;

import io.ostraka.api.JobInstance;
import io.ostraka.api.ShardingStrategies;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Assigns each instance a number of items in proportion to its weight, and keeps items on their owners as far as that
 * allows. Equal weights give the same result as {@link StickyBalancedStrategy}. Thread-safe.
 *
 * <p>Use it where weights describe the capacity of instances. Counts: the exact share, n · w / W, rounded up or down,
 * so less than one from it. Moves: the fewest that such counts allow. An instance that holds h items and may have c
 * keeps at most min(h, c). Rounding down leaves r items, and any r instances with a fractional share may get one of
 * them. (There are more than r such instances, since each lacks less than one.) The sum of min(h, ⌊share⌋) is
 * independent of that choice; an instance that gets one keeps one item more if it holds more than ⌊share⌋, and none
 * otherwise. These instances go first here, so no choice keeps more; among the rest the largest remainder goes first,
 * as in the initial placement.
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
