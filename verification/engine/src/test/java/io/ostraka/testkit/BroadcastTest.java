package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobFire;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobOptions;
import io.ostraka.api.JobRun;
import io.ostraka.api.OnceListener;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.api.SessionLossPolicy;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests jobs that every instance runs. */
@ExtendWith(OstrakaExtension.class)
class BroadcastTest {
    private static final Duration PERIOD = Duration.ofSeconds(10);
    /** Longer than ZooKeeper takes to expire the session of a silent instance. */
    private static final Duration LONG = Duration.ofSeconds(60);

    private static final String RECORDS = "/jobs/job/sharding";

    /** Instances that ran each fire. */
    private final Map<Instant, Set<String>> runs = new TreeMap<>();
    /** Item numbers of the runs, by fire and number of instances. */
    private final Map<String, Set<Integer>> numbers = new TreeMap<>();
    /** Violations found in user code, where a failed assertion would only fail the run. */
    private final List<String> violations = new ArrayList<>();

    @AfterEach
    void noViolationWasSeen() {
        assertThat(violations).isEmpty();
    }

    private static JobConfiguration.Builder job() {
        return JobConfiguration.newBuilder("job", 1).scope(Scope.BROADCAST);
    }

    private static JobConfiguration periodic() {
        return job().schedule(Schedule.fixedRate(PERIOD)).build();
    }

    private void record(ShardingContext context) {
        boolean first = runs.computeIfAbsent(context.fireTime(), fire -> new TreeSet<>())
                .add(context.instanceId());
        if (!first
                || !context.itemKey().equals(context.instanceId())
                || !numbers.computeIfAbsent(
                                context.fireTime() + " of " + context.shardingTotalCount(), fire -> new TreeSet<>())
                        .add(context.shardingItem())
                || context.shardingItem() >= context.shardingTotalCount()) {
            violations.add(
                    "item " + context.shardingItem() + " of " + context.shardingTotalCount() + ", " + context.itemKey()
                            + " in " + context.instanceId() + (first ? "" : " again") + " at " + context.fireTime());
        }
    }

    private static Set<String> ids(TestCluster cluster) {
        Set<String> ids = new TreeSet<>();
        cluster.instances().stream().filter(TestCluster.Instance::alive).forEach(each -> ids.add(each.id()));
        return ids;
    }

    private static Set<String> records(TestCluster cluster) {
        return new TreeSet<>(cluster.tree().children(RECORDS));
    }

    private static Optional<Map<String, ItemOutcome>> end(JobRun run) {
        return Optional.ofNullable(run.completion().toCompletableFuture().getNow(null));
    }

    @Test
    void everyInstanceRunsEveryFireOnce(TestCluster cluster) {
        cluster.schedule(this::record, periodic());
        Set<String> all = ids(cluster);
        cluster.advance(PERIOD.multipliedBy(6));

        assertThat(all).hasSize(3);
        assertThat(runs).hasSizeBetween(5, 7);
        assertThat(runs.values()).allMatch(all::equals);
        assertThat(records(cluster)).isEqualTo(all);
        cluster.instances().forEach(each -> assertThat(
                        each.engine().health().jobs().get("job").status())
                .isEqualTo(JobHealth.Status.RUNNING));
    }

    @Test
    void joiningInstanceTakesPartFromTheNextFire(TestCluster cluster) {
        cluster.schedule(this::record, periodic());
        cluster.advance(LONG.plusSeconds(3));
        List<String> plans = new ArrayList<>();
        cluster.tree().onCommit(done -> plans.add(new ZkCli(cluster).text(RECORDS)));
        Set<String> before = ids(cluster);
        Instant joined = cluster.now();
        String late = cluster.join().id();
        cluster.advance(PERIOD.multipliedBy(3));

        runs.forEach((fire, who) -> assertThat(who.contains(late)).isEqualTo(fire.isAfter(joined)));
        assertThat(runs.values()).allMatch(who -> who.containsAll(before));
        assertThat(plans).noneMatch(plan -> plan.contains("\"change\""));
    }

    @Test
    void drainedInstanceTakesNoPartAndItsRecordIsDeleted(TestCluster cluster) {
        cluster.schedule(this::record, periodic());
        cluster.advance(PERIOD.multipliedBy(2));
        TestCluster.Instance leaving = cluster.instances().get(2);
        String left = leaving.id();
        leaving.close();
        runs.clear();
        cluster.advance(PERIOD.multipliedBy(3));

        assertThat(runs.values()).isNotEmpty().allMatch(ids(cluster)::equals);
        assertThat(records(cluster)).isEqualTo(ids(cluster)).doesNotContain(left);
    }

