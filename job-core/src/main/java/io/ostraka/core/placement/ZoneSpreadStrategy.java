package io.ostraka.core.placement;

import io.ostraka.api.ShardingStrategies;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Spreads the items of a job over zones first, whatever the number of instances in each, and within a zone over its
 * instances; and keeps items where they are as far as that allows. Instances without a zone are one zone together.
 * Thread-safe.
 *
 * <p>Worth choosing where a zone may fail as a whole and no more than its share of a job is to fail with it. Where zones
 * are of different size, instances of the smaller ones have more to do. Counts: of zones within one of each other, and of
 * the instances of a zone, too. Moves: the fewest that such counts allow.
 *
 * <p>Of z zones, r = n mod z have one item more, and only which ones is free. A zone with c items keeps most if its
 * instances share them as {@link StickyBalancedStrategy} has them do, whatever the other zones do. Of one item more, it
 * keeps one more if the instance that gets the additional place holds more than ⌊c / k⌋ items, and none otherwise: that
 * instance is the one that holds (c mod k + 1)th most, since the places go to those that hold most. So the zones that keep
 * one more go first, and no choice keeps more.
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
