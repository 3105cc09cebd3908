package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.Health;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.Command;
import io.ostraka.fixtures.CapturedLog;
import io.ostraka.fixtures.Eventually;
import io.ostraka.fixtures.ExpectedErrors;
import io.ostraka.lite.Operator;
import io.ostraka.lite.RegistryBuilder;
import io.ostraka.lite.ScheduleJobBootstrap;
import io.ostraka.lite.ZooKeeperRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
@Timeout(300)
@ExpectedErrors("not registered at ZooKeeper")
class HealthScenariosTest {
    private static final Schedule OFTEN = Schedule.fixedRate(Duration.ofMillis(200));
    /** Session timeout that the test's outage exceeds. */
    private static final Duration SHORT = Duration.ofSeconds(2);

    @TempDir
    Path directory;

    private static RegistryBuilder registry(Server server) {
        return ZooKeeperRegistry.newBuilder(server.servers(), "health")
                .sessionTimeout(Duration.ofSeconds(6))
                .connectionTimeout(Duration.ofSeconds(2));
    }

    private static JobConfiguration.Builder job(String name) {
        return JobConfiguration.newBuilder(name, 2).schedule(OFTEN);
    }

    /** Guards against jobs that stop for a day without any report. */
    @Test
    void reportsHealthChangesDespiteFailingListener() throws Exception {
        List<Health> reports = new CopyOnWriteArrayList<>();
        Runs runs = new Runs();
        try (CapturedLog log = new CapturedLog();
                Server server = new Server(directory);
                ZooKeeperRegistry registry = registry(server)
                        .healthListener(health -> {
                            throw new StackOverflowError("on purpose");
                        })
                        .healthListener(reports::add)
                        .connect()) {
            new ScheduleJobBootstrap(registry, runs.recording(), job("told").build()).schedule();
            assertThat(registry.health().jobs()).containsOnlyKeys("told");
            runs.awaitMore(4, run -> true);
            Eventually.holds("good health", () -> reports.stream().anyMatch(Health::good));

            Operator.execute(registry, new Command.Pause("told"));
            Eventually.holds("a report of the pause", () -> reported(reports, Kind.PAUSED));
            Operator.execute(registry, new Command.Resume("told"));
            Eventually.holds("a report of good health", () -> reports.get(reports.size() - 1)
                    .good());
            assertThat(registry.health().good()).isTrue();
            registry.close();
            assertThat(log.text()).contains("a health listener failed", "StackOverflowError");
        }
    }

    private static boolean reported(List<Health> reports, Kind kind) {
        return reports.stream()
                .flatMap(health -> health.jobs().values().stream())
                .anyMatch(job -> job.reason(kind).isPresent());
    }

    /**
     * Guards against an application that needs a restart because it started before ZooKeeper or because an outage
     * outlasted its session. Also guards against jobs that never run because they were registered during the outage.
     */
    @Test
    void reportsHealthWithoutZooKeeperAndStartsJobsLater() throws Exception {
        Map<String, Runs> runs = new TreeMap<>();
        int port;
        try (Server server = new Server(directory)) {
            port = server.port();
        }
        List<Health> reports = new CopyOnWriteArrayList<>();
        try (ZooKeeperRegistry registry = ZooKeeperRegistry.newBuilder("127.0.0.1:" + port, "health")
                .sessionTimeout(SHORT)
                .connectionTimeout(Duration.ofSeconds(1))
                .healthListener(reports::add)
                .connect()) {
            schedule(registry, "early", runs);
            Health health = registry.health();
            assertThat(health.connected()).isFalse();
            assertThat(health.jobs().get("early").reason(Kind.NOT_REGISTERED)).isPresent();
            Eventually.holds("a report to the listener", () -> reported(reports, Kind.NOT_REGISTERED));
            awaitReason(registry);
            schedule(registry, "before-zookeeper", runs);
            try (Server server = new Server(directory, port)) {
                assertAllRun(registry, runs);
            }
            String before = registry.instanceId().orElseThrow();
            Eventually.holds("the loss to be noticed", () -> !registry.health().connected());
            schedule(registry, "during-the-outage", runs);
            awaitReason(registry);
            assertThat(registry.health().jobs().get("during-the-outage").reason(Kind.NOT_REGISTERED))
                    .isPresent();
            try (Server server = new Server(directory, port)) {
                assertAllRun(registry, runs);
                assertThat(registry.instanceId().orElseThrow())
                        .as("instance id of the next session")
                        .isNotEqualTo(before);
                registry.close();
            }
        }
        // if the outage interrupted a run, another attempt follows; no attempt runs twice
        runs.forEach((job, all) -> assertThat(
                        all.all().stream().map(run -> run.fire() + " item " + run.item() + " attempt " + run.attempt()))
                .as(job)
                .doesNotHaveDuplicates());
    }

    private static void schedule(ZooKeeperRegistry registry, String job, Map<String, Runs> runs) {
        Runs own = runs.computeIfAbsent(job, name -> new Runs());
        new ScheduleJobBootstrap(registry, own.recording(), job(job).build()).schedule();
    }

    /**
     * Waits until health reports the reason. The engine looks for it only after two failed checks, 5 s apart; by then
     * every session has expired.
     */
    private static void awaitReason(ZooKeeperRegistry registry) {
        Eventually.holds(
                "the reason to be found",
                () -> String.valueOf(registry.health().problem()).contains("is not listening"));
    }

    private static void assertAllRun(ZooKeeperRegistry registry, Map<String, Runs> runs) throws InterruptedException {
        for (Runs job : runs.values()) {
            job.awaitMore(4, run -> true);
        }
        Eventually.holds("good health", () -> registry.health().good());
    }

    /** Guards against one team's sharding strategy that blocks the whole scheduler. */
    @Test
    void hangingStrategyBlocksOnlyItsOwnJobAndIsReported() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Runs steady = new Runs();
        JobShardingStrategy blocking = new JobShardingStrategy() {
            @Override
            public String type() {
                return "BLOCKING";
            }

            @Override
            public Map<String, List<String>> shard(Request request) {
                try {
                    release.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                return Map.of(request.instances().get(0).id(), request.items());
            }
        };
        Runs late = new Runs();
        try (Server server = new Server(directory);
                ZooKeeperRegistry first =
                        registry(server).shardingStrategy(blocking).connect()) {
            new ScheduleJobBootstrap(
                            first,
                            late.recording(),
                            job("stuck").shardingStrategy("BLOCKING").build())
                    .schedule();
            new ScheduleJobBootstrap(first, steady.recording(), job("steady").build()).schedule();
            steady.awaitMore(4, run -> true);
            try (ZooKeeperRegistry second =
                    registry(server).shardingStrategy(blocking).connect()) {
                new ScheduleJobBootstrap(
                                second, steady.recording(), job("steady").build())
                        .schedule();
                steady.await(
                        "the newcomer to get its item",
                        all -> second.instanceId().isPresent()
                                && all.stream().anyMatch(run -> run.instance()
                                        .equals(second.instanceId().get())));
            }
            assertThat(late.all()).isEmpty();
            Eventually.holds("the strategy to be named", () -> first.health()
                    .jobs()
                    .get("stuck")
                    .reason(Kind.PLAN_REFUSED)
                    .filter(reason -> reason.text().contains("has not answered"))
                    .isPresent());
            release.countDown();
            late.awaitMore(4, run -> true);
            Eventually.holds("good health", () -> first.health().good());
        }
        steady.assertNothingRanTwice();
    }
}
