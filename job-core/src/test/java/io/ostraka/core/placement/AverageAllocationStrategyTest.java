package io.ostraka.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobInstance;
import io.ostraka.api.JobShardingStrategy.Request;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AverageAllocationStrategyTest {
    private final AverageAllocationStrategy strategy = new AverageAllocationStrategy();

    @Test
    void hasNameOfElasticJob() {
        assertThat(strategy.type()).isEqualTo("AVG_ALLOCATION");
    }

    @Test
    void placesItemsAsElasticJobDoes() {
        assertThat(shard(3, 9)).containsExactly(list("0", "1", "2"), list("3", "4", "5"), list("6", "7", "8"));
        assertThat(shard(3, 8)).containsExactly(list("0", "1", "6"), list("2", "3", "7"), list("4", "5"));
        assertThat(shard(3, 10)).containsExactly(list("0", "1", "2", "9"), list("3", "4", "5"), list("6", "7", "8"));
        assertThat(shard(3, 2)).containsExactly(list("0"), list("1"), list());
    }

    @Test
    void followsGivenOrderOfInstancesAndItems() {
        List<JobInstance> instances = List.of(ShardingInvariant.instance(2), ShardingInvariant.instance(1));
        Map<String, List<String>> plan =
                strategy.shard(new Request("job", instances, List.of("zone-b", "zone-a", "10"), Map.of()));

        assertThat(plan)
                .containsExactly(Map.entry("host@2@s", list("zone-b", "10")), Map.entry("host@1@s", list("zone-a")));
    }

    @Test
    void everyPlanSatisfiesInvariant() {
        for (int instances = 1; instances <= 6; instances++) {
            for (int items = 0; items <= 20; items++) {
                Request request = ShardingInvariant.request((1 << instances) - 1, items, Map.of());
                ShardingInvariant.assertHolds(request, strategy.shard(request));
            }
        }
    }

    private Iterable<List<String>> shard(int instances, int items) {
        return strategy.shard(ShardingInvariant.request((1 << instances) - 1, items, Map.of()))
                .values();
    }

    private static List<String> list(String... items) {
        return List.of(items);
    }
}
