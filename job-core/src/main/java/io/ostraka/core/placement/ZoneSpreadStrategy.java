package io.ostraka.core.placement;

import io.ostraka.api.ShardingStrategies;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Spreads the items of a job evenly over zones, regardless of the number of instances in each, then over the instances
 * of each zone, and keeps items on their owners as far as that allows. All instances without a zone form one zone.
 * Thread-safe.
 *
 * <p>Use it where a whole zone may fail and should take down no more than its share of a job. Instances of smaller
 * zones have more items. Counts: zones differ by at most one, and so do the instances of a zone. Moves: the fewest
 * that such counts allow.
 *
 * <p>With z zones, r = n mod z zones have one item more, and only the choice of these zones is free. A zone with c
 * items keeps most if its instances share them as in {@link StickyBalancedStrategy}, independently of the other zones.
 * With one item more, the zone keeps one more if the instance that gets the additional item holds more than ⌊c / k⌋
 * items, and none otherwise; this instance is the one with the (c mod k + 1)th most items, since the instances with
 * the most items come first. Zones that keep one more therefore go first, and no choice keeps more.
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
