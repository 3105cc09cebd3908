package io.ostraka.core.decide;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobInstance;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.ShardingStrategies;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.InstanceInfo.State;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.placement.BuiltInStrategies;
import io.ostraka.core.placement.StickyBalancedStrategy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Static sharding keeps every item on the instance that got it first, across restarts and for every strategy. */
class StaticShardingTest {
    private static final List<String> ITEMS = ShardingPlan.keys(4);

    private PlacedJob job = PlacedJob.of("job", ITEMS).with(it -> it.staticSharding(true));

    static Stream<JobShardingStrategy> strategies() {
        return Stream.of(new StickyBalancedStrategy(), BuiltInStrategies.all().get(ShardingStrategies.AVG_ALLOCATION));
    }

    @Test
    void joiningInstanceGetsNoItemsAndDepartedOneIsAwaited() {
        assertThat(place("a@1@1", "b@1@2")).containsOnlyKeys("a@1@1", "b@1@2");
        List<String> ofB = job.placed(instances("a@1@1", "b@1@2"), new StickyBalancedStrategy())
                .items()
                .get("b@1@2");

        assertThat(place("a@1@1", "b@1@2", "c@1@3")).containsOnlyKeys("a@1@1", "b@1@2");
        assertThat(place("a@1@1", "c@1@3")).containsOnlyKeys("a@1@1");
        assertThat(job.grounds().unplaced())
                .containsOnly(Map.entry(
                        "no instance called 'b' is eligible now, and staticSharding keeps the item there", ofB));
        assertThat(place()).isEmpty();
        assertThat(place("a@1@1", "b@7@4")).containsEntry("b@7@4", ofB);
        assertThat(job.grounds().unplaced()).isEmpty();
    }

    @Test
    void itemsOfANewCountArePlacedBesideTheOthers() {
        place("a@1@1", "b@1@2");
        Map<String, String> before = job.owners();
        PlacedJob more = PlacedJob.of("job", ShardingPlan.keys(8))
                .with(it -> it.staticSharding(true))
                .ownedBy(before);

        Placement.Placed placed = more.placed(instances("a@1@1", "b@1@2", "c@1@3"), new StickyBalancedStrategy());
        assertThat(more.after(placed).owners()).hasSize(8).containsAllEntriesOf(before);
    }

    @Test
    void strategyPlacesItemsWhenStaticShardingIsRemoved() {
        place("a@1@1", "b@1@2");
        place("a@1@1");
        job = job.with(it -> it.staticSharding(false));

        assertThat(place("a@1@1")).containsOnly(Map.entry("a@1@1", ITEMS));
        assertThat(job.grounds().awaited()).isEmpty();
    }

    /**
     * After every change of membership, each item is on its first instance if that is possible, and otherwise has no
     * owner.
     */
    @Tag("slow")
    @ParameterizedTest
    @MethodSource("strategies")
    void itemsStayOnTheirFirstInstance(JobShardingStrategy strategy) {
        long seed = Long.getLong("ostraka.seed", new SplittableRandom().nextLong());
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 2_000; round++) {
            int maximum = random.nextInt(4);
            PlacedJob now = PlacedJob.of("job", ShardingPlan.keys(random.nextInt(7)))
                    .with(it -> it.staticSharding(true).maxItemsPerInstance(maximum));
            Map<String, String> names = new HashMap<>();
            List<InstanceInfo> living = new ArrayList<>();
            for (int step = 0; step < 12; step++) {
                if (!living.isEmpty() && random.nextBoolean()) {
                    living.remove(random.nextInt(living.size()));
                } else {
                    living.add(instance("h" + random.nextInt(3) + "@1@" + step));
                }
                Placement.Placed placed = now.placed(living, strategy);
                now = now.after(placed);
                assertThat(now.after(now.placed(living, strategy)))
                        .as("asked again, seed %d", seed)
                        .isEqualTo(now);
                check(now, placed, names, living, maximum, seed);
            }
        }
    }

    private static void check(
            PlacedJob now,
            Placement.Placed placed,
            Map<String, String> names,
            List<InstanceInfo> living,
            int maximum,
            long seed) {
        boolean holds = placed.items().values().stream().allMatch(items -> maximum == 0 || items.size() <= maximum);
        for (String item : now.items()) {
            String owner = now.owners().get(item);
            if (owner != null) {
                String name = owner.substring(0, 2);
                holds &= name.equals(names.computeIfAbsent(item, first -> name));
            } else {
                String name = names.get(item);
                holds &= living.stream()
                        .filter(instance ->
                                name == null || instance.self().name().equals(name))
                        .allMatch(instance -> maximum > 0
                                && placed.items()
                                                .getOrDefault(instance.id(), List.of())
                                                .size()
                                        == maximum);
            }
        }
        if (!holds) {
            assertThat(now).as("placed on %s, seed %d", living, seed).isNull();
        }
    }

    private Map<String, List<String>> place(String... ids) {
        Placement.Placed placed = job.placed(instances(ids), new StickyBalancedStrategy());
        job = job.after(placed);
        return placed.items();
    }

    private static List<InstanceInfo> instances(String... ids) {
        return Stream.of(ids).map(StaticShardingTest::instance).toList();
    }

    private static InstanceInfo instance(String id) {
        return new InstanceInfo(
                new JobInstance(id, "one-host", "", Map.of(), 1),
                1,
                State.WORKING,
                false,
                Set.of("job"),
                List.of(),
                Map.of());
    }
}
