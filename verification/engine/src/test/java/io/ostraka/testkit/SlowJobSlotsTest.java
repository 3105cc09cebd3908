package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.metrics.Load;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests that jobs with long runs use a separate pool of slots. */
@ExtendWith(OstrakaExtension.class)
class SlowJobSlotsTest {
    private static final Duration LONG = Duration.ofMillis(501);

    /** Names of the pools from which the runs got their slots. */
    private final List<String> pools = new ArrayList<>();

    private Duration takes = LONG;

    private void schedule(TestCluster cluster, Duration period) {
        cluster.schedule(
                context -> {
                    Map<String, Load.Slots> load =
                            cluster.instances().get(0).engine().metrics().load().slots();
                    pools.add(
                            load.values().stream().mapToInt(Load.Slots::taken).sum() == 1
                                            && load.get("slow").taken() == 1
                                    ? "slow"
                                    : "quick");
                    cluster.advance(takes);
                },
                JobConfiguration.newBuilder("job", 1)
                        .schedule(Schedule.fixedRate(period))
                        .build());
    }

    @Test
    void jobIsSlowAfterElevenLongRunsUntilAMinuteWithoutOne(@Instances(1) TestCluster cluster) {
        schedule(cluster, Duration.ofSeconds(2));
        cluster.advance(Duration.ofSeconds(40));
        assertThat(pools.subList(0, 11))
                .as("the eleven runs before the job counts as slow")
                .containsOnly("quick");
        assertThat(pools.subList(11, pools.size())).hasSizeGreaterThan(5).containsOnly("slow");

        int before = pools.size();
        takes = Duration.ofMillis(100);
        cluster.advance(Duration.ofSeconds(50));
        assertThat(pools.subList(before, pools.size())).hasSizeGreaterThan(20).containsOnly("slow");
        cluster.advance(Duration.ofSeconds(12));
        before = pools.size();
        cluster.advance(Duration.ofMinutes(1));
        assertThat(pools.subList(before, pools.size())).hasSizeGreaterThan(20).containsOnly("quick");
    }

    @Test
    void tenLongRunsAMinuteDoNotMakeAJobSlow(@Instances(1) TestCluster cluster) {
        schedule(cluster, Duration.ofSeconds(7));
        cluster.advance(Duration.ofMinutes(10));
        takes = Duration.ofMillis(500);
        cluster.schedule(
                context -> cluster.advance(takes),
                JobConfiguration.newBuilder("often", 1)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(1)))
                        .build());
        cluster.advance(Duration.ofMinutes(2));

        assertThat(pools).hasSizeGreaterThan(90).containsOnly("quick");
        assertThat(cluster.instances().get(0).engine().metrics().load().slots().get("slow"))
                .isEqualTo(new Load.Slots(128, 0, 0, 0, 0));
    }
}
