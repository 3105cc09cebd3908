package io.ostraka.core.placement;

import io.ostraka.api.ShardingStrategies;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Spreads the items of a job evenly over zones, regardless of the number of instances in each zone, and then evenly
 * over the instances of each zone, with the fewest possible moves. All instances without a zone form one zone.
 * Thread-safe.
 *
 * <p>Use this strategy if a whole zone may fail and the failure should affect no more than an equal share of the job's
 * items. Instances in smaller zones have more items. The item counts of zones differ by at most one, and so do the
 * counts of instances in the same zone.
 *
 * <p>No other placement with such counts needs fewer moves. With n items and z zones, r = n mod z zones get one
 * additional item, and only the choice of these zones is free. A zone with c items and k instances keeps the most items
 * if its instances share them as in {@link StickyBalancedStrategy}. The additional item of a zone goes to the instance
 * with the (c mod k + 1)th most items. If this instance now has more than ⌊c / k⌋ items, the zone keeps one item more;
 * otherwise it does not. Zones that keep one item more get the additional items first.
 */
final class ZoneSpreadStrategy implements BuiltInStrategy {
    @Override
    public String type() {
        return ShardingStrategies.ZONE_SPREAD;
    }

    @Override
    public Map<String, List<String>> shard(Request request) {
        CurrentAssignment holdings = new CurrentAssignment(request);
        Map<String, List<Integer>> zones = new LinkedHashMap<>();
        for (int instance : holdings.turned()) {
            zones.computeIfAbsent(request.instances().get(instance).zone(), zone -> new ArrayList<>())
                    .add(instance);
        }
        int equal = request.items().size() / zones.size();
        int left = request.items().size() % zones.size();
        List<List<Integer>> keepingMoreFirst = new ArrayList<>(zones.values());
        keepingMoreFirst.sort(Comparator.comparing(zone -> !keepsOneMore(zone, equal, holdings)));
        int[] quotas = new int[request.instances().size()];
        for (int i = 0; i < keepingMoreFirst.size(); i++) {
            holdings.level(keepingMoreFirst.get(i), i < left ? equal + 1 : equal, quotas);
        }
        return holdings.filled(quotas);
    }

    private static boolean keepsOneMore(List<Integer> zone, int items, CurrentAssignment holdings) {
        int additional = zone.stream()
                .map(holdings::held)
                .sorted(Comparator.reverseOrder())
                .skip(items % zone.size())
                .findFirst()
                .orElseThrow();
        return additional > items / zone.size();
    }
}
