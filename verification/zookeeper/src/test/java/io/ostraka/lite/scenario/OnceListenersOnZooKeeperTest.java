package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobFire;
import io.ostraka.api.JobOptions;
import io.ostraka.api.JobRun;
import io.ostraka.api.OnceListener;
import io.ostraka.api.SimpleJob;
import io.ostraka.fixtures.Eventually;
import io.ostraka.fixtures.net.Direction;
import io.ostraka.fixtures.net.ZooKeeperProxy;
import io.ostraka.lite.OneOffJobBootstrap;
import io.ostraka.lite.ZooKeeperRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Guards against once-listeners that miss a fire, or that two instances call for the same fire, after an instance was
 * cut off during its call.
 */
@Tag("cluster")
@Timeout(300)
class OnceListenersOnZooKeeperTest {
    private static final Duration LIMIT = Duration.ofSeconds(90);

    @TempDir
    Path directory;

    private record Call(String name, String fire, String instance) {}

    private final List<Call> calls = new CopyOnWriteArrayList<>();
    private final CountDownLatch inside = new CountDownLatch(1);
    private final CountDownLatch replaced = new CountDownLatch(1);
    private final AtomicBoolean held = new AtomicBoolean();

    /**
     * Returns a listener. If {@code holds} is true, it blocks the first call before a fire until another instance has
     * made the same call.
     */
    private OnceListener listener(boolean holds) {
        return new OnceListener() {
            @Override
            public Duration timeLimit() {
                return LIMIT;
            }

            @Override
            public void beforeFirst(JobFire fire) throws InterruptedException {
                calls.add(new Call("before", fire.runId(), fire.instanceId()));
                if (holds && held.compareAndSet(false, true)) {
                    inside.countDown();
                    assertThat(replaced.await(90, TimeUnit.SECONDS)).isTrue();
                } else if (inside.getCount() == 0) {
                    replaced.countDown();
                }
            }

            @Override
            public void afterLast(JobFire fire, Map<String, ItemOutcome> outcomes) {
                calls.add(new Call("after " + outcomes.size(), fire.runId(), fire.instanceId()));
            }
        };
    }

    private static ZooKeeperRegistry registry(String servers, Duration sessionTimeout) {
        return ZooKeeperRegistry.newBuilder(servers, "once")
                .sessionTimeout(sessionTimeout)
                .connectionTimeout(Duration.ofSeconds(1))
                .retryPause(Duration.ofMillis(100))
                .shutdownHook(false)
                .connect();
    }

    private OneOffJobBootstrap host(ZooKeeperRegistry registry, boolean holds) {
        return new OneOffJobBootstrap(
                registry,
                (SimpleJob) context -> calls.add(
                        new Call(Integer.toString(context.shardingItem()), context.runId(), context.instanceId())),
                JobConfiguration.newBuilder("told", 2).build(),
                JobOptions.none().listeners(listener(holds)));
    }

    @Test
    void replacesListenerCallerThatWasCutOff() throws Exception {
        try (Server server = new Server(directory);
                ZooKeeperProxy proxy = new ZooKeeperProxy(server.port());
                ZooKeeperRegistry cutOff = registry(proxy.connectString(), Duration.ofSeconds(10));
                ZooKeeperRegistry other = registry(server.servers(), Duration.ofSeconds(20))) {
            host(cutOff, true);
            OneOffJobBootstrap job = host(other, false);
            JobRun run = untilHeld(job);
            proxy.hold(Direction.TO_SERVER);
            proxy.hold(Direction.TO_CLIENT);

            assertThat(run.await(LIMIT).values()).containsOnly(ItemOutcome.SUCCEEDED);
            proxy.heal();

            List<Call> ofFire =
                    calls.stream().filter(each -> each.fire.equals(run.runId())).toList();
            String survivor = other.instanceId().orElseThrow();
            assertThat(ofFire)
                    .extracting(Call::name)
                    .containsExactlyInAnyOrder("before", "before", "0", "1", "after 2");
            assertThat(ofFire)
                    .extracting(Call::name)
                    .startsWith("before", "before")
                    .endsWith("after 2");
            assertThat(ofFire.subList(1, 5)).extracting(Call::instance).containsOnly(survivor);
            assertThat(ofFire.get(0).instance).isNotEqualTo(survivor);

            JobRun next = job.execute();
            assertThat(next.await(LIMIT).values()).containsOnly(ItemOutcome.SUCCEEDED);
            assertThat(calls.stream()
                            .filter(each -> each.fire.equals(next.runId()))
                            .map(Call::name))
                    .containsExactlyInAnyOrder("before", "0", "1", "after 2");
        }
    }

    /** Triggers the job until the instance that will be cut off is the one that calls the listener. */
    private JobRun untilHeld(OneOffJobBootstrap job) throws InterruptedException {
        while (true) {
            JobRun run = job.execute();
            Eventually.holds(
                    "the end of the fire, or the call",
                    () -> inside.getCount() == 0
                            || run.completion().toCompletableFuture().isDone());
            if (inside.getCount() == 0) {
                return run;
            }
        }
    }
}
