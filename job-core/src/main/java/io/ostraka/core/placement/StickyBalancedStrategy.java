package io.ostraka.core.placement;

import io.ostraka.api.JobConfiguration;
import java.util.List;
import java.util.Map;

/**
 * Balances the number of items per instance with the fewest possible moves. Weights are ignored. Equal requests get
 * equal results. Thread-safe; never returns null.
 *
 * <p>Use this strategy unless another one has an advantage for your job. Item counts of instances differ by at most
 * one. No other placement with such counts needs fewer moves, as the following shows.
 *
 * <p>Let n items be on k instances, q = ⌊n / k⌋ and r = n mod k. If counts differ by at most one, r instances have q +
 * 1 items and the others have q. An instance that now has h items and may have c items keeps at most min(h, c). A
 * balanced placement therefore keeps at most
 *
 * <pre> Σ min(h, q) + (number of the r instances with q + 1 that hold more than q)</pre>
 *
 * <p>The sum is the same for all balanced placements. The number in parentheses is largest if the r instances are the
 * ones that now have the most items. This strategy chooses those r instances, and each instance keeps exactly min(h, c)
 * items. Items without an owner must be placed in any case and do not count as moves.
 */
public final class StickyBalancedStrategy implements BuiltInStrategy {
    @Override
    public String type() {
        return JobConfiguration.DEFAULT_STRATEGY;
    }

    @Override
    public Map<String, List<String>> shard(Request request) {
        CurrentAssignment holdings = new CurrentAssignment(request);
        int[] quotas = new int[request.instances().size()];
        holdings.level(holdings.turned(), request.items().size(), quotas);
        return holdings.filled(quotas);
    }
}