    /** No instance takes over the run, and the completion of the trigger reports it as interrupted. */
    @Test
    void runOfAKilledInstanceIsInterruptedAndNotRunAgain(TestCluster cluster) {
        String dying = cluster.instances().get(1).id();
        cluster.schedule(
                context -> {
                    record(context);
                    if (context.instanceId().equals(dying)) {
                        context.saveCheckpoint(new byte[] {1});
                        context.progress(1, 2, "half");
                        cluster.instance(dying).kill();
                    }
                },
                job().build());
        Set<String> all = ids(cluster);
        JobRun run = cluster.trigger("job", Map.of());
        assertThat(end(run)).isEmpty();
        cluster.advance(LONG);

        Map<String, ItemOutcome> expected = new TreeMap<>();
        all.forEach(id -> expected.put(id, id.equals(dying) ? ItemOutcome.INTERRUPTED : ItemOutcome.SUCCEEDED));
        assertThat(end(run)).contains(expected);
        assertThat(runs).hasSize(1);
        assertThat(records(cluster)).isEqualTo(ids(cluster)).hasSize(2);
        assertThat(cluster.tree().children("/triggers")).isEmpty();
    }

    /** Kills each instance at each moment: before its claim, during its run and after it. */
    @Tag("slow")
    @Test
    void triggerEndsWhicheverInstanceIsKilledAtAnyMoment() {
        for (int dying = 0; dying < 3; dying++) {
            for (int moment = 0; moment < 40; moment++) {
                try (TestCluster cluster = new TestCluster(3, Instant.parse("2026-01-01T00:00:00Z"), moment)) {
                    cluster.schedule(context -> cluster.advance(Duration.ofMillis(40)), job().build());
                    TestCluster.Instance victim = cluster.instances().get(dying);
                    String gone = victim.id();
                    Set<String> all = ids(cluster);
                    cluster.time().after(Duration.ofMillis(3L * moment), victim::kill);
                    JobRun run =
                            cluster.instances().get((dying + 1) % 3).engine().trigger("job", Map.of(), Set.of());
                    cluster.advance(LONG.multipliedBy(2));

                    Map<String, ItemOutcome> outcomes = end(run).orElseThrow();
                    all.remove(gone);
                    assertThat(outcomes.keySet()).containsAll(all);
                    all.forEach(id -> assertThat(outcomes.get(id)).isEqualTo(ItemOutcome.SUCCEEDED));
                    assertThat(records(cluster)).isEqualTo(all);
                    assertThat(cluster.tree().children("/triggers")).isEmpty();
                }
            }
        }
    }

    @Test
    void joiningInstanceRunsOnlyTheNextTrigger(@Instances(2) TestCluster cluster) {
        List<String> joined = new ArrayList<>();
        cluster.schedule(
                context -> {
                    record(context);
                    if (context.triggerParameters().containsKey("join") && joined.isEmpty()) {
                        joined.add("");
                        joined.set(0, cluster.join().id());
                        cluster.advance(PERIOD);
                    }
                },
                job().build());
        Set<String> before = ids(cluster);
        JobRun first = cluster.trigger("job", Map.of("join", ""));
        cluster.advance(LONG);
        JobRun second = cluster.trigger("job", Map.of());
        cluster.advance(PERIOD);

        assertThat(end(first).orElseThrow().keySet()).isEqualTo(before);
        assertThat(end(second).orElseThrow().keySet()).isEqualTo(ids(cluster)).hasSize(3);
    }

    /** A process with a new session takes part again only after the run of its previous session has returned. */
    @Test
    void newSessionTakesPartOnceTheOldRunHasReturned(@Instances(2) TestCluster cluster) {
        TestCluster.Instance paused = cluster.instances().get(1);
        String before = paused.id();
        List<String> within = new ArrayList<>();
        List<Boolean> owned = new ArrayList<>();
        cluster.schedule(
                context -> {
                    within.add("begin " + context.instanceId());
                    record(context);
                    if (context.instanceId().equals(before)
                            && !context.triggerParameters().isEmpty()) {
                        cluster.time().after(Duration.ofSeconds(1), paused::expireSession);
                        cluster.advance(PERIOD.multipliedBy(3));
                        owned.add(!records(cluster).contains(before));
                        within.add("return " + context.instanceId());
                    }
                },
                job().schedule(Schedule.fixedRate(PERIOD))
                        .sessionLoss(SessionLossPolicy.KEEP_RUNNING)
                        .build());
        cluster.advance(PERIOD);
        JobRun run = cluster.trigger("job", Map.of("expire", ""));
        cluster.advance(LONG.multipliedBy(2));
        String after = paused.id();

        assertThat(after).isNotEqualTo(before);
        assertThat(end(run).orElseThrow()).containsEntry(before, ItemOutcome.INTERRUPTED);
        assertThat(owned).containsExactly(true);
        int returned = within.indexOf("return " + before);
        assertThat(within.subList(0, returned)).doesNotContain("begin " + after);
        assertThat(within.subList(returned, within.size())).contains("begin " + after);
        assertThat(records(cluster)).isEqualTo(ids(cluster));
        assertThat(paused.engine().metrics().jobs().get("job").fenced()).isEqualTo(1);
        assertThat(paused.engine().health().jobs().get("job").reasons()).isEmpty();
    }

