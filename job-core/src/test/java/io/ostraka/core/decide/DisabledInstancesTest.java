package io.ostraka.core.decide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobInstance;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.InstanceInfo.State;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.placement.BuiltInStrategies;
import io.ostraka.core.placement.StickyBalancedStrategy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that strategies, routers, scopes and constraints treat a disabled instance as if it had left, and an instance
 * that is enabled again as if it joined. Only the reasons differ.
 */
class DisabledInstancesTest {
    private static final int INSTANCES = 4;
    private static final List<String> ZONES = List.of("north", "south", "north", "");
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");

    static Collection<? extends JobShardingStrategy> strategies() {
        return BuiltInStrategies.all().values();
    }

    private static InstanceInfo instance(int number, String... tags) {
        Map<String, String> all = new HashMap<>();
        List.of(tags).forEach(tag -> all.put(tag, "yes"));
        return new InstanceInfo(
                new JobInstance(
                        "h" + number / 2 + "@" + number + "@s", "h" + number / 2, ZONES.get(number), all, number + 1),
                number,
                State.WORKING,
                number == 3,
                Set.of("job"),
                List.of(),
                Map.of());
    }

    private static PlacementContext circumstances(Set<String> disabled, int fire) {
        Map<String, Duration> times = new HashMap<>();
        ShardingPlan.keys(7).forEach(item -> times.put(item, Duration.ofMillis(1 + Integer.parseInt(item) * 70L)));
        return new PlacementContext(times, Map.of("h0@0@s", 3), Set.of(), disabled, AT.plusSeconds(fire), null);
    }

    private static List<InstanceInfo> without(List<InstanceInfo> instances, Set<String> disabled) {
        return instances.stream()
                .filter(instance -> !disabled.contains(instance.id()))
                .toList();
    }

    private static Set<String> ids(int bits, List<InstanceInfo> instances) {
        Set<String> ids = new HashSet<>();
        IntStream.range(0, instances.size())
                .filter(i -> (bits >> i & 1) == 1)
                .forEach(i -> ids.add(instances.get(i).id()));
        return ids;
    }

    /** Disables one set of instances, then another set, and finally none. */
    @ParameterizedTest
    @MethodSource("strategies")
    void everyStrategyIgnoresDisabledInstances(JobShardingStrategy strategy) {
        List<InstanceInfo> instances = IntStream.range(0, INSTANCES)
                .mapToObj(number -> instance(number))
                .toList();
        for (int items : new int[] {0, 1, 2, 5, 7}) {
            if (!new CheckedStrategy(strategy).isFor(items)) {
                continue;
            }
            for (int first = 0; first < 1 << INSTANCES; first++) {
                for (int second = 0; second < 1 << INSTANCES; second++) {
                    PlacedJob job = PlacedJob.of("job", ShardingPlan.keys(items));
                    job = job.with(circumstances(Set.of(), 0));
                    job = job.after(job.placed(instances, strategy));
                    int fire = 1;
                    for (int set : new int[] {first, second, 0}) {
                        job = same(job, ids(set, instances), fire++, instances, strategy);
                    }
                }
            }
        }
    }

    /** Combines disabled instances with all other constraints and with various owners. */
    @Test
    void everyConstraintIgnoresDisabledInstances() {
        for (int kinds = 0; kinds < 1 << 9; kinds++) {
            List<InstanceInfo> instances = new ArrayList<>();
            int disabled = 0;
            for (int i = 0; i < 3; i++) {
                int kind = kinds >> 3 * i & 7;
                List<String> tags = new ArrayList<>();
                if ((kind & 1) != 0) {
                    tags.add("gpu");
                }
                if ((kind & 2) != 0) {
                    tags.add("ssd");
                }
                disabled |= (kind >> 2) << i;
                instances.add(instance(i, tags.toArray(String[]::new)));
            }
            for (int variant = 0; variant < 24; variant++) {
                int start = variant % 4;
                int maximum = variant / 4 % 3;
                boolean pinned = variant >= 12;
                Map<String, String> owners = new HashMap<>();
                for (String item : ShardingPlan.keys(5)) {
                    int owner = (Integer.parseInt(item) * start + start) % 4;
                    if (owner < 3) {
                        owners.put(item, instances.get(owner).id());
                    }
                }
                PlacedJob job = PlacedJob.of("job", ShardingPlan.keys(5))
                        .with(it -> it.requiredInstances("gpu")
                                .preferredInstances("ssd")
                                .maxItemsPerInstance(maximum)
                                .staticSharding(pinned)
                                .restartGrace(pinned ? Duration.ZERO : Duration.ofMinutes(1)))
                        .at(AT)
                        .ownedBy(owners);
                same(job, ids(disabled, instances), 1, instances, new StickyBalancedStrategy());
            }
        }
    }

