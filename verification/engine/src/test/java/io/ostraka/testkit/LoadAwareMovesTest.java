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

/**
 * Tests that the LOAD_AWARE strategy spreads items by their measured run times, and moves them only for a significant
 * gain.
 */
@ExtendWith(OstrakaExtension.class)
class LoadAwareMovesTest {
    private final Map<Integer, Duration> times = new HashMap<>();
    private final Map<Integer, String> owners = new HashMap<>();
    private TestCluster cluster;

    @BeforeEach
    void scheduleFourItems(@Instances(2) TestCluster injected) {
        cluster = injected;
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

    /** Runs one item after the other for its configured time, and then lets the leader read the records. */
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

    /** Returns the number of items on the owner of item 0, including item 0. */
    private static long itemsBesideItem0(Map<Integer, String> owners) {
        return owners.values().stream().filter(owners.get(0)::equals).count();
    }

    @Test
    void itemWithMuchLongerRunsGetsAnInstanceOfItsOwn() {
        assertThat(itemsBesideItem0(ran())).isEqualTo(2);

        times.put(0, Duration.ofSeconds(100));
        for (int i = 0; i < 10; i++) {
            ran();
        }
        assertThat(itemsBesideItem0(ran())).isEqualTo(1);
    }

    @Test
    void smallGainMovesNothing() {
        Map<Integer, String> before = ran();
        times.put(0, Duration.ofSeconds(12));
        times.put(3, Duration.ofSeconds(8));
        for (int i = 0; i < 10; i++) {
            assertThat(ran()).isEqualTo(before);
        }
    }

    @Test
    void newLeaderMovesNothingBeforeItHasMeasured() {
        times.put(0, Duration.ofSeconds(100));
        for (int i = 0; i < 10; i++) {
            ran();
        }
        Map<Integer, String> before = ran();
        assertThat(itemsBesideItem0(before)).isEqualTo(1);

        InMemoryNodeStore leader = cluster.leader().store();
        leader.suspend();
        leader.reconnect(); // starts a new term without the measurements of the previous one
        assertThat(ran()).isEqualTo(before);
    }
}
