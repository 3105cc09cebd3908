package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobRun;
import io.ostraka.api.Schedule;
import io.ostraka.fixtures.Eventually;
import io.ostraka.lite.OneOffJobBootstrap;
import io.ostraka.lite.ScheduleJobBootstrap;
import io.ostraka.lite.TestingServers;
import io.ostraka.lite.ZooKeeperRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests instances while a server of an ensemble restarts. */
@Tag("cluster")
@Timeout(300)
class RollingServersTest {
    private static final Duration LIMIT = Duration.ofSeconds(90);

    @TempDir
    private Path directory;

    private static ZooKeeperRegistry registry(TestingCluster ensemble, Duration sessionTimeout) {
        return ZooKeeperRegistry.newBuilder(ensemble.getConnectString(), "restart")
                .sessionTimeout(sessionTimeout)
                .retryPause(Duration.ofMillis(100))
                .shutdownHook(false)
                .connect();
    }

    private static String idOf(ZooKeeperRegistry registry) {
        Eventually.holds("a session", () -> registry.instanceId().isPresent());
        return registry.instanceId().orElseThrow();
    }

    private static InstanceSpec awaitLeader(TestingCluster ensemble) {
        Eventually.holds("a leading server", () -> leader(ensemble).isPresent());
        return leader(ensemble).orElseThrow();
    }

    private static Optional<InstanceSpec> leader(TestingCluster ensemble) {
        return ensemble.getInstances().stream()
                .filter(server -> mode(server).equals("leader"))
                .findFirst();
    }

    private static String mode(InstanceSpec server) {
        return Ensemble.mode(server.getPort());
    }

    /** Scenario 8. Guards against a storm of failovers at every upgrade of ZooKeeper. */
    @Test
    void restartOfLeadingServerCostsNoSessionItemOrRun() throws Exception {
        Runs held = new Runs();
        Runs ticks = new Runs();
        CountDownLatch started = new CountDownLatch(4);
        CountDownLatch released = new CountDownLatch(1);
        Duration session = Duration.ofSeconds(30); // an election takes a second or two, or longer on a slow machine
        try (TestingCluster ensemble = TestingServers.cluster(directory, 3);
                ZooKeeperRegistry one = registry(ensemble, session);
                ZooKeeperRegistry two = registry(ensemble, session);
                Server.Bystander bystander =
                        new Server.Bystander(Server.store(ensemble.getConnectString(), "restart", session))) {
            OneOffJobBootstrap job = null;
            for (ZooKeeperRegistry registry : List.of(one, two)) {
                job = new OneOffJobBootstrap(
                        registry,
                        held.recording(context -> {
                            started.countDown();
                            released.await();
                        }),
                        JobConfiguration.newBuilder("held", 4).build());
                new ScheduleJobBootstrap(
                                registry,
                                ticks.recording(),
                                JobConfiguration.newBuilder("ticking", 4)
                                        .schedule(Schedule.fixedRate(Duration.ofMillis(200)))
                                        .build())
                        .schedule();
            }
            List<String> ids = List.of(idOf(one), idOf(two));
            ticks.await("runs on both", all -> ids.stream()
                    .allMatch(id -> all.stream().anyMatch(run -> run.instance().equals(id))));
            Eventually.holds( // one plan may include an instance earlier than the other plan
                    "a plan with both", () -> ids.stream().allMatch(bystander.text("/jobs/held/sharding")::contains));
            JobRun run = job.execute();
            assertThat(started.await(90, TimeUnit.SECONDS)).isTrue();
            String plans = plans(bystander);

            InstanceSpec leader = awaitLeader(ensemble);
            assertThat(ensemble.killServer(leader)).isTrue();
            assertThat(awaitLeader(ensemble)).isNotEqualTo(leader);
            ticks.awaitMore(8, tick -> true);
            assertThat(ensemble.restartServer(leader)).isTrue();
            Eventually.holds("the server to serve again", () -> !mode(leader).isEmpty());
            for (String id : ids) {
                ticks.awaitMore(8, tick -> tick.instance().equals(id));
            }

            assertThat(List.of(idOf(one), idOf(two))).isEqualTo(ids);
            assertThat(plans(bystander)).isEqualTo(plans);
            released.countDown();
            assertThat(run.await(LIMIT).values()).hasSize(4).containsOnly(ItemOutcome.SUCCEEDED);
        }
        assertThat(held.all()).hasSize(4).allMatch(run -> run.attempt() == 1);
        assertThat(ticks.all()).allMatch(run -> run.attempt() == 1);
        ticks.assertNothingRanTwice();
    }

    /** Returns the plans with their versions, and the failover nodes. */
    private static String plans(Server.Bystander bystander) {
        StringBuilder all = new StringBuilder();
        for (String job : List.of("held", "ticking")) {
            all.append(bystander.text("/jobs/" + job + "/sharding"))
                    .append(bystander
                            .node("/jobs/" + job + "/sharding")
                            .orElseThrow()
                            .version())
                    .append(bystander.paths("/jobs/" + job + "/failover"));
        }
        return all.toString();
    }
}