    private static PlacedJob same(
            PlacedJob job, Set<String> disabled, int fire, List<InstanceInfo> instances, JobShardingStrategy strategy) {
        PlacedJob wanted = job.with(circumstances(disabled, fire));
        Placement.Placed placed = wanted.placed(instances, strategy);
        Placement.Placed left = job.with(circumstances(Set.of(), fire)).placed(without(instances, disabled), strategy);
        Set<String> told = new HashSet<>();
        placed.items().values().forEach(told::addAll);
        placed.grounds().unplaced().values().forEach(told::addAll);
        PlacedJob after = wanted.after(placed);
        boolean holds = placed.items().equals(left.items())
                && placed.grounds().state().equals(left.grounds().state())
                && placed.items().keySet().stream().noneMatch(disabled::contains)
                && told.containsAll(job.items())
                && after.after(after.placed(instances, strategy)).equals(after);
        if (!holds) {
            assertThat(placed).as("%s disabled for %s: %s", disabled, job, left).isNull();
        }
        return after;
    }

    @Test
    void disabledZoneKeepsOnlyUnfinishedItem() {
        PlacedJob job = PlacedJob.of("job", List.of()).with(it -> it.scope(Scope.ONE_PER_ZONE));
        List<InstanceInfo> instances = List.of(instance(0), instance(1), instance(2));
        PlacementContext disabled = circumstances(Set.of("h0@0@s", "h1@2@s"), 0);
        ScopedItems.Participants there =
                ScopedItems.Participants.of(job.job(), instances, disabled, Set.of(), Set.of("north"));

        assertThat(ScopedItems.zonesWithoutInstance(job.job(), instances, disabled, List.of("north", "south")))
                .containsExactly("north");
        assertThat(ScopedItems.keys(Scope.ONE_PER_ZONE, 1, there, Planning.BATCH))
                .containsExactly("north", "south");
        assertThat(ScopedItems.place(
                                Scope.ONE_PER_ZONE,
                                new Placement.Demand(
                                        job.job(),
                                        List.of("north", "south"),
                                        Map.of("north", "h0@0@s"),
                                        job.grounds(),
                                        new Placement.Candidates(instances, new StickyBalancedStrategy(), disabled),
                                        AT))
                        .items())
                .containsOnly(Map.entry("h0@1@s", List.of("north", "south")));
        assertThat(ScopedItems.keys(
                        Scope.BROADCAST,
                        1,
                        ScopedItems.Participants.of(job.job(), instances, disabled, Set.of("h0@0@s"), Set.of()),
                        Planning.BATCH))
                .containsExactly("h0@1@s");
    }

    @Test
    void movesAndMissingOwnersAreExplained() {
        assertThat(explained(job(Set.of()), Set.of("h0@0@s"), instance(0), instance(1)))
                .isEqualTo("item 0 of job 'job' is on h0@1@s: it came from h0@0@s, which was disabled by an operator");
        assertThat(explained(job(Set.of()), Set.of("h0@0@s", "h0@1@s"), instance(0), instance(1)))
                .isEqualTo("item 0 of job 'job' has no owner: every eligible instance is disabled by an operator");
        assertThat(explained(
                        job(Set.of()).with(it -> it.requiredInstances("gpu")),
                        Set.of("h0@0@s"),
                        instance(0, "gpu"),
                        instance(1)))
                .endsWith("every eligible instance is disabled by an operator");
        assertThat(explained(
                        job(Set.of()).with(it -> it.requiredInstances("gpu")),
                        Set.of("h0@0@s"),
                        instance(0),
                        instance(1)))
                .endsWith("no instance that hosts the job matches requiredInstances, 'gpu'");
        assertThat(explained(
                        job(Set.of("h0@1@s")).with(it -> it.antiAffinity("other")),
                        Set.of("h0@0@s"),
                        instance(0),
                        instance(1)))
                .endsWith("every eligible instance has items of job 'other', which antiAffinity keeps it apart"
                        + " from, or is disabled by an operator");
        assertThat(explained(
                        job(Set.of()).with(it -> it.staticSharding(true)), Set.of("h0@0@s"), instance(0), instance(2)))
                .endsWith("instance 'h0', where staticSharding keeps the item, is disabled by an operator");
    }

