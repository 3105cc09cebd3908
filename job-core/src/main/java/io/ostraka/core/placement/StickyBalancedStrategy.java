package io.ostraka.core.placement;

import io.ostraka.api.JobConfiguration;
import java.util.List;
import java.util.Map;

/**
 * Keeps items where they are as far as counts that differ by at most one allow, and moves no item besides. Weights are
 * not looked at. The same request always gets the same answer. Thread-safe; never answers null.
 *
 * <p>Worth choosing wherever nothing speaks for another. Counts: within one of each other. Moves: the fewest that those
 * counts allow, which is what follows.
 *
 * <p>No balanced plan moves fewer items. Let n items be on k instances, q = n / k and r = n mod k. Counts that differ
 * by at most one leave no choice but this: r instances have q + 1, the others q. An instance that holds h items now and
 * may have c of them keeps at most min(h, c), so a balanced plan keeps at most
 *
 * <pre>  Σ min(h, q)  +  how many of the r instances with q + 1 hold more than q</pre>
 *
 * <p>The first sum is the same for every plan. The second is largest when the places of q + 1 go to those that hold
 * most, because whoever holds more than q then comes before everybody who doesn't; and each instance here keeps exactly
 * its min(h, c). Items without an owner must be placed in any plan and cost none of it a move.
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
