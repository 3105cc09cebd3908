package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Items are spread by how long they have really run, and move for a real gain only. */
@ExtendWith(OstrakaExtension.class)
class LoadAwareMovesTest {
    private final Map<Integer, Duration> times = new HashMap<>();
    private final Map<Integer, String> owners = new HashMap<>();
    private TestCluster cluster;

    @BeforeEach
    void scheduleFourItems(@Instances(2) TestCluster given) {
        cluster = given;
        for (int item = 0; item < 4; item++) {
            times.put(item, Duration.ofSeconds(10));
        }
        cluster.schedule(
                context -> {
                    owners.put(context.shardingItem(), context.instanceId());
                    cluster.advance(times.get(context.shardingItem()));
                },
                JobConfiguration.newBuilder("loaded", 4)
                        .schedule(Schedule.onDemand())
                        .shardingStrategy("LOAD_AWARE")
                        .build());
    }

    /** Runs each item alone, so that it takes its own time, and lets the leader look at the records. */
    private Map<Integer, String> ran() {
        for (int item = 0; item < 4; item++) {
            cluster.instances().stream()
                    .filter(TestCluster.Instance::alive)
                    .findFirst()
                    .orElseThrow()
                    .engine()
                    .trigger("loaded", Map.of(), Set.of(Integer.toString(item)));
            cluster.advance(Duration.ofSeconds(1));
        }
        cluster.advance(Duration.ofMinutes(2));
        return Map.copyOf(owners);
    }

    /** How many items are with that of number 0, itself included. */
    private static long withTheFirst(Map<Integer, String> owners) {
        return owners.values().stream().filter(owners.get(0)::equals).count();
    }

    @Test
    void anItemThatRunsMuchLongerThanTheOthersIsLeftAlone() {
        assertThat(withTheFirst(ran())).isEqualTo(2);

        times.put(0, Duration.ofSeconds(100));
        for (int i = 0; i < 10; i++) {
            ran();
        }
        assertThat(withTheFirst(ran())).isEqualTo(1);
    }

    @Test
    void aSmallGainMovesNothing() {
        Map<Integer, String> before = ran();
        times.put(0, Duration.ofSeconds(12));
        times.put(3, Duration.ofSeconds(8));
        for (int i = 0; i < 10; i++) {
            assertThat(ran()).isEqualTo(before);
        }
    }

    @Test
    void aNewLeaderMovesNothingBeforeItHasMeasured() {
        times.put(0, Duration.ofSeconds(100));
        for (int i = 0; i < 10; i++) {
            ran();
        }
        Map<Integer, String> before = ran();
        assertThat(withTheFirst(before)).isEqualTo(1);

        InMemoryNodeStore leader = cluster.leader().store();
        leader.suspend();
        leader.reconnect(); // a term of its own, which knows nothing of the one before
        assertThat(ran()).isEqualTo(before);
    }
}
