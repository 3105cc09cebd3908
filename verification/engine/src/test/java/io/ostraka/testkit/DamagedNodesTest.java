package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.Health;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobRun;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Damages each kind of node with zkCli. The cluster must recover by itself, other jobs must not be affected, and no
 * completed item may complete again. Scenario 27: users had to delete all nodes of a cluster after an operator had
 * edited one of them.
 */
class DamagedNodesTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final int ITEMS = 4;

    private final TestCluster cluster = new TestCluster(3, START, 0);
    private final ZkCli zkCli = new ZkCli(cluster);
    private final Map<String, List<String>> runs = new TreeMap<>();
    private final Set<String> completed = new HashSet<>();
    private final List<String> twice = new ArrayList<>();
    private Runnable inMidRun = () -> {};
    private JobRun ended;
    private String underWay = "";

    private static Map<String, Function<DamagedNodesTest, String>> kinds() {
        Map<String, Function<DamagedNodesTest, String>> kinds = new LinkedHashMap<>();
        kinds.put("config", test -> "/jobs/victim/config");
        kinds.put("override", test -> "/jobs/victim/override");
        kinds.put("plan", test -> "/jobs/victim/sharding");
        kinds.put("record", test -> "/jobs/victim/sharding/1");
        kinds.put("record of the item that runs", test -> "/jobs/victim/sharding/0");
        kinds.put("running", test -> "/jobs/victim/sharding/0/running");
        kinds.put("checkpoint", test -> "/jobs/victim/sharding/1/checkpoint");
        kinds.put("progress", test -> "/jobs/victim/sharding/1/progress");
        kinds.put("orphaned failover", test -> "/jobs/victim/failover/1");
        kinds.put("fire that has ended", test -> "/jobs/victim/fires/" + test.ended.runId());
        kinds.put("fire under way", test -> "/jobs/victim/fires/" + test.underWay);
        kinds.put("trigger", DamagedNodesTest::trigger);
        kinds.put("orphaned trigger", test -> "/triggers/t-by-hand");
        kinds.put(
                "instance",
                test -> "/instances/" + test.cluster.instances().get(0).id());
        kinds.put("orphaned instance", test -> "/instances/nobody@1@0");
        kinds.put("epoch", test -> "/leader/epoch");
        kinds.put("the leader's candidate", DamagedNodesTest::leadersCandidate);
        return kinds;
    }

    static final Map<String, String> GARBAGE = Map.of(
            "nothing", "",
            "no JSON", "<xml/>\u0000\uFFFD",
            "another value", "[1,2,3]",
            "null", "null",
            "an empty object", "{\"format\":4}",
            "wrong types",
                    "{\"format\":4,\"state\":7,\"cursor\":[],\"job\":{},\"total\":\"x\",\"items\":9,\"jobName\":[]}",
            "deep nesting", "[".repeat(300_000),
            "deep nesting in a field", "{\"format\":4,\"x\":" + "[".repeat(2_000) + "]".repeat(2_000) + "}",
            "as much as a client may write", "x".repeat(990_000),
            "no format", "{}");

    /**
     * Returns all garbage texts for two kinds of node. For every other kind, returns three texts, which the reader
     * handles in different ways.
     */
    static Stream<Arguments> garbageInEveryKind() {
        Set<String> all = Set.of("config", "record");
        Set<String> some = Set.of("no JSON", "an empty object", "as much as a client may write");
        return kinds().entrySet().stream().flatMap(kind -> GARBAGE.entrySet().stream()
                .filter(garbage -> all.contains(kind.getKey()) || some.contains(garbage.getKey()))
                .map(garbage -> Arguments.of(
                        Named.of(kind.getKey(), kind.getValue()), Named.of(garbage.getKey(), garbage.getValue()))));
    }

    static Stream<Arguments> everyKind() {
        Map<String, Function<DamagedNodesTest, String>> all = kinds();
        for (String parent : List.of(
                "/jobs/victim",
                "/jobs/victim/fires",
                "/jobs/victim/failover",
                "/jobs",
                "/instances",
                "/leader",
                "/leader/latch",
                "/triggers")) {
            all.put(parent, test -> parent);
        }
        return all.entrySet().stream()
                .filter(kind -> !kind.getKey().startsWith("orphaned"))
                .map(kind -> Arguments.of(Named.of(kind.getKey(), kind.getValue())));
    }

    private String leadersCandidate() {
        return zkCli.children("/leader/latch").stream()
                .min(Comparator.comparing(name -> name.substring(name.length() - 10)))
                .map(name -> "/leader/latch/" + name)
                .orElseThrow();
    }

    private String trigger() {
        return zkCli.children("/triggers").stream()
                .map(name -> "/triggers/" + name)
                .filter(path -> zkCli.text(path).contains(underWay))
                .findFirst()
                .orElseThrow();
    }

    private void begin() {
        cluster.schedule(this::ran, job("neighbour").build());
        cluster.schedule(this::ran, job("victim").build());
        cluster.amend("victim", override -> override.withJobParameter("overridden"));
        ended = cluster.trigger("victim", Map.of());
        cluster.advance(PERIOD.multipliedBy(3));
        assertThat(ended.completion().toCompletableFuture()).isCompleted();
    }

    private static JobConfiguration.Builder job(String name) {
        return JobConfiguration.newBuilder(name, ITEMS).schedule(Schedule.fixedRate(PERIOD));
    }

    private void ran(ShardingContext context) {
        String fire = context.runId().replace("neighbour@", "").replace("victim@", "");
        runs.computeIfAbsent(context.jobName() + " " + fire, key -> new ArrayList<>())
                .add(context.shardingItem() + " of " + context.shardingTotalCount());
        if (context.jobName().equals("victim")) {
            context.progress(1, 1, "");
            context.saveCheckpoint(new byte[] {1});
            if (context.shardingItem() == 0 && context.triggerParameters().containsKey("damage")) {
                underWay = context.runId();
                Runnable damage = inMidRun;
                inMidRun = () -> {};
                damage.run();
                cluster.advance(Duration.ofSeconds(2));
            }
        }
        String run = context.jobName() + " " + fire + " item " + context.shardingItem();
        if (!completed.add(run)) {
            twice.add(run);
        }
    }

    private void damage(Runnable damage) {
        List<String> done = new ArrayList<>();
        inMidRun = () -> {
            damage.run();
            done.add("damage");
        };
        JobRun run = cluster.trigger("victim", Map.of("damage", "now"));
        assertThat(done).hasSize(1);
        Instant damaged = cluster.now();
        cluster.advance(Duration.ofMinutes(4));

        assertFullService("neighbour", START.plus(PERIOD), cluster.now());
        assertFullService("victim", damaged.plus(Duration.ofMinutes(2)), cluster.now());
        assertThat(cluster.trigger("victim", Map.of()).completion().toCompletableFuture())
                .isCompletedWithValueMatching(outcomes -> outcomes.keySet().equals(Set.of("0", "1", "2", "3"))
                        && outcomes.values().stream().allMatch(ItemOutcome.SUCCEEDED::equals));
        assertThat(run.completion().toCompletableFuture()).isCompleted();
        cluster.instances().forEach(instance -> assertThat(instance.engine().health())
                .as("health of %s", instance.id())
                .matches(Health::good));
        assertThat(zkCli.children("/triggers")).isEmpty();
        assertThat(twice).as("completed twice").isEmpty();
        cluster.close();
    }

    private void assertFullService(String job, Instant from, Instant to) {
        List<String> all = IntStream.range(0, ITEMS)
                .mapToObj(item -> item + " of " + ITEMS)
                .toList();
        List<String> fires = runs.keySet().stream()
                .filter(key -> key.startsWith(job + " 2026-"))
                .filter(key -> !Instant.parse(key.substring(job.length() + 1)).isBefore(from)
                        && Instant.parse(key.substring(job.length() + 1)).isBefore(to.minus(PERIOD)))
                .toList();
        long expected = Duration.between(from, to).dividedBy(PERIOD) - 2;
        assertThat(fires).as("fires of %s from %s", job, from).hasSizeGreaterThanOrEqualTo((int) expected);
        Map<String, List<String>> incomplete = fires.stream()
                .filter(fire -> !runs.get(fire).stream().sorted().toList().equals(all))
                .collect(Collectors.toMap(fire -> fire, runs::get));
        assertThat(incomplete)
                .as("fires of %s that did not run once for each item", job)
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT2562047788015215H", "PT-2562047788015215H"})
    void extremeRunTimeInOneRecordStopsNoItem(String runTime) {
        Set<Integer> ran = new HashSet<>();
        cluster.schedule(
                context -> ran.add(context.shardingItem()),
                JobConfiguration.newBuilder("victim", ITEMS)
                        .schedule(Schedule.fixedRate(PERIOD))
                        .build());
        cluster.advance(PERIOD.multipliedBy(2).plusSeconds(5));
        String path = "/jobs/victim/sharding/1";
        zkCli.write(path, zkCli.text(path).replaceFirst("\"runTime\":\"[^\"]*\"", "\"runTime\":\"" + runTime + "\""));
        assertThat(zkCli.text(path)).contains(runTime);
        cluster.advance(Duration.ofMinutes(2)); // the engine reads the record within this time
        ran.clear();
        cluster.advance(PERIOD.multipliedBy(2));

        assertThat(ran).containsExactlyInAnyOrder(0, 1, 2, 3);
        assertThat(zkCli.text(path)).doesNotContain(runTime);
        cluster.close();
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("garbageInEveryKind")
    void clusterRepairsGarbageInAnyNode(Function<DamagedNodesTest, String> kind, String garbage) {
        begin();
        damage(() -> zkCli.write(kind.apply(this), garbage));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("everyKind")
    void clusterSurvivesTheDeletionOfAnyNode(Function<DamagedNodesTest, String> kind) {
        begin();
        damage(() -> zkCli.delete(kind.apply(this)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"config", "override", "plan", "record", "checkpoint", "orphaned failover", "epoch"})
    void startingInstancesRepairNodesDamagedBeforeTheirStart(String kind) {
        begin();
        List.copyOf(cluster.instances()).forEach(TestCluster.Instance::close);
        zkCli.write(kinds().get(kind).apply(this), "garbage");
        cluster.join();
        cluster.join();
        Instant started = cluster.now();
        if (kind.equals("override")) {
            // no instance knows the content any more, so only an operator can write it again
            cluster.amend("victim", override -> override.withJobParameter("overridden"));
        }
        cluster.advance(Duration.ofMinutes(4));

        assertFullService("neighbour", started.plus(Duration.ofMinutes(1)), cluster.now());
        assertFullService("victim", started.plus(Duration.ofMinutes(2)), cluster.now());
        assertThat(cluster.trigger("victim", Map.of()).completion().toCompletableFuture())
                .isCompletedWithValueMatching(outcomes -> outcomes.keySet().equals(Set.of("0", "1", "2", "3")));
        assertThat(twice).as("completed twice").isEmpty();
        cluster.close();
    }

    @Test
    void duplicatedTriggerRunsOnceAndBothNodesAreDeleted() {
        begin();
        List<String> triggers = new ArrayList<>();
        inMidRun = () -> {
            triggers.add(zkCli.text(trigger()));
            zkCli.write("/triggers/t-again-at-once", triggers.get(0));
        };
        JobRun run = cluster.trigger("victim", Map.of("damage", "none"));
        assertThat(run.completion().toCompletableFuture()).isCompleted();
        zkCli.write("/triggers/t-again-afterwards", triggers.get(0));
        cluster.advance(Duration.ofMinutes(4));

        assertThat(zkCli.children("/triggers")).isEmpty();
        assertThat(runs.get("victim " + run.runId())).hasSize(ITEMS);
        assertThat(twice).as("completed twice").isEmpty();
        cluster.close();
    }

    static Stream<Arguments> kindsThatStayInUse() {
        return kinds().entrySet().stream()
                .filter(kind -> Set.of("config", "override", "plan", "record", "orphaned instance", "orphaned trigger")
                        .contains(kind.getKey()))
                .map(kind -> Arguments.of(Named.of(kind.getKey(), kind.getValue())));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("kindsThatStayInUse")
    void nodeOfANewerFormatIsLeftAloneAndReported(Function<DamagedNodesTest, String> kind) {
        begin();
        String path = kind.apply(this);
        String before = zkCli.text(path);
        String newer = "{\"format\":9,\"whatever\":true}";
        zkCli.write(path, newer);
        cluster.advance(Duration.ofMinutes(4));

        assertThat(zkCli.text(path)).isEqualTo(newer);
        assertFullService("neighbour", START.plus(PERIOD), cluster.now());
        if (path.startsWith("/jobs")) {
            assertThat(cluster.instances().stream()
                            .flatMap(instance -> instance.engine().health().jobs().values().stream())
                            .filter(job -> job.job().equals("victim"))
                            .flatMap(job -> job.reasons().stream())
                            .map(JobHealth.Reason::text))
                    .anyMatch(text -> text.contains(path) && text.contains("format is 9") && text.contains("upgrade"));
            Instant restored = cluster.now();
            zkCli.write(path, before);
            cluster.advance(Duration.ofMinutes(4));
            assertFullService("victim", restored.plus(Duration.ofMinutes(2)), cluster.now());
        }
        assertThat(twice).as("completed twice").isEmpty();
        cluster.close();
    }
}
