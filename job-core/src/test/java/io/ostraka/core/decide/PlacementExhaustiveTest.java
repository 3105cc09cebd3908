package io.ostraka.core.decide;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.ShardingStrategies;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.placement.BuiltInStrategies;
import io.ostraka.core.placement.ShardingInvariant;
import io.ostraka.core.placement.StickyBalancedStrategy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the placement of items that a process still runs for its earlier session, with every combination of owners. */
class PlacementExhaustiveTest {
    static List<JobShardingStrategy> strategies() {
        return List.of(new StickyBalancedStrategy(), BuiltInStrategies.all().get(ShardingStrategies.AVG_ALLOCATION));
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @MethodSource("strategies")
    void everySetOfUnreturnedRunsIsPlacedStably(JobShardingStrategy strategy) {
        int[][] sizes = {{1, 1}, {1, 3}, {2, 1}, {2, 2}, {2, 3}, {3, 1}, {3, 2}, {3, 3}};
        for (int[] size : sizes) {
            int instances = size[0];
            int items = size[1];
            for (int owners = 0; owners < Math.pow(instances + 1, items); owners++) {
                for (int unreturned = 0; unreturned < 1 << instances * items; unreturned++) {
                    List<Set<String>> runs = new ArrayList<>();
                    for (int instance = 0; instance < instances; instance++) {
                        runs.add(bits(unreturned >> instance * items, items));
                    }
                    check(runs, items, digits(owners, instances, items), strategy, "");
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void manyUnreturnedRunsArePlacedStably(JobShardingStrategy strategy) {
        long seed = new SplittableRandom().nextLong();
        SplittableRandom random = new SplittableRandom(seed);
        for (int sample = 0; sample < 2_000; sample++) {
            int instances = random.nextInt(1, 7);
            int items = random.nextInt(1, 21);
            Map<String, String> owners = new HashMap<>();
            for (String item : ShardingPlan.keys(items)) {
                if (random.nextInt(4) > 0) {
                    owners.put(item, id(random.nextInt(instances)));
                }
            }
            int density = random.nextInt(1, 8);
            List<Set<String>> runs = new ArrayList<>();
            for (int instance = 0; instance < instances; instance++) {
                Set<String> mine = new HashSet<>();
                ShardingPlan.keys(items).stream()
                        .filter(item -> random.nextInt(density) == 0)
                        .forEach(mine::add);
                runs.add(mine);
            }
            check(runs, items, owners, strategy, "seed " + seed);
        }
    }

    private static void check(
            List<Set<String>> unreturned,
            int items,
            Map<String, String> owners,
            JobShardingStrategy strategy,
            String origin) {
        List<InstanceInfo> instances = new ArrayList<>();
        for (int number = 0; number < unreturned.size(); number++) {
            instances.add(new InstanceInfo(
                    ShardingInvariant.instance(number),
                    number,
                    InstanceInfo.State.WORKING,
                    false,
                    Set.of("job"),
                    List.of(),
                    Map.of("job", unreturned.get(number), "another", Set.of("0"))));
        }
        List<String> keys = ShardingPlan.keys(items);
        Map<String, List<String>> plan =
                PlacedJob.of("job", keys).ownedBy(owners).place(instances, strategy);
        Map<String, String> placed = ShardingInvariant.owners(plan);

        boolean holds = placed.keySet().equals(new HashSet<>(keys))
                && plan.values().stream().mapToInt(List::size).sum() == items;
        for (InstanceInfo instance : instances) {
            for (String item : plan.getOrDefault(instance.id(), List.of())) {
                holds &= instance.takes("job", item) || instances.stream().noneMatch(other -> other.takes("job", item));
            }
        }
        Map<String, String> again = ShardingInvariant.owners(
                PlacedJob.of("job", keys).ownedBy(placed).place(instances, strategy));
        if (!holds || !again.equals(placed)) {
            assertThat(again)
                    .as("owners %s, unreturned %s: %s %s", owners, unreturned, plan, origin)
                    .isNull();
        }
    }

    private static Set<String> bits(int bits, int items) {
        Set<String> set = new HashSet<>();
        ShardingPlan.keys(items).stream()
                .filter(item -> (bits >> Integer.parseInt(item) & 1) == 1)
                .forEach(set::add);
        return set;
    }

    /** Returns the owners that the number encodes. It has one digit for each item; the largest digit means no owner. */
    private static Map<String, String> digits(int number, int instances, int items) {
        Map<String, String> owners = new HashMap<>();
        int rest = number;
        for (String item : ShardingPlan.keys(items)) {
            if (rest % (instances + 1) < instances) {
                owners.put(item, id(rest % (instances + 1)));
            }
            rest /= instances + 1;
        }
        return owners;
    }

    private static String id(int instance) {
        return ShardingInvariant.instance(instance).id();
    }
}
