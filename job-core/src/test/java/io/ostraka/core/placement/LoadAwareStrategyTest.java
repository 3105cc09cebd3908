package io.ostraka.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobInstance;
import io.ostraka.api.JobShardingStrategy.Request;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LoadAwareStrategyTest {
    private static final double NOISE = 0.05;

    private final LoadAwareStrategy strategy = new LoadAwareStrategy();
    private final long seed = Long.getLong("ostraka.seed", new SplittableRandom().nextLong());
    private final SplittableRandom random = new SplittableRandom(seed);

    @Test
    void placesLongestItemsFirstAndBalancesTime() {
        Request request = request(2, 5).withRunTimes(times(10, 20, 30, 20, 40));

        assertThat(loads(request, strategy.shard(request))).containsExactlyInAnyOrder(60L, 60L);
    }

    @Test
    void itemsWithoutMeasurementCountAsMean() {
        Request request = request(2, 3).withRunTimes(Map.of("0", Duration.ofMillis(40), "1", Duration.ofMillis(20)));

        // one instance has the item of 40 ms, the other one the item of 20 ms and the unmeasured item, which counts as
        // 30 ms
        assertThat(strategy.shard(request).values()).contains(List.of("0"));
        assertThat(strategy.shard(request(4, 8)).values())
                .allSatisfy(items -> assertThat(items).hasSize(2));
    }

    @Test
    void limitsImpossibleTimes() {
        Map<String, Duration> odd = Map.of(
                "0", Duration.ofSeconds(Long.MAX_VALUE), "1", Duration.ofSeconds(Long.MIN_VALUE), "2", Duration.ZERO);

        assertThat(ShardingInvariant.owners(strategy.shard(request(2, 4).withRunTimes(odd))))
                .hasSize(4);
    }

    @Test
    void movesOnlyForLargeImbalance() {
        Request request = request(2, 10).withOwners(owners(0, 0, 0, 0, 0, 0, 1, 1, 1, 1));
        assertThat(ShardingInvariant.moves(request, strategy.shard(request)))
                .as("6 and 4: 5 would be more than 80 % of 6")
                .isZero();

        Request more = request(2, 12).withOwners(owners(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1));
        assertThat(ShardingInvariant.moves(more, strategy.shard(more))).isEqualTo(2);
    }

    @Test
    void joiningInstanceGetsShare() {
        Request request = request(3, 12).withOwners(owners(0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1));

        assertThat(strategy.shard(request).values())
                .allSatisfy(items -> assertThat(items).hasSize(4));
    }

    /**
     * A second call moves no item. After a placement that moved items, neither does a change of the run times by up to
     * 5 %.
     */
    @Test
    void neverFlaps() {
        for (int sample = 0; sample < 3_000; sample++) {
            Request request = sample();
            Map<String, List<String>> plan = strategy.shard(request);
            Map<String, String> placed = ShardingInvariant.owners(plan);
            assertThat(EveryStrategyTest.gains(request, plan, 0.8))
                    .as("seed %s", seed)
                    .isFalse();
            expectRest(request.withOwners(placed), placed);
            boolean changed = !placed.equals(request.owners());
            for (int noise = 0; changed && noise < 5; noise++) {
                expectRest(request.withOwners(placed).withRunTimes(noisy(request.runTimes())), placed);
            }
        }
    }

    /** If every item has an owner, items move only for a sufficient gain, and the largest load does not grow. */
    @Test
    void movesNoItemTwiceOrWithoutGain() {
        for (int sample = 0; sample < 3_000; sample++) {
            Request request = sample();
            Map<String, List<String>> before =
                    request.owners().keySet().stream().collect(Collectors.groupingBy(request.owners()::get));
            Map<String, List<String>> plan = strategy.shard(request);
            boolean all = request.owners().size() == request.items().size();
            int moves = ShardingInvariant.moves(request, plan);
            if (all && moves > 0) {
                assertThat(longest(request, plan)).as("seed %s", seed).isLessThanOrEqualTo(longest(request, before));
                assertThat(EveryStrategyTest.gains(request, before, 0.8))
                        .as("seed %s", seed)
                        .isTrue();
            }
        }
    }

    private static long longest(Request request, Map<String, List<String>> plan) {
        return loads(request, plan).stream().max(Long::compare).orElseThrow();
    }

    private void expectRest(Request request, Map<String, String> placed) {
        Map<String, String> again = ShardingInvariant.owners(strategy.shard(request));
        if (!again.equals(placed)) {
            assertThat(again).as("seed %s, %s", seed, request).isEqualTo(placed);
        }
    }

    private Request sample() {
        int instances = random.nextInt(1, 9);
        int items = random.nextInt(1, 60);
        int kind = random.nextInt(4);
        Map<String, Duration> times = new HashMap<>();
        Map<String, String> owners = new HashMap<>();
        int unowned = random.nextInt(3);
        for (String item : ShardingInvariant.items(items)) {
            // the run times are equal, or evenly spread, or a few items take nearly all the time
            long time = kind == 0
                    ? 100_000
                    : kind == 1 ? random.nextLong(1_000, 100_000) : (long) Math.exp(random.nextDouble(7, 18));
            times.put(item, Duration.ofMillis(time));
            if (random.nextInt(4) >= unowned) {
                int owner = kind == 3 ? random.nextInt(1 + instances / 2) : random.nextInt(instances);
                owners.put(item, ShardingInvariant.instance(owner).id());
            }
        }
        return request(instances, items).withRunTimes(times).withOwners(owners);
    }

    private Map<String, Duration> noisy(Map<String, Duration> times) {
        Map<String, Duration> noisy = new HashMap<>();
        // each time changes in its own direction, mostly by the maximum
        times.forEach((item, time) -> {
            double by =
                    random.nextInt(3) == 0 ? random.nextDouble(-NOISE, NOISE) : random.nextBoolean() ? NOISE : -NOISE;
            noisy.put(item, Duration.ofMillis(Math.round(time.toMillis() * (1 + by * 0.999))));
        });
        return noisy;
    }

    private static Request request(int instances, int items) {
        List<JobInstance> all = IntStream.range(0, instances)
                .mapToObj(ShardingInvariant::instance)
                .toList();
        return new Request("job", all, ShardingInvariant.items(items), Map.of());
    }

    private static Map<String, Duration> times(int... millis) {
        Map<String, Duration> times = new HashMap<>();
        for (int time : millis) {
            times.put(Integer.toString(times.size()), Duration.ofMillis(time));
        }
        return times;
    }

    private static Map<String, String> owners(int... instances) {
        Map<String, String> owners = new HashMap<>();
        for (int instance : instances) {
            owners.put(
                    Integer.toString(owners.size()),
                    ShardingInvariant.instance(instance).id());
        }
        return owners;
    }

    private static List<Long> loads(Request request, Map<String, List<String>> plan) {
        return plan.values().stream()
                .map(items -> items.stream()
                        .mapToLong(item -> request.runTimes().get(item).toMillis())
                        .sum())
                .toList();
    }
}
