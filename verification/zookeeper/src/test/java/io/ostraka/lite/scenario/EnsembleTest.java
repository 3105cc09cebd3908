package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobRun;
import io.ostraka.api.OwnershipLostException;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.operations.Operations;
import io.ostraka.fixtures.Eventually;
import io.ostraka.lite.OneOffJobBootstrap;
import io.ostraka.lite.ZooKeeperRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests instances while connections between the servers of an ensemble fail. */
@Tag("cluster")
@Timeout(300)
class EnsembleTest {
    private static final Duration LIMIT = Duration.ofSeconds(90);

    private static Ensemble ensemble;

    @BeforeAll
    static void start(@TempDir Path directory) throws IOException {
        ensemble = new Ensemble(directory);
    }

    @AfterAll
    static void stop() {
        ensemble.close();
    }

    private static ZooKeeperRegistry registry(String servers, String namespace, Duration sessionTimeout) {
        return ZooKeeperRegistry.newBuilder(servers, namespace)
                .sessionTimeout(sessionTimeout)
                .retryPause(Duration.ofMillis(100))
                .shutdownHook(false)
                .connect();
    }

    private static String idOf(ZooKeeperRegistry registry) {
        Eventually.holds("a session", () -> registry.instanceId().isPresent());
        return registry.instanceId().orElseThrow();
    }

    /**
     * An isolated follower continues to answer, but may not know the present owner. The ownership clock is therefore
     * only a hint; only the fencing token makes the follower's client harmless.
     */
    @Test
    void ownerOnIsolatedFollowerIsReplacedAndFenced() throws Exception {
        Duration session = Duration.ofSeconds(12);
        FencedStore store = new FencedStore();
        CompletableFuture<String> first = new CompletableFuture<>();
        CountDownLatch takenOver = new CountDownLatch(1);
        CompletableFuture<Boolean> lateWrite = new CompletableFuture<>();
        CompletableFuture<String> ownership = new CompletableFuture<>();
        int leader = ensemble.awaitLeader();
        int follower = IntStream.range(0, 3)
                .filter(server -> server != leader)
                .findFirst()
                .orElseThrow();
        try (ZooKeeperRegistry owner = registry(ensemble.server(follower), "cut-off", session);
                ZooKeeperRegistry other = registry(ensemble.server(leader), "cut-off", session)) {
            Runs runs = new Runs();
            OneOffJobBootstrap[] jobs = new OneOffJobBootstrap[2];
            String ownerId = idOf(owner);
            for (ZooKeeperRegistry registry : List.of(owner, other)) {
                jobs[registry == owner ? 0 : 1] = new OneOffJobBootstrap(
                        registry,
                        runs.recording(context -> {
                            assertThat(store.write(context.fencingToken())).isTrue();
                            if (context.attempt() > 1) {
                                takenOver.countDown();
                            } else if (context.triggerParameters().containsKey("hold")) {
                                first.complete(context.instanceId());
                                ownership.complete(ownership(context, takenOver));
                                lateWrite.complete(store.write(context.fencingToken()));
                            }
                        }),
                        JobConfiguration.newBuilder("single", 1).build());
                jobs[0].execute().await(LIMIT); // now the first instance owns the item
            }
            // a write to the isolated follower would hold up the answers to all later requests of its session
            Eventually.holds("the health of both instances is published", () -> published(other));
            JobRun run = jobs[1].execute(Map.of("hold", "yes"));
            assertThat(first.get(90, TimeUnit.SECONDS)).isEqualTo(ownerId);
            ensemble.part(follower, leader);

            assertThat(run.await(LIMIT).values()).containsOnly(ItemOutcome.SUCCEEDED);
            assertThat(lateWrite.get(90, TimeUnit.SECONDS))
                    .as("late write accepted")
                    .isFalse();
            assertThat(runs.all().stream().filter(ran -> ran.attempt() == 2))
                    .singleElement()
                    .matches(ran -> ran.instance().equals(idOf(other)));
            // the follower still answered, so the ownership clock had not expired
            assertThat(ownership.get(90, TimeUnit.SECONDS)).isEqualTo("still the owner");

            ensemble.heal();
            Eventually.holds("the owner's next session", () -> !idOf(owner).equals(ownerId));
            assertThat(jobs[0].execute().await(LIMIT).values()).containsOnly(ItemOutcome.SUCCEEDED);
        }
    }

    /** Returns true if every instance has published good health, so that none of them will write its health again. */
    private static boolean published(ZooKeeperRegistry registry) {
        Operations operations = registry.operations();
        return operations.instances().size() == 2
                && operations.instances().stream().allMatch(instance -> instance.healthGap() == null)
                && operations.jobs().stream().allMatch(job -> job.health().isEmpty());
    }

    /** Returns the result of an ownership check right after another instance took over. */
    private static String ownership(ShardingContext context, CountDownLatch takenOver) {
        try {
            takenOver.await();
            context.checkOwnership();
            return "still the owner";
        } catch (InterruptedException | OwnershipLostException e) {
            return "interrupted: " + e;
        }
    }
}
