package io.ostraka.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobInstance;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.JobShardingStrategy.Request;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests single strategies with examples. */
class PlacementStrategiesTest {
    private static final List<JobInstance> THREE =
            IntStream.range(0, 3).mapToObj(ShardingInvariant::instance).toList();

    @Test
    void oddEvenReversesOrderByParityOfNameHash() {
        assertThat("1".hashCode() % 2).isEqualTo(1);
        assertThat(shard(new OddEvenStrategy(), "1", 1)).containsExactly(List.of("0"), List.of(), List.of());
        assertThat(shard(new OddEvenStrategy(), "0", 1)).containsExactly(List.of(), List.of(), List.of("0"));
        assertThat(shard(new OddEvenStrategy(), "0", 8))
                .containsExactly(List.of("4", "5"), List.of("2", "3", "7"), List.of("0", "1", "6"));
        assertThat("polygenelubricants".hashCode()).isEqualTo(Integer.MIN_VALUE);
        assertThat(shard(new OddEvenStrategy(), "polygenelubricants", 1).get(2)).containsExactly("0");
    }

    @Test
    void rotationBeginsAtNameHash() {
        // the hashes of the names are 49, 50 and 51
        assertThat(shard(new RotationStrategy(), "1", 2)).containsExactly(List.of(), List.of("0"), List.of("1"));
        assertThat(shard(new RotationStrategy(), "2", 2)).containsExactly(List.of("1"), List.of(), List.of("0"));
        assertThat(shard(new RotationStrategy(), "3", 2)).containsExactly(List.of("0"), List.of("1"), List.of());
    }

    @Test
    void rotationAcceptsNameHashWithoutAbsoluteValue() {
        assertThat(shard(new RotationStrategy(), "polygenelubricants", 1)) // 2147483648 % 3 is 2
                .containsExactly(List.of(), List.of(), List.of("0"));
    }

    @Test
    void weightedRoundsByLargestRemainderWithoutOwners() {
        // shares of 10: 5, 3.33, 1.67
        assertThat(counts(new WeightedStrategy(), weighted(3, 2, 1), 10, Map.of()))
                .containsExactly(5, 3, 2);
        assertThat(counts(new WeightedStrategy(), weighted(1, 1, 1), 10, Map.of()))
                .contains(4, 3);
        assertThat(counts(new WeightedStrategy(), weighted(Integer.MAX_VALUE, 1, 1), 100_000, Map.of()))
                .containsExactly(100_000, 0, 0);
    }

    @Test
    void zoneSpreadBalancesZonesFirst() {
        List<JobInstance> instances = List.of(zoned(0, "a"), zoned(1, "a"), zoned(2, "a"), zoned(3, "b"));

        assertThat(counts(new ZoneSpreadStrategy(), instances, 12, Map.of())).containsExactly(2, 2, 2, 6);
    }

    @Test
    void processKeepsPointsOnRingInNextSession() {
        ConsistentHashStrategy strategy = new ConsistentHashStrategy();
        List<JobInstance> renewed = List.of(THREE.get(0), new JobInstance("host@1@t", "host", "", Map.of(), 1));

        List<String> before = strategy.shard(request("job", THREE.subList(0, 2), 100, Map.of()))
                .get("host@1@s");
        assertThat(strategy.shard(request("job", renewed, 100, Map.of())).get("host@1@t"))
                .isEqualTo(before);
    }

    @Test
    void instancesOfOneProcessShareTheRing() {
        List<JobInstance> one = List.of(
                new JobInstance("host@1@s", "host", "", Map.of(), 1),
                new JobInstance("host@1@t", "host", "", Map.of(), 1));

        assertThat(counts(new ConsistentHashStrategy(), one, 1_000, Map.of()))
                .allSatisfy(count -> assertThat(count).isBetween(300, 700));
    }

    @Test
    void hashSharesOfManyItemsDifferByTenths() {
        List<JobInstance> hundred =
                IntStream.range(0, 100).mapToObj(ShardingInvariant::instance).toList();

        assertThat(counts(new ConsistentHashStrategy(), hundred, 100_000, Map.of()))
                .allSatisfy(count -> assertThat(count).isBetween(650, 1_400));
    }

    @Test
    void jobsOfOneItemHaveDifferentHashes() {
        Map<String, Integer> jobs = new HashMap<>();
        for (int job = 0; job < 300; job++) {
            new ConsistentHashStrategy()
                    .shard(request("job-" + job, THREE, 1, Map.of()))
                    .keySet()
                    .forEach(instance -> jobs.merge(instance, 1, Integer::sum));
        }

        assertThat(jobs.values()).hasSize(3).allSatisfy(count -> assertThat(count)
                .isBetween(50, 150));
    }

    private static List<List<String>> shard(JobShardingStrategy strategy, String job, int items) {
        Map<String, List<String>> plan = strategy.shard(request(job, THREE, items, Map.of()));
        return THREE.stream()
                .map(instance -> plan.getOrDefault(instance.id(), List.of()))
                .toList();
    }

    private static List<Integer> counts(
            JobShardingStrategy strategy, List<JobInstance> instances, int items, Map<String, String> owners) {
        Map<String, List<String>> plan = strategy.shard(request("job", instances, items, owners));
        return instances.stream()
                .map(instance -> plan.getOrDefault(instance.id(), Collections.emptyList())
                        .size())
                .toList();
    }

    private static Request request(String job, List<JobInstance> instances, int items, Map<String, String> owners) {
        return new Request(job, instances, ShardingInvariant.items(items), owners);
    }

    private static List<JobInstance> weighted(int... weights) {
        List<JobInstance> instances = new ArrayList<>();
        for (int weight : weights) {
            instances.add(new JobInstance("host@" + instances.size() + "@s", "host", "", Map.of(), weight));
        }
        return instances;
    }

    private static JobInstance zoned(int number, String zone) {
        return new JobInstance("host@" + number + "@s", "host", zone, Map.of(), 1);
    }
}
