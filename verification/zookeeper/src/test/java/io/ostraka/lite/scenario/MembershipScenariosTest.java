package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobRun;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.Command;
import io.ostraka.fixtures.Eventually;
import io.ostraka.lite.OneOffJobBootstrap;
import io.ostraka.lite.Operator;
import io.ostraka.lite.ScheduleJobBootstrap;
import io.ostraka.lite.ZooKeeperRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
@Timeout(300)
class MembershipScenariosTest {
    private static Server server;

    @BeforeAll
    static void start(@TempDir Path directory) {
        server = new Server(directory);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static ZooKeeperRegistry registry(String namespace) {
        return ZooKeeperRegistry.newBuilder(server.servers(), namespace)
                .sessionTimeout(Duration.ofSeconds(30))
                .connect();
    }

    /** Scenario 5. Guards against a second instance that runs the finished items of a leaving instance again. */
    @Test
    void itemsFinishedByLeavingInstanceAreNotRunAgain() throws Exception {
        Runs runs = new Runs();
        CountDownLatch release = new CountDownLatch(1);
        JobConfiguration job = JobConfiguration.newBuilder("leaving", 4).build();
        try (ZooKeeperRegistry staying = registry("leaving");
                ZooKeeperRegistry leaving = registry("leaving")) {
            OneOffJobBootstrap stays = new OneOffJobBootstrap(
                    staying,
                    runs.recording(context -> {
                        if (context.triggerParameters().containsKey("wait")) {
                            release.await();
                        }
                    }),
                    job);
            OneOffJobBootstrap leaves = new OneOffJobBootstrap(leaving, runs.recording(), job);
            // both instances own items before the run under test
            stays.execute().await(Duration.ofSeconds(60));
            runs.await("both instances", all -> {
                if (all.stream().map(Runs.Ran::instance).distinct().count() < 2) {
                    stays.execute();
                    return false;
                }
                return true;
            });
            JobRun first = stays.execute(java.util.Map.of("wait", "yes"));
            String leaver = leaving.instanceId().orElseThrow();
            runs.await(
                    "all items of the run",
                    all -> all.stream()
                                    .filter(run -> run.fire().equals(first.runId()))
                                    .count()
                            == 4);
            Set<Integer> finished = runs.all().stream()
                    .filter(run ->
                            run.fire().equals(first.runId()) && run.instance().equals(leaver))
                    .map(Runs.Ran::item)
                    .collect(Collectors.toSet());
            assertThat(finished).isNotEmpty();
            leaves.close();
            JobRun second = stays.execute();
            runs.await("the survivor to have the leaver's items", all -> all.stream()
                    .filter(run -> run.fire().equals(second.runId()))
                    .map(Runs.Ran::item)
                    .collect(Collectors.toSet())
                    .containsAll(finished));
            release.countDown();
            assertThat(first.await(Duration.ofSeconds(60))).hasSize(4);
            assertThat(second.await(Duration.ofSeconds(60))).hasSize(4);
        }
        runs.assertNothingRanTwice();
    }

    /** Scenario 18: containers restart with the same address and process id, and deployments are frequent. */
    @Test
    void fiftyGenerationsLeaveNoNodeAndTwinsStayDistinct() throws Exception {
        Runs runs = new Runs();
        JobConfiguration job = JobConfiguration.newBuilder("generations", 2)
                .schedule(Schedule.fixedRate(Duration.ofMillis(100)))
                .build();
        TreeSet<String> afterFirst = new TreeSet<>();
        try (Server.Bystander bystander = server.bystander("generations")) {
            for (int generation = 0; generation < 50; generation++) {
                try (ZooKeeperRegistry registry = registry("generations");
                        ZooKeeperRegistry twin = registry("generations")) {
                    new ScheduleJobBootstrap(registry, runs.recording(), job).schedule();
                    if (generation % 10 == 0) {
                        new ScheduleJobBootstrap(twin, runs.recording(), job).schedule();
                        runs.await(
                                "a run on each twin",
                                all -> registry.instanceId().isPresent()
                                        && twin.instanceId().isPresent()
                                        && all.stream().anyMatch(by(registry))
                                        && all.stream().anyMatch(by(twin)));
                        assertThat(registry.instanceId()).isNotEqualTo(twin.instanceId());
                    } else {
                        runs.await(
                                "a run",
                                all -> registry.instanceId().isPresent()
                                        && all.stream().anyMatch(by(registry)));
                    }
                }
                if (generation == 0) {
                    afterFirst.addAll(bystander.paths("/"));
                }
            }
            assertThat(bystander.paths("/")).isEqualTo(afterFirst);
        }
        runs.assertNothingRanTwice();
    }

    private static java.util.function.Predicate<Runs.Ran> by(ZooKeeperRegistry registry) {
        return run -> run.instance().equals(registry.instanceId().orElseThrow());
    }

    /** Scenario 21. Guards against a trigger that runs only a part of the items, or an item twice. */
    @Test
    void hundredTriggersOnThreeInstancesRunEveryItemOnce() throws Exception {
        Runs runs = new Runs();
        JobConfiguration job = JobConfiguration.newBuilder("hundred", 5).build();
        try (ZooKeeperRegistry one = registry("hundred");
                ZooKeeperRegistry two = registry("hundred");
                ZooKeeperRegistry three = registry("hundred")) {
            OneOffJobBootstrap[] bootstraps = {
                new OneOffJobBootstrap(one, runs.recording(), job),
                new OneOffJobBootstrap(two, runs.recording(), job),
                new OneOffJobBootstrap(three, runs.recording(), job)
            };
            JobRun[] handles = new JobRun[100];
            for (int i = 0; i < handles.length; i++) {
                handles[i] = bootstraps[i % bootstraps.length].execute();
            }
            for (JobRun handle : handles) {
                assertThat(handle.await(Duration.ofSeconds(120))).containsOnlyKeys("0", "1", "2", "3", "4");
            }
        }
        assertThat(runs.all()).hasSize(500);
        runs.assertNothingRanTwice();
    }

    /** Scenario 20. Guards against a removed job that returns as a partial tree that cannot be deleted. */
    @Test
    void jobRemovedWhileRunningEndsAndLeavesNothing() throws Exception {
        Runs runs = new Runs();
        CountDownLatch release = new CountDownLatch(1);
        JobConfiguration job = JobConfiguration.newBuilder("removed", 4)
                .schedule(Schedule.fixedRate(Duration.ofMillis(200)))
                .build();
        try (ZooKeeperRegistry one = registry("removed");
                ZooKeeperRegistry two = registry("removed");
                Server.Bystander bystander = server.bystander("removed")) {
            ScheduleJobBootstrap first = new ScheduleJobBootstrap(one, runs.recording(context -> release.await()), job);
            ScheduleJobBootstrap second =
                    new ScheduleJobBootstrap(two, runs.recording(context -> release.await()), job);
            first.schedule();
            second.schedule();
            runs.await(
                    "all items to run",
                    all -> all.stream().map(Runs.Ran::item).distinct().count() == 4);
            Operator.execute(one, new Command.Remove("removed"));
            Eventually.holds(
                    "the plan to be closed",
                    () -> bystander.text("/jobs/removed/sharding").contains("\"target\":0"));
            release.countDown();
            Eventually.holds(
                    "the tombstone",
                    () -> bystander.text("/jobs/removed/sharding").contains("\"total\":0"));
            int ran = runs.all().size();
            assertThat(ran).isLessThanOrEqualTo(8);
            Attempts.refused(() -> Operator.execute(one, new Command.Purge("removed")), "hosted");
            first.close();
            second.close();
            Attempts.succeeds(() -> Operator.execute(two, new Command.Purge("removed")));
            assertThat(bystander.paths("/jobs")).containsExactly("/jobs");
            // neither a full resync nor a new instance creates nodes of the job again
            try (ZooKeeperRegistry late = registry("removed")) {
                Runs other = new Runs();
                new ScheduleJobBootstrap(
                                late,
                                other.recording(),
                                JobConfiguration.newBuilder("another", 1)
                                        .schedule(Schedule.fixedRate(Duration.ofMillis(100)))
                                        .build())
                        .schedule();
                other.await("another job to run", all -> all.size() > 20);
            }
            assertThat(bystander.paths("/jobs")).noneMatch(path -> path.contains("removed"));
            assertThat(runs.all()).hasSize(ran);
        }
    }
}
