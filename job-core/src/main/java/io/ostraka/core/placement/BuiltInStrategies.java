package io.ostraka.core.placement;

import io.ostraka.api.JobShardingStrategy;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Lists the sharding strategies of this library. */
public final class BuiltInStrategies {
    private BuiltInStrategies() {}

    /** Returns all strategies by type. */
    public static Map<String, JobShardingStrategy> all() {
        List<BuiltInStrategy> forItems = List.of(
                new StickyBalancedStrategy(),
                new AverageAllocationStrategy(),
                new OddEvenStrategy(),
                new RotationStrategy(),
                new WeightedStrategy(),
                new LoadAwareStrategy(),
                new ConsistentHashStrategy(),
                new ZoneSpreadStrategy());
        return Stream.concat(forItems.stream(), Stream.of(Router.values()))
                .collect(Collectors.toMap(JobShardingStrategy::type, Function.identity()));
    }

    /** Returns this library's and the given strategies by type. A given strategy replaces one of the same type. */
    public static Map<String, JobShardingStrategy> and(Collection<? extends JobShardingStrategy> others) {
        Map<String, JobShardingStrategy> all = new HashMap<>(all());
        others.forEach(strategy -> all.put(strategy.type(), strategy));
        return all;
    }
}