    @Test
    void sessionLostWhileIdleCostsOnlyTheFiresMeanwhile(TestCluster cluster) {
        cluster.schedule(this::record, periodic());
        cluster.advance(PERIOD.multipliedBy(2));
        String before = cluster.instances().get(0).id();
        cluster.instances().get(0).expireSession();
        cluster.advance(PERIOD);
        runs.clear();
        cluster.advance(PERIOD.multipliedBy(3));

        assertThat(runs.values()).isNotEmpty().allMatch(ids(cluster)::equals);
        assertThat(records(cluster)).isEqualTo(ids(cluster)).doesNotContain(before);
    }

    @Test
    void instanceOutsideTheConstraintTakesNoPartUntilReadmitted(@Instances(0) TestCluster cluster) {
        TestCluster.Instance north = cluster.joinIn("north");
        TestCluster.Instance south = cluster.joinIn("south");
        cluster.schedule(this::record, periodic());
        cluster.advance(PERIOD.multipliedBy(2));
        assertThat(records(cluster)).containsExactlyInAnyOrder(north.id(), south.id());

        ZkCli zkCli = new ZkCli(cluster);
        String allInstances = zkCli.text("/jobs/job/config");
        zkCli.write("/jobs/job/config", allInstances.replaceFirst("\\}$", ",\"requiredInstances\":\"zone=north\"}"));
        cluster.advance(Duration.ofSeconds(1));
        runs.clear();
        cluster.advance(PERIOD.multipliedBy(4));
        assertThat(runs.values()).isNotEmpty().allMatch(Set.of(north.id())::equals);

        Instant back = cluster.now();
        zkCli.write("/jobs/job/config", allInstances);
        runs.clear();
        cluster.advance(PERIOD.multipliedBy(4));
        assertThat(runs.keySet()).as("fires before the return are not due").allMatch(fire -> !fire.isBefore(back));
        assertThat(runs.values()).isNotEmpty().allMatch(ids(cluster)::equals);
        south.kill();
        cluster.advance(LONG);
        assertThat(records(cluster)).containsExactly(north.id());
    }

    @Test
    void instanceIsDisabledAndReleasedByItsId(TestCluster cluster) {
        List<String> failing =
                new ArrayList<>(List.of(cluster.instances().get(2).id()));
        cluster.schedule(
                context -> {
                    record(context);
                    if (failing.contains(context.instanceId())) {
                        throw new IllegalStateException("on purpose");
                    }
                },
                job().schedule(Schedule.fixedRate(PERIOD)).quarantineAfter(2).build());
        String disabled = cluster.instances().get(0).id();
        cluster.amend("job", override -> override.withDisabledItems(Set.of(disabled)));
        cluster.advance(PERIOD.multipliedBy(4));
        runs.clear();
        cluster.advance(PERIOD.multipliedBy(2));
        String running = cluster.instances().get(1).id();
        String quarantined = failing.remove(0);
        assertThat(runs.values()).isNotEmpty().allMatch(Set.of(running)::equals);

        cluster.instances()
                .get(0)
                .commands()
                .execute(new Command.ReleaseItem("job", quarantined), CommandOptions.by("test"));
        cluster.advance(PERIOD);
        runs.clear();
        cluster.advance(PERIOD.multipliedBy(2));
        assertThat(runs.values()).isNotEmpty().allMatch(Set.of(running, quarantined)::equals);
    }

