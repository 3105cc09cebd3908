package io.ostraka.core.decide;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobInstance;
import io.ostraka.api.Scope;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.placement.StickyBalancedStrategy;
import io.ostraka.core.schedule.FireSchedules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that the items of a job follow its scope through every change of membership, and that each item has a record.
 */
class ScopedItemsTest {
    private static final String JOB = "job";
    private static final Instant ZERO = Instant.parse("2024-02-29T12:00:00Z");
    private static final long CREATED = 100;

    /**
     * All instances. They are in two zones or in no zone; one is shutting down, and one still runs an item for its
     * earlier session.
     */
    private static final List<InstanceInfo> ALL = List.of(
            instance("a@1@1", "north", InstanceInfo.State.WORKING, Set.of()),
            instance("b@1@1", "north", InstanceInfo.State.WORKING, Set.of()),
            instance("c@1@1", "south", InstanceInfo.State.WORKING, Set.of()),
            instance("d@1@1", "", InstanceInfo.State.DRAINING, Set.of()),
            instance("e@1@2", "", InstanceInfo.State.WORKING, Set.of("e@1@1")));

    private static InstanceInfo instance(String id, String zone, InstanceInfo.State state, Set<String> stillRunning) {
        return new InstanceInfo(
                new JobInstance(id, "host", zone, Map.of(), 1),
                1,
                state,
                false,
                Set.of(JOB),
                List.of(),
                stillRunning.isEmpty() ? Map.of() : Map.of(JOB, stillRunning));
    }

    /** The nodes of a job, and the leaders that read and write them. */
    private static final class World {
        final JobConfiguration configuration;
        List<InstanceInfo> instances = List.of();
        ShardingPlan plan;
        Map<String, ItemRecord> records = new TreeMap<>();
        Instant now = ZERO;

        World(Scope scope) {
            configuration = JobConfiguration.newBuilder(JOB, 1).scope(scope).build();
        }

        World(World from) {
            configuration = from.configuration;
            instances = from.instances;
            plan = from.plan;
            records = new TreeMap<>(from.records);
            now = from.now;
        }

        Set<String> unfinished() {
            Set<String> unfinished = new HashSet<>();
            records.forEach((item, record) -> {
                if (record.unfinished() && configuration.scope() == Scope.ONE_PER_ZONE) {
                    unfinished.add(item);
                }
            });
            unfinished.retainAll(
                    ScopedItems.zonesWithoutInstance(configuration, instances, PlacementContext.NONE, unfinished));
            return unfinished;
        }

        PlanDecision decision() {
            return Planning.decide(new Planning.Observation(
                    new Planning.Wanted(configuration, JobOverride.NONE, CREATED, CREATED, 0),
                    new Planning.Present(plan, 200, null, unfinished(), null),
                    new Placement.Candidates(instances, new StickyBalancedStrategy(), PlacementContext.NONE),
                    FireSchedules.inForce(JOB, configuration.schedule(), plan),
                    now,
                    new Planning.Limits(Duration.ofMinutes(10), Planning.BATCH, Duration.ofSeconds(10))));
        }

        /** Replaces the instances, and plans until no step is left. */
        void attend(List<InstanceInfo> there) {
            now = now.plusSeconds(60);
            instances = there;
            for (int steps = 0; decision() instanceof PlanDecision.Write write; steps++) {
                hold(steps < 5, "few steps");
                apply(write);
            }
            check();
        }

        private void apply(PlanDecision.Write write) {
            ShardingPlan next = write.plan();
            hold(!next.closed(), "an open plan");
            Map<String, ItemRecord> born = plan == null
                    ? write.records()
                    : ScopedItems.newRecords(plan, next, records, Set.of(), CREATED, null, now);
            hold(born.size() <= Planning.BATCH, "no more records than a transaction may have");
            born.forEach((item, record) -> {
                hold(plan == null || !plan.keys().contains(item), "an item that joins");
                hold(record.cursor().equals(now) && !record.unfinished(), "a record that begins now");
            });
            records.putAll(born);
            plan = next;
            for (String item : plan.keys()) {
                ItemRecord record = records.get(item);
                hold(
                        record != null
                                && record.incarnation() == plan.incarnation()
                                && record.state() != ItemState.RETIRED,
                        "a record of this incarnation");
            }
        }

