package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobInstance;
import io.ostraka.api.JobRun;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.ShardingContext;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Damages a handover while it waits for its target instance. The leader must write it again: otherwise the interrupted
 * item would never run again if an operator deletes the node.
 */
class DamagedHandoverTest {
    private static final String HANDOVERS = "/jobs/victim/failover";
    private static final String HANDOVER = HANDOVERS + "/1";

    /** Assigns every item to the instance with the highest host name. */
    private static final JobShardingStrategy LAST = new JobShardingStrategy() {
        @Override
        public String type() {
            return "LAST";
        }

        @Override
        public Map<String, List<String>> shard(Request request) {
            JobInstance last = request.instances().stream()
                    .max(Comparator.comparing(JobInstance::host))
                    .orElseThrow();
            return Map.of(last.id(), request.items());
        }
    };

    private final TestCluster cluster = new TestCluster(3, Instant.parse("2026-01-01T00:00:00Z"), 0, LAST);
    private final TestCluster.Instance target = cluster.instances().get(1);
    private final TestCluster.Instance owner = cluster.instances().get(2);
    private final ZkCli zkCli = new ZkCli(cluster);
    private final List<String> runsOfItem1 = new ArrayList<>();

    static Stream<Named<Consumer<ZkCli>>> damages() {
        Stream<Named<Consumer<ZkCli>>> garbage = DamagedNodesTest.GARBAGE.entrySet().stream()
                .map(text -> Named.of(text.getKey(), zkCli -> zkCli.write(HANDOVER, text.getValue())));
        return Stream.concat(
                garbage,
                Stream.of(
                        Named.of("deleted", zkCli -> zkCli.delete(HANDOVER)),
                        Named.of("deleted with its parent", zkCli -> zkCli.delete(HANDOVERS))));
    }

    private void run(ShardingContext context) {
        if (context.shardingItem() == 1) {
            runsOfItem1.add(context.instanceId());
            if (context.instanceId().equals(owner.id())) {
                owner.kill();
                target.store().suspend();
                cluster.advance(TestCluster.SESSION_TIMEOUT.multipliedBy(2));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("damages")
    void damagedHandoverIsWrittenAgainAndServed(Consumer<ZkCli> damage) {
        cluster.schedule(
                this::run,
                JobConfiguration.newBuilder("victim", 2)
                        .shardingStrategy("LAST")
                        .build());
        JobRun run = cluster.trigger("victim", Map.of());
        String before = zkCli.text(HANDOVER);
        assertThat(before).contains(owner.id(), target.id());

        damage.accept(zkCli);
        assertThat(zkCli.text(HANDOVER)).isNotEqualTo(before);
        cluster.advance(Duration.ofMinutes(4));
        assertThat(zkCli.text(HANDOVER)).isEqualTo(before);

        target.store().reconnect();
        cluster.advance(Duration.ofMinutes(1));
        assertThat(runsOfItem1).containsExactly(owner.id(), target.id());
        assertThat(run.completion().toCompletableFuture())
                .isCompletedWithValue(Map.of("0", ItemOutcome.SUCCEEDED, "1", ItemOutcome.SUCCEEDED));
        assertThat(zkCli.children(HANDOVERS)).isEmpty();
        cluster.close();
    }
}
