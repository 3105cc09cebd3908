package io.ostraka.core.decide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.JobInstance;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.api.ShardingStrategies;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.InstanceInfo.State;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.PlacementReasons;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.placement.BuiltInStrategies;
import io.ostraka.core.placement.ShardingInvariant;
import io.ostraka.core.placement.StickyBalancedStrategy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the constraints of all strategies: eligible instances, limits, and the reasons for items without an owner. */
class ConstraintsTest {
    private static final List<String> ITEMS = ShardingPlan.keys(4);

    private final JobShardingStrategy sticky = new StickyBalancedStrategy();
    private PlacedJob job = PlacedJob.of("job", ITEMS);

    static Stream<JobShardingStrategy> strategies() {
        return Stream.of(
                new StickyBalancedStrategy(),
                BuiltInStrategies.all().get(ShardingStrategies.AVG_ALLOCATION),
                BuiltInStrategies.all().get(ShardingStrategies.CONSISTENT_HASH));
    }

    @Test
    void onlyRequiredInstancesGetItems() {
        job = job.with(it -> it.requiredInstances("gpu & !batch"));

        assertThat(place(tagged("a", "gpu"), tagged("b"), tagged("c", "gpu", "batch")))
                .containsOnly(Map.entry("a", ITEMS));
    }

    @Test
    void itemsWithoutRequiredInstanceAreUnplacedWithReason() {
        job = job.with(it -> it.requiredInstances("gpu"));

        assertThat(place(tagged("a"), tagged("b"))).isEmpty();
        assertThat(job.grounds().unplaced())
                .containsOnly(Map.entry("no instance that hosts the job matches requiredInstances, 'gpu'", ITEMS));
        assertThat(place(tagged("a"), tagged("b"), tagged("c", "gpu"))).containsOnly(Map.entry("c", ITEMS));
        assertThat(job.grounds()).isEqualTo(PlacementReasons.NONE);
    }

    @Test
    void requiredInstanceWithAWrongClockIsNamedAsTheReason() {
        InstanceInfo wrong = tagged("c", "gpu");
        InstanceInfo ahead =
                new InstanceInfo(wrong.self(), 1, State.WORKING, true, wrong.jobs(), List.of(), wrong.stillRunning());
        job = job.with(it -> it.requiredInstances("gpu"));

        assertThat(place(tagged("a"), ahead)).isEmpty();
        assertThat(job.grounds().unplaced())
                .containsOnly(Map.entry(
                        "every instance that matches requiredInstances, 'gpu', has a clock that is too far ahead of"
                                + " ZooKeeper's; correct the clock",
                        ITEMS));
    }

    @Test
    void jobWithoutInstancesHasNoReasons() {
        job = job.with(it -> it.requiredInstances("gpu"));

        assertThat(place()).isEmpty();
        assertThat(job.grounds()).isEqualTo(PlacementReasons.NONE);
    }

    @Test
    void preferredInstancesGetAllItems() {
        job = job.with(it -> it.preferredInstances("ssd"));

        assertThat(place(tagged("a"), tagged("b"))).containsOnlyKeys("a", "b");
        assertThat(place(tagged("a"), tagged("b"), tagged("c", "ssd"))).containsOnly(Map.entry("c", ITEMS));
        assertThat(explain("0"))
                .isEqualTo("item 0 of job 'job' is on c: it came from "
                        + (explain("0").contains("from a") ? "a" : "b")
                        + "; preferredInstances prefers its present owner");
        assertThat(place(tagged("a"), tagged("b"))).containsOnlyKeys("a", "b");
    }

    @Test
    void surplusOfPreferredInstancesMovesAwayAndReturns() {
        job = job.with(it -> it.preferredInstances("ssd").maxItemsPerInstance(2));

        assertThat(place(tagged("a", "ssd"), tagged("b"), tagged("c"))).containsEntry("a", List.of("0", "1"));
        assertThat(job.owners()).containsOnlyKeys(ITEMS);
        Map<String, List<String>> before = place(tagged("a", "ssd"), tagged("b"), tagged("c"));
        assertThat(before.get("a")).as("nothing is swapped").containsExactly("0", "1");
        assertThat(place(tagged("a", "ssd"), tagged("b"), tagged("c", "ssd"))).containsOnlyKeys("a", "c");
    }