        /** Makes an assertion object only for a failure, because there are hundreds of thousands of states. */
        private void hold(boolean condition, String expected) {
            if (!condition) {
                throw new AssertionError(
                        "expected " + expected + ": " + plan + ", " + records + ", instances " + instances);
            }
        }

        private void check() {
            List<InstanceInfo> working = instances.stream()
                    .filter(each -> each.state() == InstanceInfo.State.WORKING)
                    .toList();
            Map<String, String> owners = plan.owners();
            if (configuration.scope() == Scope.BROADCAST) {
                Set<String> expected = working.stream()
                        .filter(each -> each.stillRunning().isEmpty())
                        .map(InstanceInfo::id)
                        .collect(Collectors.toSet());
                hold(owners.keySet().equals(expected), "one item for each of " + expected);
                owners.forEach((item, owner) -> hold(owner.equals(item), "each item on its own instance"));
                return;
            }
            Map<String, Set<String>> zones = new TreeMap<>();
            working.forEach(each -> zones.computeIfAbsent(
                            ScopedItems.zoneKey(each.self().zone()), none -> new TreeSet<>())
                    .add(each.id()));
            Set<String> expected = new HashSet<>(zones.keySet());
            if (!working.isEmpty()) {
                expected.addAll(unfinished());
            }
            hold(owners.keySet().equals(expected), "one item for each of " + expected);
            Set<String> all = working.stream().map(InstanceInfo::id).collect(Collectors.toSet());
            owners.forEach((zone, owner) ->
                    hold(zones.getOrDefault(zone, all).contains(owner), "an instance of the zone " + zone));
        }

        void claim(String item) {
            Run run = new Run(Fire.scheduled(now), 1, 1, 0, plan.owners().get(item), "nonce", now, now, 1, 0, 0);
            records.put(item, records.get(item).claimed(run, records.get(item).cursor(), List.of()));
        }
    }

    private static List<List<InstanceInfo>> subsets() {
        List<List<InstanceInfo>> subsets = new ArrayList<>();
        for (int mask = 0; mask < 1 << ALL.size(); mask++) {
            List<InstanceInfo> subset = new ArrayList<>();
            for (int i = 0; i < ALL.size(); i++) {
                if ((mask >> i & 1) == 1) {
                    subset.add(ALL.get(i));
                }
            }
            subsets.add(subset);
        }
        return subsets;
    }

    /**
     * Starts with every set of instances, and makes every two successive changes of it. Before the first change no item
     * or any one item begins a run.
     */
    @Tag("exhaustive")
    @ParameterizedTest
    @EnumSource(names = {"BROADCAST", "ONE_PER_ZONE"})
    void itemsFollowTheScopeThroughEveryMembership(Scope scope) {
        for (List<InstanceInfo> first : subsets()) {
            World begun = new World(scope);
            begun.attend(first);
            for (int running = -1; running < begun.plan.keys().size(); running++) {
                World runs = new World(begun);
                if (running >= 0) {
                    runs.claim(runs.plan.keys().get(running));
                }
                for (List<InstanceInfo> second : subsets()) {
                    World changed = new World(runs);
                    changed.attend(second);
                    assertStays(runs, changed);
                    for (List<InstanceInfo> third : subsets()) {
                        World again = new World(changed);
                        again.attend(third);
                        assertStays(changed, again);
                    }
                }
            }
        }
    }

