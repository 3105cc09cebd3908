package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that item count changes and removals finish, however large the records are. */
class LargeBatchesTest {
    private static final int ITEMS = 420;
    private static final Duration PERIOD = Duration.ofMinutes(1);

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(strings = {"\u0001", "\u6570", "\ud83d\ude00", "\"", "\ud83d", "x"})
    void countChangeAndRemovalFinishDespiteLongFailureTexts(String text) {
        try (TestCluster cluster = new TestCluster(2, Instant.parse("2026-01-01T00:00:00Z"), 1)) {
            Set<String> ran = new TreeSet<>();
            cluster.schedule(
                    context -> {
                        ran.add(context.shardingItem() + " of " + context.shardingTotalCount());
                        throw new IllegalStateException(text.repeat(600));
                    },
                    JobConfiguration.newBuilder("settle", ITEMS)
                            .schedule(Schedule.fixedRate(PERIOD))
                            .build());
            cluster.advance(PERIOD.multipliedBy(2));
            assertThat(cluster.tree()
                            .read("/jobs/settle/sharding/7")
                            .orElseThrow()
                            .data())
                    .as("bytes of a record")
                    .hasSizeLessThan(1_800);

            cluster.amend("settle", override -> override.withShardingTotalCount(ITEMS + 1));
            cluster.advance(PERIOD.multipliedBy(3));
            assertThat(ran).contains(ITEMS + " of " + (ITEMS + 1)).hasSize(2 * ITEMS + 1);

            cluster.amend("settle", override -> override.withRemoved(true));
            cluster.advance(PERIOD);
            assertThat(new String(cluster.tree()
                            .read("/jobs/settle/sharding")
                            .orElseThrow()
                            .data()))
                    .contains("\"total\":0")
                    .doesNotContain("\"change\":{");
        }
    }

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(ints = {60_000, 20_000, 4_000})
    void itemCountChangesWhereTheServerLimitsTransactions(int mostBytes) {
        try (TestCluster cluster = new TestCluster(2, Instant.parse("2026-01-01T00:00:00Z"), 1)) {
            cluster.tree().limitTransactions(mostBytes);
            Set<String> ran = new TreeSet<>();
            cluster.schedule(
                    context -> ran.add(context.shardingItem() + " of " + context.shardingTotalCount()),
                    JobConfiguration.newBuilder("settle", ITEMS)
                            .schedule(Schedule.fixedRate(PERIOD))
                            .build());
            cluster.advance(PERIOD.multipliedBy(3));
            assertThat(ran).hasSize(ITEMS);

            cluster.amend("settle", override -> override.withShardingTotalCount(ITEMS + 1));
            cluster.advance(PERIOD.multipliedBy(5));
            assertThat(ran).hasSize(2 * ITEMS + 1);
        }
    }
}
