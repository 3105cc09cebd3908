package io.ostraka.core.placement;

import io.ostraka.api.JobInstance;
import io.ostraka.api.ShardingStrategies;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Gives each instance as many items as its weight's share of all weights comes to, and keeps items where they are as far
 * as that allows. With equal weights it does what {@link StickyBalancedStrategy} does. Thread-safe.
 *
 * <p>Worth choosing where instances are of different strength, and their weights say how. Counts: the exact share, n · w /
 * W, rounded up or down; so less than one from it. Moves: the fewest that such counts allow. An instance that holds h items
 * and may have c keeps at most min(h, c). Rounded down the shares leave r items, and which of the instances whose share is
 * no whole number get one of them is free. (There are more than r of those: each is short of less than one.) The sum of
 * min(h, ⌊share⌋) is the same whoever gets one; an instance that gets one keeps one item more if it holds more than
 * ⌊share⌋, and nothing otherwise. So these go first, here, and no choice keeps more; among others the largest remainder
 * does, as it does where nobody has anything yet.
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
