package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobRun;
import io.ostraka.api.Scope;
import io.ostraka.api.SessionLossPolicy;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.fixtures.Eventually;
import io.ostraka.fixtures.net.Direction;
import io.ostraka.fixtures.net.ZooKeeperProxy;
import io.ostraka.lite.OneOffJobBootstrap;
import io.ostraka.lite.ZooKeeperRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Guards against broadcasts that leave out an instance after it was cut off, and against jobs that stop because a data
 * centre is lost.
 */
@Tag("cluster")
@Timeout(300)
class ScopesOnZooKeeperTest {
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final String RECORDS = "/jobs/job/sharding";

    @TempDir
    Path directory;

    private final CountDownLatch inside = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    private static ZooKeeperRegistry registry(String servers, String zone, Duration sessionTimeout) {
        return ZooKeeperRegistry.newBuilder(servers, "scopes")
                .zone(zone)
                .sessionTimeout(sessionTimeout)
                .connectionTimeout(Duration.ofSeconds(1))
                .retryPause(Duration.ofMillis(100))
                .shutdownHook(false)
                .connect();
    }

    private static JobConfiguration job(Scope scope) {
        return JobConfiguration.newBuilder("job", 1)
                .scope(scope)
                .sessionLoss(SessionLossPolicy.KEEP_RUNNING)
                .build();
    }

    /**
     * Saves a checkpoint and waits for its release, but only in the first attempt at the item that the trigger names.
     */
    private void run(ShardingContext context) throws InterruptedException {
        if (context.triggerParameters().containsKey("stay")
                && context.itemKey().endsWith(context.triggerParameters().get("stay"))
                && context.attempt() == 1) {
            context.saveCheckpoint(new byte[] {1});
            inside.countDown();
            assertThat(released.await(90, TimeUnit.SECONDS)).isTrue();
        }
    }

    private Map<String, ItemOutcome> untilBoth(OneOffJobBootstrap job) throws InterruptedException {
        Map<String, ItemOutcome> outcomes = Map.of();
        while (outcomes.size() != 2 || !Set.copyOf(outcomes.values()).equals(Set.of(ItemOutcome.SUCCEEDED))) {
            outcomes = job.execute().await(LIMIT);
        }
        return outcomes;
    }

    @Test
    void broadcastContinuesWithoutInstanceCutOffInMidRun() throws Exception {
        try (Server server = new Server(directory);
                ZooKeeperProxy proxy = new ZooKeeperProxy(server.port());
                Server.Bystander bystander = server.bystander("scopes");
                ZooKeeperRegistry cutOff = registry(proxy.connectString(), "", Duration.ofSeconds(10));
                ZooKeeperRegistry other = registry(server.servers(), "", Duration.ofSeconds(20))) {
            new OneOffJobBootstrap(cutOff, (SimpleJob) this::run, job(Scope.BROADCAST));
            OneOffJobBootstrap job = new OneOffJobBootstrap(other, (SimpleJob) this::run, job(Scope.BROADCAST));
            assertThat(untilBoth(job)).containsOnlyKeys(id(cutOff), id(other));

            String before = id(cutOff);
            JobRun run = job.execute(Map.of("stay", before));
            assertThat(inside.await(90, TimeUnit.SECONDS)).isTrue();
            proxy.hold(Direction.TO_SERVER);
            proxy.hold(Direction.TO_CLIENT);

            assertThat(run.await(LIMIT))
                    .isEqualTo(
                            new TreeMap<>(Map.of(before, ItemOutcome.INTERRUPTED, id(other), ItemOutcome.SUCCEEDED)));
            Eventually.holds("the deletion of its record", () -> bystander.paths(RECORDS).stream()
                    .noneMatch(path -> path.contains(before)));
            proxy.heal();
            Eventually.holds("another session", () -> !id(cutOff).equals(before));
            assertThat(job.execute().await(LIMIT))
                    .as("outcomes before its run has returned")
                    .containsOnlyKeys(id(other));

            released.countDown();
            assertThat(untilBoth(job)).containsOnlyKeys(id(cutOff), id(other));
            assertThat(cutOff.metrics().jobs().get("job").fenced()).isEqualTo(1);
            assertThat(bystander.paths(RECORDS))
                    .containsOnly(RECORDS, RECORDS + "/" + id(cutOff), RECORDS + "/" + id(other));
            assertThat(bystander.paths("/triggers")).containsOnly("/triggers");
            Eventually.holds("health", () -> cutOff.health().jobs().get("job").status() == JobHealth.Status.RUNNING);
        }
    }

    @Test
    void otherZoneFinishesRunOfLostZoneOnce() throws Exception {
        try (Server server = new Server(directory);
                ZooKeeperProxy proxy = new ZooKeeperProxy(server.port());
                Server.Bystander bystander = server.bystander("scopes");
                ZooKeeperRegistry lost = registry(proxy.connectString(), "north", Duration.ofSeconds(10));
                ZooKeeperRegistry other = registry(server.servers(), "south", Duration.ofSeconds(20))) {
            new OneOffJobBootstrap(lost, (SimpleJob) this::run, job(Scope.ONE_PER_ZONE));
            OneOffJobBootstrap job = new OneOffJobBootstrap(other, (SimpleJob) this::run, job(Scope.ONE_PER_ZONE));
            assertThat(untilBoth(job)).containsOnlyKeys("north", "south");

            JobRun run = job.execute(Map.of("stay", "north"));
            assertThat(inside.await(90, TimeUnit.SECONDS)).isTrue();
            proxy.hold(Direction.TO_SERVER);
            proxy.hold(Direction.TO_CLIENT);

            assertThat(run.await(LIMIT))
                    .isEqualTo(Map.of("north", ItemOutcome.SUCCEEDED, "south", ItemOutcome.SUCCEEDED));
            assertThat(bystander.text(RECORDS + "/north")).contains("\"attempt\":2", "\"owner\":\"" + id(other));
            Eventually.holds(
                    "a plan without the zone", () -> !bystander.text(RECORDS).contains("north"));
            assertThat(job.execute().await(LIMIT)).containsOnlyKeys("south");

            proxy.heal();
            released.countDown();
            assertThat(untilBoth(job)).containsOnlyKeys("north", "south");
            assertThat(bystander.text(RECORDS + "/north")).contains("\"owner\":\"" + id(lost));
        }
    }

    private static String id(ZooKeeperRegistry registry) {
        return registry.instanceId().orElse("");
    }
}