    /** Checks that each item keeps its record, and stays on its owner as long as the owner may run it. */
    private static void assertStays(World before, World after) {
        Map<String, String> owners = after.plan.owners();
        before.plan.owners().forEach((item, owner) -> {
            if (owners.containsKey(item)) {
                after.hold(after.records.get(item).equals(before.records.get(item)), "the same record of " + item);
                InstanceInfo still = after.instances.stream()
                        .filter(each -> each.id().equals(owner))
                        .findFirst()
                        .orElse(null);
                boolean may = still != null
                        && still.state() == InstanceInfo.State.WORKING
                        && (before.configuration.scope() == Scope.BROADCAST
                                || ScopedItems.zoneKey(still.self().zone()).equals(item));
                after.hold(!may || owners.get(item).equals(owner), item + " stays");
            }
        });
    }

    @Test
    void joiningItemsAreLimitedToOneTransaction() {
        World world = new World(Scope.BROADCAST);
        List<InstanceInfo> crowd = new ArrayList<>();
        for (int i = 0; i < 2 * Planning.BATCH + 1; i++) {
            crowd.add(instance("host@1@" + i, "", InstanceInfo.State.WORKING, Set.of()));
        }
        world.attend(crowd);
        assertThat(world.plan.keys()).hasSize(crowd.size());
    }

    @Test
    void zoneKeysAreValidAndUnique() {
        List<String> zones = List.of(
                "",
                "none",
                ".none",
                "-",
                "eu-west-1",
                "eu.west",
                "eu.2Ewest",
                "eu/west",
                "eu_west",
                "Zürich",
                ".",
                "..",
                "a@1@1",
                "running",
                " ",
                "\u0000",
                "x".repeat(300),
                "x".repeat(300) + "y");
        Set<String> keys = zones.stream().map(ScopedItems::zoneKey).collect(Collectors.toSet());
        assertThat(keys).hasSameSizeAs(zones).noneMatch(ScopedItems::instanceKey);
        keys.forEach(ShardingPlan::requireKey);
        assertThat(ScopedItems.zoneKey("eu-west-1")).isEqualTo("eu-west-1");
        assertThat(ScopedItems.zoneKey("eu.west")).isEqualTo("eu.2Ewest");
        assertThat(ScopedItems.zoneKey("10-20")).as("no range of items").isEqualTo(".310-20");
        assertThat(ScopedItems.zoneKey("007")).as("no number").isEqualTo(".3007");
    }

    /**
     * When a zone returns, its record keeps its cursor, so its missed fires are still undecided. A retired record of an
     * earlier incarnation starts with the present time instead.
     */
    @Test
    void returningZoneKeepsCursorAndRetiredItemStartsAnew() {
        World world = new World(Scope.ONE_PER_ZONE);
        world.attend(ALL);
        ItemRecord stood = world.records.get("south");
        ShardingPlan all = world.plan;
        world.attend(List.of(ALL.get(0)));
        assertThat(world.plan.keys()).containsExactly("north");
        world.attend(ALL);
        assertThat(world.records.get("south")).isEqualTo(stood);

        ItemRecord retired = stood.rewritten(ItemState.RETIRED, ZERO, 5, 0);
        ShardingPlan none = all.with(Map.of(), all.grounds());
        assertThat(ScopedItems.newRecords(
                        none, all, Map.of("south", retired), Set.of("north"), CREATED, null, world.now))
                .containsOnlyKeys("south", ".none")
                .containsEntry(
                        "south",
                        retired.rewritten(ItemState.IDLE, world.now, 5, all.incarnation())
                                .advancedFrom(ZERO));
    }

    /** A clock that is ahead begins fires before their time. */
    @Test
    void retiredItemDoesNotRepeatFireThatBeganEarly() {
        World world = new World(Scope.ONE_PER_ZONE);
        world.attend(ALL);
        ShardingPlan all = world.plan;
        Instant early = world.now.plusSeconds(8);
        ItemRecord retired = world.records.get("south").rewritten(ItemState.RETIRED, early, 5, 0);

        assertThat(ScopedItems.newRecords(
                                all.with(Map.of(), all.grounds()),
                                all,
                                Map.of("south", retired),
                                Set.of(),
                                CREATED,
                                null,
                                world.now)
                        .get("south")
                        .cursor())
                .isEqualTo(early);
    }
}
