package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.TooManyTriggersException;
import io.ostraka.lite.OneOffJobBootstrap;
import io.ostraka.lite.Operator;
import io.ostraka.lite.ScheduleJobBootstrap;
import io.ostraka.lite.ZooKeeperRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
@Timeout(300)
class ClosingTest {
    private static final int ROUNDS = 20;
    /** Long enough that an ephemeral node that is left behind outlives its round. */
    private static final Duration SESSION = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    /**
     * Scenario 12. Guards against a closed instance that leaves nodes behind, for whose end its successor must wait.
     */
    @Test
    void closingDuringChangesLeavesNothingBehind() throws Exception {
        long seed = Long.getLong("ostraka.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        Runs runs = new Runs();
        Runs triggered = new Runs();
        JobConfiguration job = JobConfiguration.newBuilder("changing", 3)
                .schedule(Schedule.fixedRate(Duration.ofMillis(20)))
                .build();
        try (Server server = new Server(directory);
                Server.Bystander bystander = server.bystander("closing");
                ZooKeeperRegistry operator = registry(server);
                Changes changes = new Changes(operator)) {
            for (int round = 0; round < ROUNDS; round++) {
                ZooKeeperRegistry closing = registry(server);
                Runs ofRound = new Runs();
                new ScheduleJobBootstrap(
                                closing,
                                runs.recording(context -> ofRound.recording().execute(context)),
                                job)
                        .schedule();
                new OneOffJobBootstrap(
                        closing,
                        triggered.recording(),
                        JobConfiguration.newBuilder("by-hand", 2).build());
                ofRound.await("a run, seed " + seed, all -> !all.isEmpty());
                changes.begin();
                ofRound.awaitMore(random.nextInt(10), run -> true);
                String id = closing.instanceId().orElseThrow();
                closing.close();

                assertThat(bystander.paths("/").stream()
                                .filter(path -> path.contains(id) || path.endsWith("/running"))
                                .toList())
                        .as("nodes that %s left behind, seed %d", id, seed)
                        .isEmpty();
                assertThat(bystander.paths("/leader/latch"))
                        .as("candidates, seed %d", seed)
                        .hasSize(2);
            }
        }
        runs.assertNothingRanTwice();
        triggered.assertNothingRanTwice();
    }

    private static ZooKeeperRegistry registry(Server server) {
        return ZooKeeperRegistry.newBuilder(server.servers(), "closing")
                .sessionTimeout(SESSION)
                .shutdownHook(false)
                .connect();
    }

    /** Makes changes without a pause, each of which causes watch events. */
    private static final class Changes implements AutoCloseable {
        private final AtomicBoolean stopped = new AtomicBoolean();
        private final FutureTask<Void> changing;
        private boolean begun;

        Changes(ZooKeeperRegistry operator) {
            changing = new FutureTask<>(() -> change(operator), null);
        }

        private void change(ZooKeeperRegistry operator) {
            for (int i = 0; !stopped.get(); i++) {
                Operator.override(operator, "changing", "jobParameter", "parameter " + i);
                Operator.override(operator, "changing", "shardingTotalCount", 2 + i % 3);
                try {
                    operator.trigger("by-hand", java.util.Map.of());
                } catch (TooManyTriggersException e) {
                    // no trigger ends while no instance hosts the job
                }
            }
        }

        void begin() {
            if (!begun) {
                begun = true;
                new Thread(changing).start();
            }
        }

        /** Stops the changes; a failed change fails the test. */
        @Override
        public void close() throws Exception {
            stopped.set(true);
            if (begun) {
                changing.get(90, TimeUnit.SECONDS);
            }
        }
    }
}