    private static PlacedJob job(Set<String> apart) {
        return PlacedJob.of("job", List.of("0"))
                .with(new PlacementContext(Map.of(), Map.of(), apart, null))
                .ownedBy(Map.of("0", "h0@0@s"));
    }

    private static String explained(PlacedJob job, Set<String> disabled, InstanceInfo... instances) {
        PlacedJob wanted = job.with(
                new PlacementContext(Map.of(), Map.of(), job.circumstances().apart(), disabled, null, null));
        Placement.Placed placed = wanted.placed(List.of(instances), new StickyBalancedStrategy());
        ShardingPlan plan = ShardingPlan.of(1, 1, Scope.SHARDED, Schedule.onDemand(), AT, 1)
                .madeFrom(1, 0, 0)
                .with(new TreeMap<>(placed.items()), placed.grounds());
        return Explanation.of("job", "0", plan, JobOverride.NONE);
    }

    @Test
    void instanceIsDisabledByHostNameOrId() {
        InstanceInfo later = new InstanceInfo(
                new JobInstance("a@1@3", "a", "", Map.of(), 1),
                1,
                State.WORKING,
                false,
                Set.of("job"),
                List.of("a@1@1", "a@1@2"),
                Map.of());
        for (String name : List.of("a", "a@1@1", "a@1@2", "a@1@3")) {
            assertThat(JobOverride.NONE.withDisabledInstances(Set.of("z", name)).disables(later))
                    .as(name)
                    .isTrue();
        }
        for (String name : List.of("b", "a@1", "a@2@1", "A", "a@1@4")) {
            assertThat(JobOverride.NONE.withDisabledInstances(Set.of(name)).disables(later))
                    .as(name)
                    .isFalse();
        }
        assertThat(JobOverride.NONE.disables(later)).isFalse();
    }

    @Test
    void invalidInstanceIsRefusedWithAcceptedForm() {
        for (String name : List.of("", "a/b", "..", "a b", "a\nb", "a".repeat(256))) {
            assertThatThrownBy(() -> JobOverride.requireInstance("job", name))
                    .isInstanceOf(JobConfigurationException.class)
                    .hasMessageContaining("job 'job': disabledInstances is '")
                    .hasMessageContaining("accepted: an instance's name, its id, name@pid@session, or a host");
            assertThatThrownBy(() -> JobOverride.NONE.withDisabledInstances(Set.of(name)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(JobOverride.requireInstance("job", "db-1.example.org")).isEqualTo("db-1.example.org");
    }

    @Test
    void disabledNameOutlivesSessionsAndRestarts() {
        JobOverride named = JobOverride.NONE.withDisabledInstances(Set.of("web-2"));
        assertThat(named.disables(called("web-2@7@1"))).isTrue();
        assertThat(named.disables(called("web-2@8@2"))).isTrue();
        assertThat(named.disables(called("web@9@3"))).isFalse();
        assertThat(JobOverride.NONE.withDisabledInstances(Set.of("web")).disables(called("web-2@7@1")))
                .as("its host")
                .isTrue();
    }

    private static InstanceInfo called(String id) {
        return new InstanceInfo(
                new JobInstance(id, "web", "", Map.of(), 1),
                1,
                State.WORKING,
                false,
                Set.of("job"),
                List.of(),
                Map.of());
    }
}
