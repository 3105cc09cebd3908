package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.Health;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.Schedule;
import io.ostraka.lite.RegistryBuilder;
import io.ostraka.lite.ScheduleJobBootstrap;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.testkit.CapturedLog;
import io.ostraka.testkit.ExpectedErrors;
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
    /** A session timeout that an outage can outlast. */
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

    /** Those whose jobs stood still for a day before anyone noticed, because nothing said so. */
    @Test
    void whatChangesIsToldToListenersAndAFailingListenerHindersNothing() throws Exception {
        List<Health> told = new CopyOnWriteArrayList<>();
        Runs runs = new Runs();
        try (CapturedLog log = new CapturedLog();
                Server server = new Server(directory);
                ZooKeeperRegistry registry = registry(server)
                        .healthListener(health -> {
                            throw new StackOverflowError("on purpose");
                        })
                        .healthListener(told::add)
                        .connect()) {
            new ScheduleJobBootstrap(registry, runs.recording(), job("told").build()).schedule();
            assertThat(registry.health().jobs()).containsOnlyKeys("told");
            runs.awaitMore(4, run -> true);
            Eventually.holds("a good word", () -> told.stream().anyMatch(Health::good));

            registry.pause("told");
            Eventually.holds("the pause to be told", () -> reported(told, Kind.PAUSED));
            registry.resume("told");
            Eventually.holds(
                    "its end to be told", () -> told.get(told.size() - 1).good());
            assertThat(registry.health().good()).isTrue();
            registry.close();
            assertThat(log.text()).contains("a health listener failed", "StackOverflowError");
        }
    }

    private static boolean reported(List<Health> told, Kind kind) {
        return told.stream().flatMap(health -> health.jobs().values().stream()).anyMatch(job -> job.reason(kind)
                .isPresent());
    }

    /**
     * Those whose application needed a restart because it had come up before ZooKeeper, or because ZooKeeper was away for
     * longer than a session lasts; and whose jobs that were registered meanwhile never ran.
     */
    @Test
    void withoutZooKeeperHealthAnswersAtOnceAndJobsStartWhenItComes() throws Exception {
        Map<String, Runs> runs = new TreeMap<>();
        int port;
        try (Server server = new Server(directory)) {
            port = server.port();
        }
        List<Health> told = new CopyOnWriteArrayList<>();
        try (ZooKeeperRegistry registry = ZooKeeperRegistry.newBuilder("127.0.0.1:" + port, "health")
                .sessionTimeout(SHORT)
                .connectionTimeout(Duration.ofSeconds(1))
                .healthListener(told::add)
                .connect()) {
            schedule(registry, "early", runs);
            Health health = registry.health();
            assertThat(health.connected()).isFalse();
            assertThat(health.jobs().get("early").reason(Kind.NOT_REGISTERED)).isPresent();
            Eventually.holds("the listener to know", () -> reported(told, Kind.NOT_REGISTERED));
            awaitReason(registry);
            schedule(registry, "before-zookeeper", runs);
            try (Server server = new Server(directory, port)) {
                assertAllRun(registry, runs);
            }
            String before = registry.instanceId().orElseThrow();
            Eventually.holds("the loss to be known", () -> !registry.health().connected());
            schedule(registry, "during-the-outage", runs);
            awaitReason(registry);
            assertThat(registry.health().jobs().get("during-the-outage").reason(Kind.NOT_REGISTERED))
                    .isPresent();
            try (Server server = new Server(directory, port)) {
                assertAllRun(registry, runs);
                assertThat(registry.instanceId().orElseThrow())
                        .as("another session's")
                        .isNotEqualTo(before);
                registry.close();
            }
        }
        // an attempt that the outage cut off is made again; none is made twice
        runs.forEach((job, all) -> assertThat(
                        all.all().stream().map(run -> run.fire() + " item " + run.item() + " attempt " + run.attempt()))
                .as(job)
                .doesNotHaveDuplicates());
    }

    private static void schedule(ZooKeeperRegistry registry, String job, Map<String, Runs> runs) {
        Runs own = runs.computeIfAbsent(job, name -> new Runs());
        new ScheduleJobBootstrap(registry, own.recording(), job(job).build()).schedule();
    }

    /** The reason is looked for when two checks, 5 s apart, have found no connection: by then every session is over. */
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

    /** Those whose whole scheduler stood still in one team's sharding strategy. */
    @Test
    void aStrategyThatNeverAnswersHoldsUpItsOwnJobAloneAndIsNamed() throws Exception {
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