    @Test
    void itemsBeyondTheMaximumStayUnplaced() {
        job = job.with(it -> it.maxItemsPerInstance(1));

        assertThat(place(tagged("a"), tagged("b"), tagged("c"))).hasSize(3);
        assertThat(job.grounds().unplaced())
                .containsOnly(Map.entry("every eligible instance has reached maxItemsPerInstance, 1", List.of("3")));
        Map<String, String> owners = job.owners();
        assertThat(place(tagged("a"), tagged("b"), tagged("c"), tagged("d"))).containsEntry("d", List.of("3"));
        assertThat(job.owners()).containsAllEntriesOf(owners);
        assertThat(explain("3"))
                .isEqualTo("item 3 of job 'job' is on d: the job's strategy placed it there and keeps it");
        assertThat(place(tagged("a"), tagged("b"), tagged("d"))).hasSize(3);
        assertThat(job.owners()).containsEntry("3", "d");
    }

    @Test
    void maximumIsAppliedToAnyStrategyWithFewestMoves() {
        JobShardingStrategy allOnA = strategy(request -> Map.of("a", request.items()));
        List<InstanceInfo> three = List.of(tagged("a"), tagged("b"), tagged("c"));
        job = job.with(it -> it.maxItemsPerInstance(2)).ownedBy(Map.of("0", "c", "1", "a", "2", "a", "3", "b"));
        assertThat(job.place(three, allOnA))
                .as("what is another's goes back")
                .isEqualTo(Map.of("a", List.of("1", "2"), "b", List.of("3"), "c", List.of("0")));

        job = job.ownedBy(Map.of("1", "a", "2", "a"));
        assertThat(job.place(three, allOnA))
                .as("what is nobody's leaves first")
                .isEqualTo(Map.of("a", List.of("1", "2"), "b", List.of("0"), "c", List.of("3")));
    }

    @Test
    void moveBecauseOfMaximumIsExplained() {
        JobShardingStrategy allOnA = strategy(request -> Map.of("a", request.items()));
        job = job.with(it -> it.maxItemsPerInstance(3)).ownedBy(Map.of("0", "a", "1", "a", "2", "a", "3", "a"));
        job = job.after(job.placed(List.of(tagged("a"), tagged("b")), allOnA));

        assertThat(job.grounds().moves()).hasSize(1).containsKey("MAXIMUM a");
        assertThat(job.grounds().strategy()).isEqualTo("TEST");
    }

    @Test
    void antiAffinityExcludesInstancesOfTheOtherJob() {
        job = job.with(it -> it.antiAffinity("other"));
        place(tagged("a"), tagged("b"));
        job = job.with(new PlacementContext(Map.of(), Map.of(), Set.of("a"), null));

        assertThat(place(tagged("a"), tagged("b"))).containsOnly(Map.entry("b", ITEMS));
        assertThat(job.grounds().moves()).containsOnlyKeys("ANTI_AFFINITY a");
        job = job.with(new PlacementContext(Map.of(), Map.of(), Set.of("a", "b"), null));
        assertThat(place(tagged("a"), tagged("b"))).isEmpty();
        assertThat(explain("1"))
                .isEqualTo("item 1 of job 'job' has no owner: every eligible instance has items of job"
                        + " 'other', which antiAffinity keeps it apart from");
    }

    @Test
    void everyCauseOfAMoveIsExplained() {
        job = job.with(it -> it.requiredInstances("!batch"))
                .ownedBy(Map.of("0", "gone", "1", "draining", "2", "left", "3", "batch"));
        place(
                tagged("a"),
                instance("draining", State.DRAINING, false, Set.of("job"), Set.of()),
                instance("left", State.WORKING, false, Set.of(), Set.of()),
                tagged("batch", "batch"));

        assertThat(job.grounds().moves())
                .isEqualTo(Map.of(
                        "FAILED_OVER gone", List.of("0"),
                        "DRAINED draining", List.of("1"),
                        "UNHOSTED left", List.of("2"),
                        "REQUIRED batch", List.of("3")));
        assertThat(ITEMS.stream().map(this::explain))
                .containsExactly(
                        "item 0 of job 'job' is on a: it was failed over from gone, whose session ended",
                        "item 1 of job 'job' is on a: it was drained from draining",
                        "item 2 of job 'job' is on a: it came from left, which no longer hosts the job",
                        "item 3 of job 'job' is on a: it came from batch, which does not match requiredInstances");
        job = job.ownedBy(Map.of("0", "a", "1", "ahead", "2", "stuck", "3", "a"));
        place(
                tagged("a"),
                tagged("b"),
                instance("ahead", State.WORKING, true, Set.of("job"), Set.of()),
                instance("stuck", State.WORKING, false, Set.of("job"), Set.of("2")));
        assertThat(job.grounds().moves())
                .containsEntry("CLOCK_AHEAD ahead", List.of("1"))
                .containsEntry("UNRETURNED stuck", List.of("2"));
        assertThat(job.grounds().moves().keySet()).as("told of what stays").anyMatch(key -> key.contains("gone"));
    }

