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
 * A hand-over that waits for the instance that it names, and that a hand damages meanwhile: it is written anew. For those
 * of whose jobs an interrupted item was never run again after somebody had tidied up.
 */
class DamagedHandoverTest {
    private static final String HANDOVERS = "/jobs/victim/failover";
    private static final String HANDOVER = HANDOVERS + "/1";

    /** Gives every item to the instance that came last. */
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
    private final TestCluster.Instance heir = cluster.instances().get(1);
    private final TestCluster.Instance owner = cluster.instances().get(2);
    private final Hand hand = new Hand(cluster);
    private final List<String> runsOfItem1 = new ArrayList<>();

    static Stream<Named<Consumer<Hand>>> damages() {
        Stream<Named<Consumer<Hand>>> garbage = DamagedNodesTest.GARBAGE.entrySet().stream()
                .map(text -> Named.of(text.getKey(), hand -> hand.write(HANDOVER, text.getValue())));
        return Stream.concat(
                garbage,
                Stream.of(
                        Named.of("deleted", hand -> hand.delete(HANDOVER)),
                        Named.of("deleted with its parent", hand -> hand.delete(HANDOVERS))));
    }

    private void run(ShardingContext context) {
        if (context.shardingItem() == 1) {
            runsOfItem1.add(context.instanceId());
            if (context.instanceId().equals(owner.id())) {
                owner.kill();
                heir.store().suspend();
                cluster.advance(TestCluster.SESSION_TIMEOUT.multipliedBy(2));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("damages")
    void aHandoverThatIsDamagedIsWrittenAnewAndServed(Consumer<Hand> damage) {
        cluster.schedule(
                this::run,
                JobConfiguration.newBuilder("victim", 2)
                        .shardingStrategy("LAST")
                        .build());
        JobRun run = cluster.trigger("victim", Map.of());
        String before = hand.text(HANDOVER);
        assertThat(before).contains(owner.id(), heir.id());

        damage.accept(hand);
        assertThat(hand.text(HANDOVER)).isNotEqualTo(before);
        cluster.advance(Duration.ofMinutes(4));
        assertThat(hand.text(HANDOVER)).isEqualTo(before);

        heir.store().reconnect();
        cluster.advance(Duration.ofMinutes(1));
        assertThat(runsOfItem1).containsExactly(owner.id(), heir.id());
        assertThat(run.completion().toCompletableFuture())
                .isCompletedWithValue(Map.of("0", ItemOutcome.SUCCEEDED, "1", ItemOutcome.SUCCEEDED));
        assertThat(hand.children(HANDOVERS)).isEmpty();
        cluster.close();
    }
}
