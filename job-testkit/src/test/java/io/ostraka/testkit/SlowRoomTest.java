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

/** Jobs whose runs take long run apart from those whose runs don't. */
@ExtendWith(OstrakaExtension.class)
class SlowRoomTest {
    private static final Duration LONG = Duration.ofMillis(501);

    /** By run, where it had its place. */
    private final List<String> rooms = new ArrayList<>();

    private Duration takes = LONG;

    private void schedule(TestCluster cluster, Duration period) {
        cluster.schedule(
                context -> {
                    Map<String, Load.Slots> load =
                            cluster.instances().get(0).engine().metrics().load().slots();
                    rooms.add(
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
    void afterMoreThanTenLongRunsWithinAMinuteAJobIsSlowUntilAMinuteWithoutOne(@Instances(1) TestCluster cluster) {
        schedule(cluster, Duration.ofSeconds(2));
        cluster.advance(Duration.ofSeconds(40));
        assertThat(rooms.subList(0, 11)).as("ten are tolerated, and the next").containsOnly("quick");
        assertThat(rooms.subList(11, rooms.size())).hasSizeGreaterThan(5).containsOnly("slow");

        int before = rooms.size();
        takes = Duration.ofMillis(100);
        cluster.advance(Duration.ofSeconds(50));
        assertThat(rooms.subList(before, rooms.size())).hasSizeGreaterThan(20).containsOnly("slow");
        cluster.advance(Duration.ofSeconds(12));
        before = rooms.size();
        cluster.advance(Duration.ofMinutes(1));
        assertThat(rooms.subList(before, rooms.size())).hasSizeGreaterThan(20).containsOnly("quick");
    }

    @Test
    void tenLongRunsAMinuteAndAnyNumberOfShorterOnesMakeNoJobSlow(@Instances(1) TestCluster cluster) {
        schedule(cluster, Duration.ofSeconds(7));
        cluster.advance(Duration.ofMinutes(10));
        takes = Duration.ofMillis(500);
        cluster.schedule(
                context -> cluster.advance(takes),
                JobConfiguration.newBuilder("often", 1)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(1)))
                        .build());
        cluster.advance(Duration.ofMinutes(2));

        assertThat(rooms).hasSizeGreaterThan(90).containsOnly("quick");
        assertThat(cluster.instances().get(0).engine().metrics().load().slots().get("slow"))
                .isEqualTo(new Load.Slots(128, 0, 0, 0, 0));
    }
}