    @Test
    void reasonOfMoveSurvivesNextSession() {
        job = job.ownedBy(Map.of("0", "gone", "1", "a", "2", "a", "3", "b"));
        place(tagged("a"), tagged("b"));
        String told = job.owners().get("0");
        assertThat(job.grounds().moves()).containsOnly(Map.entry("FAILED_OVER gone", List.of("0")));
        PlacementReasons before = job.grounds();
        place(tagged("a"), tagged("b"));
        assertThat(job.grounds()).isSameAs(before);
        InstanceInfo reborn = new InstanceInfo(
                tagged(told + "2").self(), 1, State.WORKING, false, Set.of("job"), List.of(told), Map.of());
        place(reborn, tagged(told.equals("a") ? "b" : "a"));
        assertThat(job.grounds()).isEqualTo(before);
        place(tagged("c"));
        assertThat(job.grounds().moves())
                .containsKey("FAILED_OVER " + told + "2")
                .doesNotContainKey("FAILED_OVER gone");
    }

    @Test
    void routerIsRefusedForSeveralItemsAndKeepsOwnState() {
        assertThatThrownBy(() ->
                        job.place(List.of(tagged("a")), BuiltInStrategies.all().get(ShardingStrategies.ROUND)))
                .isInstanceOf(PlacementRefusedException.class)
                .hasMessage(
                        "strategy ROUND accepts jobs with one item only, and this job has 4; choose another shardingStrategy,"
                                + " or shardingTotalCount 1");
        PlacedJob one = PlacedJob.of("job", List.of("0"));
        List<InstanceInfo> two = List.of(tagged("a"), tagged("b"));
        List<String> owners = new ArrayList<>();
        for (int fire = 1; fire <= 5; fire++) {
            one = one.with(new PlacementContext(Map.of(), Map.of(), Set.of(), Instant.ofEpochSecond(fire)));
            one = one.after(one.placed(two, BuiltInStrategies.all().get(ShardingStrategies.ROUND)));
            owners.add(one.owners().get("0"));
            assertThat(one.placed(two, BuiltInStrategies.all().get(ShardingStrategies.ROUND))
                            .grounds())
                    .isSameAs(one.grounds());
        }
        assertThat(owners).isIn(List.of("a", "b", "a", "b", "a"), List.of("b", "a", "b", "a", "b"));
    }

    @Test
    void tooLargeStateIsRefused() {
        JobShardingStrategy hoarder = new JobShardingStrategy() {
            @Override
            public String type() {
                return "HOARDER";
            }

            @Override
            public Map<String, List<String>> shard(Request request) {
                return place(request).items();
            }

            @Override
            public Answer place(Request request) {
                return new Answer(Map.of("a", request.items()), "x".repeat(MAX_STATE + 1));
            }
        };

        assertThatThrownBy(() -> job.place(List.of(tagged("a")), hoarder))
                .hasMessage("strategy HOARDER returned a state of 16385 characters; accepted: 16384");
    }

    /**
     * For all constraints and initial owners, items are placed only on instances that may run them, and a
     * second placement changes nothing.
     */
    @Tag("exhaustive")
    @ParameterizedTest
    @MethodSource("strategies")
    void everyCombinationOfConstraintsHolds(JobShardingStrategy strategy) {
        for (int items = 0; items <= 5; items++) {
            for (int maximum = 0; maximum <= 3; maximum++) {
                for (int kinds = 0; kinds < 1 << 9; kinds++) {
                    for (int start = 0; start < 4; start++) {
                        check(strategy, items, maximum, kinds, start);
                    }
                }
            }
        }
    }

