package io.ostraka.core.placement;

import io.ostraka.api.JobConfiguration;
import java.util.List;
import java.util.Map;

/**
 * Balances the counts of items, which then differ by at most one, with the fewest possible moves. Weights are ignored.
 * Equal requests get equal results. Thread-safe; never returns null.
 *
 * <p>Use it unless another strategy has an advantage. Counts: differ by at most one. Moves: the fewest that such
 * counts allow, as the following shows.
 *
 * <p>No balanced plan moves fewer items. Let n items be on k instances, q = n / k and r = n mod k. Counts that differ
 * by at most one must be q + 1 for r instances and q for the others. An instance that holds h items now and may have c
 * of them keeps at most min(h, c), so a balanced plan keeps at most
 *
 * <pre> Σ min(h, q) + (number of the r instances with q + 1 that hold more than q)</pre>
 *
 * <p>The first sum is equal for all plans. The second is largest if the r instances are those that hold most, because
 * an instance that holds more than q then precedes every instance that does not; and each instance here keeps exactly
 * its min(h, c). Items without an owner must be placed in any plan and count as no move.
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
