package io.ostraka.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobShardingStrategy.Request;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class StickyBalancedStrategyTest {
    private static final int INSTANCES = 6;
    private static final int ITEMS = 20;
    private static final int ALL = (1 << INSTANCES) - 1;

    private final StickyBalancedStrategy strategy = new StickyBalancedStrategy();

    @Test
    void isDefault() {
        assertThat(strategy.type()).isEqualTo(JobConfiguration.DEFAULT_STRATEGY);
    }

    @Test
    void changeAfterBalancedPlanCostsFewestMoves() {
        for (int items = 0; items <= ITEMS; items++) {
            for (int before = 1; before <= ALL; before++) {
                Map<String, String> owners =
                        ShardingInvariant.owners(strategy.shard(ShardingInvariant.request(before, items, Map.of())));
                for (int after = 1; after <= ALL; after++) {
                    check(ShardingInvariant.request(after, items, owners), "");
                }
            }
        }
    }

    @Tag("slow")
    @Test
    void changeAfterUnbalancedPlanCostsFewestMoves() {
        long seed = new SplittableRandom().nextLong();
        SplittableRandom random = new SplittableRandom(seed);
        for (int sample = 0; sample < 1_000; sample++) {
            int items = random.nextInt(ITEMS + 1);
            // in some samples many items have no owner; in others one instance has nearly all items
            int unowned = random.nextInt(4);
            int favourite = random.nextInt(INSTANCES);
            boolean lopsided = random.nextBoolean();
            Map<String, String> owners = new HashMap<>();
            for (String item : ShardingInvariant.items(items)) {
                if (random.nextInt(4) >= unowned) {
                    int owner = lopsided && random.nextInt(5) > 0 ? favourite : random.nextInt(INSTANCES);
                    owners.put(item, ShardingInvariant.instance(owner).id());
                }
            }
            for (int after = 1; after <= ALL; after++) {
                check(ShardingInvariant.request(after, items, owners), "seed " + seed);
            }
        }
    }

    @Test
    void keepsBalancedPlan() {
        Request first = ShardingInvariant.request(0b111, 8, Map.of());
        Map<String, List<String>> plan = strategy.shard(first);

        assertThat(strategy.shard(ShardingInvariant.request(0b111, 8, ShardingInvariant.owners(plan))))
                .isEqualTo(plan);
    }

    @Test
    void spreadsItemsOfDepartedInstanceOverRemainingOnes() {
        Map<String, String> owners =
                ShardingInvariant.owners(strategy.shard(ShardingInvariant.request(0b1111, 12, Map.of())));
        Request request = ShardingInvariant.request(0b0111, 12, owners);

        assertThat(strategy.shard(request).values())
                .allSatisfy(items -> assertThat(items).hasSize(4));
    }

    @Test
    void spreadsJobsOfOneItemOverInstances() {
        Request anyJob = ShardingInvariant.request(0b111, 1, Map.of());
        Map<String, Integer> jobs = new HashMap<>();
        for (int job = 0; job < 300; job++) {
            strategy.shard(new Request("job-" + job, anyJob.instances(), anyJob.items(), Map.of()))
                    .keySet()
                    .forEach(instance -> jobs.merge(instance, 1, Integer::sum));
        }

        assertThat(jobs.values()).hasSize(3).allSatisfy(count -> assertThat(count)
                .isBetween(50, 150));
    }

    @Test
    void ignoresOwnerThatIsNotPresent() {
        Map<String, List<String>> plan = strategy.shard(new Request(
                "job",
                List.of(ShardingInvariant.instance(0), ShardingInvariant.instance(1)),
                List.of("b", "a"),
                Map.of("a", "host@9@s", "c", ShardingInvariant.instance(0).id())));

        assertThat(plan).containsOnly(Map.entry("host@0@s", List.of("b")), Map.entry("host@1@s", List.of("a")));
    }

    private void check(Request request, String origin) {
        Map<String, List<String>> plan = strategy.shard(request);
        ShardingInvariant.assertHolds(request, plan);
        int moves = ShardingInvariant.moves(request, plan);
        int fewest = request.owners().size() - mostThatCanStay(request);
        if (moves != fewest) {
            assertThat(moves).as("moves for %s by %s %s", request, plan, origin).isEqualTo(fewest);
        }
    }

    /**
     * Returns the largest number of items that can stay, computed without the formula of the strategy. For every
     * possible smallest count, each instance may have that count or one item more. All combinations are tried by
     * dynamic programming over the instances.
     */
    private static int mostThatCanStay(Request request) {
        int items = request.items().size();
        int[] held = request.instances().stream()
                .mapToInt(instance -> Collections.frequency(request.owners().values(), instance.id()))
                .toArray();
        int most = -1;
        for (int smallest = 0; smallest <= items; smallest++) {
            // stay[n]: the largest number of items that can stay if the instances processed so far have n items
            // together
            int[] stay = new int[items + 1];
            Arrays.fill(stay, -1);
            stay[0] = 0;
            for (int has : held) {
                int[] next = new int[items + 1];
                Arrays.fill(next, -1);
                for (int count = smallest; count <= smallest + 1; count++) {
                    for (int n = 0; n + count <= items; n++) {
                        if (stay[n] >= 0) {
                            next[n + count] = Math.max(next[n + count], stay[n] + Math.min(has, count));
                        }
                    }
                }
                stay = next;
            }
            most = Math.max(most, stay[items]);
        }
        return most;
    }
}
