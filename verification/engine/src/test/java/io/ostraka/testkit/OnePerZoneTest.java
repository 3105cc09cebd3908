package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobRun;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.api.ShardingContext;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests jobs that run on one instance of each zone, and singletons, which run on one instance in total. */
@ExtendWith(OstrakaExtension.class)
class OnePerZoneTest {
    private static final Duration PERIOD = Duration.ofSeconds(10);
    /** Longer than ZooKeeper takes to expire the session of a silent instance. */
    private static final Duration LONG = Duration.ofSeconds(60);

    private static final String NONE = ".none";

    /** Last instance that ran each zone's item, by fire. */
    private final Map<Instant, Map<String, String>> runs = new TreeMap<>();

    private final List<Integer> attempts = new ArrayList<>();

    private TestCluster cluster;

    @BeforeEach
    void useEmptyCluster(@Instances(0) TestCluster injected) {
        cluster = injected;
    }

    private static JobConfiguration.Builder job(Scope scope) {
        return JobConfiguration.newBuilder("job", 1).scope(scope);
    }

    private static JobConfiguration periodic() {
        return job(Scope.ONE_PER_ZONE).schedule(Schedule.fixedRate(PERIOD)).build();
    }

    private void record(ShardingContext context) {
        attempts.add(context.attempt());
        runs.computeIfAbsent(context.fireTime(), fire -> new TreeMap<>()).put(context.itemKey(), context.instanceId());
    }

    private static Optional<Map<String, ItemOutcome>> end(JobRun run) {
        return Optional.ofNullable(run.completion().toCompletableFuture().getNow(null));
    }

    private void assertHealthy() {
        cluster.instances().stream().filter(TestCluster.Instance::alive).forEach(each -> assertThat(
                        each.engine().health().jobs().get("job").status())
                .isEqualTo(JobHealth.Status.RUNNING));
    }

    @Test
    void sameInstanceOfEachZoneRunsEveryFire() {
        Set<String> north =
                Set.of(cluster.joinIn("north").id(), cluster.joinIn("north").id());
        Set<String> south =
                Set.of(cluster.joinIn("south").id(), cluster.joinIn("south").id());
        String nowhere = cluster.joinIn("").id();
        String odd = cluster.joinIn("Zürich 1").id();
        cluster.schedule(this::record, periodic());
        cluster.advance(PERIOD.multipliedBy(6));

        assertThat(runs).hasSizeBetween(5, 7);
        assertThat(new TreeSet<>(runs.values().stream().map(Map::toString).toList()))
                .hasSize(1);
        Map<String, String> owners = runs.values().iterator().next();
        assertThat(owners).containsOnlyKeys("north", "south", NONE, "Z.C3.BCrich.201");
        assertThat(north).contains(owners.get("north"));
        assertThat(south).contains(owners.get("south"));
        assertThat(owners).containsEntry(NONE, nowhere).containsEntry("Z.C3.BCrich.201", odd);
        assertHealthy();
    }

    @Test
    void interruptedFireRunsAgainInItsZone() {
        cluster.joinIn("north");
        cluster.joinIn("north");
        cluster.joinIn("south");
        List<String> killed = new ArrayList<>();
        cluster.schedule(
                context -> {
                    record(context);
                    if (context.itemKey().equals("north") && runs.size() == 2 && killed.isEmpty()) {
                        killed.add(context.instanceId());
                        cluster.instance(context.instanceId()).kill();
                    }
                },
                periodic());
        cluster.advance(LONG.multipliedBy(2));

        assertThat(killed).hasSize(1);
        assertThat(attempts).contains(2).doesNotContain(3);
        String survivor = cluster.instances().stream()
                .filter(each -> each.alive() && !each.id().equals(killed.get(0)))
                .map(TestCluster.Instance::id)
                .findFirst()
                .orElseThrow();
        Map<String, String> last = List.copyOf(runs.values()).get(runs.size() - 1);
        assertThat(last).containsEntry("north", survivor).containsOnlyKeys("north", "south");
        Map<String, String> again = List.copyOf(runs.values()).get(1);
        assertThat(again).containsEntry("north", survivor);
        assertHealthy();
    }

    /**
     * Another zone runs only the interrupted fire. The next instance of the lost zone decides about the fires that it
     * missed.
     */
    @Test
    void otherZoneRunsOnlyTheInterruptedFireOfALostZone() {
        TestCluster.Instance north = cluster.joinIn("north");
        String south = cluster.joinIn("south").id();
        List<String> killed = new ArrayList<>();
        cluster.schedule(
                context -> {
                    record(context);
                    if (context.itemKey().equals("north") && runs.size() == 2 && killed.isEmpty()) {
                        killed.add(context.instanceId());
                        north.kill();
                    }
                },
                periodic());
        cluster.advance(LONG.multipliedBy(2));

        List<Map<String, String>> before = List.copyOf(runs.values());
        assertThat(before.get(1)).containsEntry("north", south);
        assertThat(before.subList(2, before.size())).isNotEmpty().allMatch(fire -> fire.equals(Map.of("south", south)));
        assertThat(new ZkCli(cluster).text("/jobs/job/sharding")).doesNotContain("north");
        assertHealthy();

        runs.clear();
        String back = cluster.joinIn("north").id();
        cluster.advance(LONG);
        List<Map<String, String>> after = List.copyOf(runs.values());
        assertThat(after.subList(1, after.size()))
                .isNotEmpty()
                .allMatch(fire -> fire.equals(Map.of("north", back, "south", south)));
        assertHealthy();
    }