    /**
     * Checks a placement on three instances. {@code kinds} contains three bits for each instance: whether it has the
     * required tag, the preferred tag, and items of the other job.
     */
    private static void check(JobShardingStrategy strategy, int items, int maximum, int kinds, int start) {
        List<InstanceInfo> instances = new ArrayList<>();
        Set<String> apart = new HashSet<>();
        Set<String> eligible = new HashSet<>();
        Set<String> preferred = new HashSet<>();
        for (int i = 0; i < 3; i++) {
            String id = "i" + i;
            int kind = kinds >> 3 * i & 7;
            List<String> tags = new ArrayList<>();
            if ((kind & 1) != 0) {
                tags.add("gpu");
            }
            if ((kind & 2) != 0) {
                tags.add("ssd");
            }
            if ((kind & 4) != 0) {
                apart.add(id);
            } else if ((kind & 1) != 0) {
                eligible.add(id);
                if ((kind & 2) != 0) {
                    preferred.add(id);
                }
            }
            instances.add(tagged(id, tags.toArray(String[]::new)));
        }
        Map<String, String> owners = new HashMap<>();
        for (String item : ShardingPlan.keys(items)) {
            int owner = start == 0 ? 3 : (Integer.parseInt(item) * start + start) % 4;
            if (owner < 3) {
                owners.put(item, "i" + owner);
            }
        }
        PlacedJob job = PlacedJob.of("job", ShardingPlan.keys(items))
                .with(it -> it.requiredInstances("gpu")
                        .preferredInstances("ssd")
                        .maxItemsPerInstance(maximum)
                        .antiAffinity("other"))
                .with(new PlacementContext(Map.of(), Map.of(), apart, null))
                .ownedBy(owners);
        Placement.Placed placed = job.placed(instances, strategy);
        Map<String, String> after = ShardingInvariant.owners(placed.items());
        int room = maximum == 0 ? (eligible.isEmpty() ? 0 : items) : maximum * eligible.size();
        int preferredRoom = maximum == 0 ? (preferred.isEmpty() ? 0 : items) : maximum * preferred.size();
        int onPreferred =
                (int) after.values().stream().filter(preferred::contains).count();
        Set<String> told = new HashSet<>(after.keySet());
        placed.grounds().unplaced().values().forEach(told::addAll);
        boolean holds = after.size() == Math.min(room, items)
                && eligible.containsAll(after.values())
                && placed.items().values().stream().allMatch(keys -> maximum == 0 || keys.size() <= maximum)
                && onPreferred == Math.min(preferredRoom, items)
                && told.equals(new HashSet<>(ShardingPlan.keys(items)))
                && job.after(job.after(placed).placed(instances, strategy)).equals(job.after(placed));
        if (!holds) {
            assertThat(placed).as("%s, %s", job, instances).isNull();
        }
    }

    private Map<String, List<String>> place(InstanceInfo... instances) {
        Placement.Placed placed = job.placed(List.of(instances), sticky);
        job = job.after(placed);
        return placed.items();
    }

    private String explain(String item) {
        Map<String, List<String>> items = new TreeMap<>();
        job.owners().forEach((key, owner) -> items.computeIfAbsent(owner, id -> new ArrayList<>())
                .add(key));
        Instant at = Instant.EPOCH;
        return Explanation.of(
                "job",
                item,
                ShardingPlan.of(job.items().size(), 1, Scope.SHARDED, Schedule.onDemand(), at, 1)
                        .madeFrom(1, 0, 0)
                        .with(items, job.grounds()),
                JobOverride.NONE);
    }

    private static JobShardingStrategy strategy(
            Function<JobShardingStrategy.Request, Map<String, List<String>>> answer) {
        return new JobShardingStrategy() {
            @Override
            public String type() {
                return "TEST";
            }

            @Override
            public Map<String, List<String>> shard(Request request) {
                return answer.apply(request);
            }
        };
    }

    private static InstanceInfo tagged(String id, String... tags) {
        Map<String, String> all = new HashMap<>();
        Stream.of(tags).forEach(tag -> all.put(tag, "yes"));
        return new InstanceInfo(
                new JobInstance(id, "host", "", all, 1), 1, State.WORKING, false, Set.of("job"), List.of(), Map.of());
    }

    private static InstanceInfo instance(
            String id, State state, boolean clockAhead, Set<String> jobs, Set<String> stillRunning) {
        return new InstanceInfo(
                new JobInstance(id, "host", "", Map.of(), 1),
                1,
                state,
                clockAhead,
                jobs,
                List.of(),
                Map.of("job", stillRunning));
    }
}