    /** The id of a dead instance is never used again, so the next change of the override removes it. */
    @Test
    void nextOverrideChangeDropsADisabledInstanceThatDied(@Instances(3) TestCluster cluster) {
        cluster.schedule(this::record, periodic());
        String living = cluster.instances().get(0).id();
        String gone = cluster.instances().get(2).id();
        cluster.amend("job", override -> override.withDisabledItems(Set.of(living, gone, "7")));
        cluster.amend("job", override -> override.withPaused(true));
        ZkCli zkCli = new ZkCli(cluster);
        assertThat(zkCli.text("/jobs/job/override")).contains(living, gone, "\"7\"");
        cluster.instances().get(2).kill();
        cluster.advance(LONG);
        assertThat(zkCli.text("/jobs/job/override")).contains(living, gone);

        cluster.amend("job", override -> override.withPaused(false));
        assertThat(zkCli.text("/jobs/job/override")).contains(living, "\"7\"").doesNotContain(gone);
        runs.clear();
        cluster.advance(PERIOD.multipliedBy(2));
        assertThat(runs.values())
                .isNotEmpty()
                .allMatch(Set.of(cluster.instances().get(1).id())::equals);
    }

    /** Nodes of the dead instances do not affect the new one. */
    @Test
    void newInstanceRunsAfterAllOthersHaveDied(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> {
                    record(context);
                    if (context.triggerParameters().containsKey("die")) {
                        cluster.instance(context.instanceId()).kill();
                    }
                },
                periodic());
        cluster.trigger("job", Map.of("die", ""));
        cluster.advance(LONG);
        runs.clear();
        cluster.join();
        cluster.advance(LONG.multipliedBy(10));

        assertThat(runs.values()).isNotEmpty().allMatch(ids(cluster)::equals);
        assertThat(records(cluster)).isEqualTo(ids(cluster)).hasSize(1);
        assertThat(cluster.tree().children("/triggers")).isEmpty();
    }

    @Test
    void onceListenersAreCalledForTheFireOfAKilledInstance(TestCluster cluster) {
        List<String> calls = new ArrayList<>();
        Set<String> all = ids(cluster);
        String dying = cluster.instances().get(1).id();
        JobConfiguration configuration = periodic();
        for (TestCluster.Instance instance : cluster.instances()) {
            instance.engine()
                    .register(
                            (SimpleJob) context -> {
                                record(context);
                                if (context.instanceId().equals(dying) && runs.size() == 2) {
                                    instance.kill();
                                }
                            },
                            configuration,
                            JobOptions.none().listeners(new OnceListener() {
                                @Override
                                public void beforeFirst(JobFire fire) {
                                    calls.add("before " + fire.fireTime() + " " + fire.items());
                                }

                                @Override
                                public void afterLast(JobFire fire, Map<String, ItemOutcome> outcomes) {
                                    calls.add("after " + fire.fireTime() + " " + new TreeMap<>(outcomes));
                                }
                            }));
        }
        cluster.advance(LONG.multipliedBy(2));

        assertThat(calls).doesNotHaveDuplicates();
        runs.keySet().forEach(fire -> assertThat(calls)
                .filteredOn(line -> line.startsWith("after " + fire))
                .as("ends of the fire of " + fire)
                .hasSizeLessThanOrEqualTo(1));
        long ended = calls.stream().filter(line -> line.startsWith("after")).count();
        assertThat(ended).isGreaterThan(runs.size() - 2L);
        assertThat(calls).anyMatch(line -> line.startsWith("after") && line.contains(dying + "=INTERRUPTED"));
        assertThat(all).contains(dying);
    }

    @Test
    void runsAreNumberedAmongTheInstancesThatTakePart(TestCluster cluster) {
        cluster.schedule(this::record, periodic());
        cluster.advance(PERIOD);
        assertThat(numbersOfTheLatestFire()).isEqualTo(Map.of(3, Set.of(0, 1, 2)));

        cluster.join();
        cluster.advance(LONG);
        assertThat(numbersOfTheLatestFire()).isEqualTo(Map.of(4, Set.of(0, 1, 2, 3)));

        cluster.instances().get(0).kill();
        cluster.instances().get(2).close();
        cluster.advance(LONG.multipliedBy(2));
        assertThat(numbersOfTheLatestFire()).isEqualTo(Map.of(2, Set.of(0, 1)));
    }

    private Map<Integer, Set<Integer>> numbersOfTheLatestFire() {
        String latest = runs.keySet().stream().max(Instant::compareTo).orElseThrow() + " of ";
        Map<Integer, Set<Integer>> found = new TreeMap<>();
        numbers.forEach((fire, all) -> {
            if (fire.startsWith(latest)) {
                found.put(Integer.valueOf(fire.substring(latest.length())), all);
            }
        });
        return found;
    }
}