    @Test
    void returningZoneCatchesUpByItsMisfirePolicy() {
        TestCluster.Instance north = cluster.joinIn("north");
        cluster.joinIn("south");
        cluster.schedule(
                this::record,
                periodic().toBuilder().misfire(MisfirePolicy.fireAll(3)).build());
        cluster.advance(LONG);
        north.close();
        Instant left = cluster.now();
        cluster.advance(LONG.multipliedBy(3));
        assertThat(runs)
                .allSatisfy((fire, by) -> assertThat(by.containsKey("north")).isEqualTo(!fire.isAfter(left)));

        Instant back = cluster.now();
        cluster.joinIn("north");
        cluster.advance(PERIOD.multipliedBy(2));
        long missed = runs.entrySet().stream()
                .filter(fire -> fire.getKey().isAfter(left)
                        && !fire.getKey().isAfter(back)
                        && fire.getValue().containsKey("north"))
                .count();
        assertThat(missed).isBetween(3L, 4L);
    }

    @Test
    void triggerEndsAlthoughAZoneLosesAllInstances() {
        cluster.joinIn("south"); // sends the triggers and waits for their completion
        TestCluster.Instance north = cluster.joinIn("north");
        cluster.schedule(
                context -> {
                    record(context);
                    if (context.itemKey().equals("south")
                            && context.triggerParameters().containsKey("leave")) {
                        north.kill(); // this may happen before the instance has claimed its item
                        cluster.advance(LONG);
                    }
                },
                job(Scope.ONE_PER_ZONE).build());
        JobRun first = cluster.trigger("job", Map.of("leave", ""));
        cluster.advance(LONG.multipliedBy(2));
        assertThat(end(first).orElseThrow())
                .containsKeys("north", "south")
                .containsEntry("south", ItemOutcome.SUCCEEDED);

        cluster.joinIn("east");
        JobRun second = cluster.trigger("job", Map.of());
        cluster.advance(LONG);
        assertThat(end(second).orElseThrow())
                .isEqualTo(Map.of("south", ItemOutcome.SUCCEEDED, "east", ItemOutcome.SUCCEEDED));
        assertThat(cluster.tree().children("/triggers")).isEmpty();
    }

    @Test
    void firstJoiningInstanceRunsInterruptedFiresOfAllZones() {
        cluster.joinIn("north");
        cluster.joinIn("south");
        cluster.schedule(
                context -> {
                    record(context);
                    if (context.triggerParameters().containsKey("die") && context.attempt() == 1) {
                        cluster.instance(context.instanceId()).kill();
                    }
                },
                job(Scope.ONE_PER_ZONE).build());
        cluster.trigger("job", Map.of("die", ""));
        cluster.advance(LONG);
        runs.clear();
        String east = cluster.joinIn("east").id();
        cluster.advance(LONG.multipliedBy(2));

        assertThat(runs.values()).hasSize(1).allMatch(Map.of("north", east, "south", east)::equals);
        assertThat(cluster.tree().children("/triggers")).isEmpty();
        assertThat(new ZkCli(cluster).text("/jobs/job/sharding")).doesNotContain("north");
        assertHealthy();
    }

    @Test
    void routerOverManyItemsIsRejectedWithAReason() {
        TestCluster.Instance one = cluster.joinIn("north");
        cluster.schedule(
                this::record, periodic().toBuilder().shardingStrategy("ROUND").build());
        cluster.advance(PERIOD);
        assertThat(one.engine()
                        .health()
                        .jobs()
                        .get("job")
                        .reason(JobHealth.Kind.PLAN_REFUSED)
                        .orElseThrow()
                        .text())
                .contains("strategy ROUND accepts jobs with one item only", "ONE_PER_ZONE", "scope SINGLETON");
    }

    @Test
    void singletonRunsOnceInAllZonesAndFailsOverToAnother() {
        cluster.joinIn("north");
        cluster.joinIn("south");
        cluster.schedule(
                context -> {
                    record(context);
                    if (runs.size() == 3 && context.attempt() == 1) {
                        cluster.instance(context.instanceId()).kill();
                    }
                },
                job(Scope.SINGLETON).schedule(Schedule.fixedRate(PERIOD)).build());
        cluster.advance(LONG.multipliedBy(2));

        assertThat(runs.values()).allSatisfy(by -> assertThat(by).containsOnlyKeys("0"));
        assertThat(attempts).contains(2);
        assertThat(new TreeSet<>(runs.values().stream().map(by -> by.get("0")).toList()))
                .hasSize(2);
        assertHealthy();
    }
}
