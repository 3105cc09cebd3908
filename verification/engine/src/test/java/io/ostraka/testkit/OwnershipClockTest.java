package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.OwnershipLostException;
import io.ostraka.api.Schedule;
import io.ostraka.api.SessionLossPolicy;
import io.ostraka.core.coordination.Membership;
import io.ostraka.core.time.Platform;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.fixtures.InfoLog;
import io.ostraka.fixtures.RecordingListener;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests how long an instance may rely on owning its items. It measures this time with its own monotonic clock, from the
 * server's last answers on.
 */
@ExtendWith(OstrakaExtension.class)
class OwnershipClockTest {
    private static final Duration SESSION = TestCluster.SESSION_TIMEOUT;

    private final ManualTime time = new ManualTime(Instant.parse("2026-01-01T00:00:00Z"), 0);
    private final InMemoryCoordination tree = new InMemoryCoordination(time::now);
    private final InMemoryNodeStore store = tree.connect("one", time.executor(), time.executor(), SESSION);
    private final Membership membership = membership();

    private Membership membership() {
        Platform platform = time.platform(Duration.ZERO);
        store.start(new RecordingListener());
        time.runUntilIdle();
        return new TreeCoordination(store, platform.clock()).membership();
    }

    private void ping() {
        membership.ping();
        time.runUntilIdle();
    }

    @Test
    void lateAnswerCountsFromTheTimeOfItsRequest() {
        time.advance(Duration.ofSeconds(20));
        assertThat(membership.lastAnswerAge()).isEqualTo(Duration.ofSeconds(20));
        store.holdReplies();
        ping();
        time.advance(Duration.ofSeconds(8));
        assertThat(membership.lastAnswerAge()).isEqualTo(Duration.ofSeconds(28));

        store.releaseReplies();
        time.runUntilIdle();

        assertThat(membership.lastAnswerAge()).isEqualTo(Duration.ofSeconds(8));
    }

    @Test
    void unansweredRequestDoesNotCount() {
        time.advance(Duration.ofSeconds(20));
        store.holdReplies();
        ping();
        store.suspend();
        time.runUntilIdle();
        ping();
        store.releaseReplies();
        time.runUntilIdle();

        assertThat(membership.lastAnswerAge()).isEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void ownershipLastsTwoThirdsOfTheSessionWithoutAnAnswer(@Instances(1) TestCluster cluster) {
        Map<Integer, Boolean> owned = new TreeMap<>();
        cluster.schedule(
                context -> {
                    InMemoryNodeStore own =
                            cluster.instance(context.instanceId()).store();
                    own.suspend();
                    for (int second = 1; second <= 14; second++) {
                        cluster.advance(Duration.ofSeconds(1));
                        try {
                            context.checkOwnership();
                            owned.put(second, true);
                        } catch (OwnershipLostException e) {
                            owned.put(second, false);
                        }
                    }
                    own.reconnect();
                },
                JobConfiguration.newBuilder("silent", 1)
                        .sessionLoss(SessionLossPolicy.KEEP_RUNNING)
                        .build());
        cluster.trigger("silent", Map.of());
        cluster.advance(Duration.ofMinutes(1));

        assertThat(owned).hasSize(14);
        owned.forEach((second, still) ->
                assertThat(still).as("owned after %s s", second).isEqualTo(second <= 10));
    }

    @Test
    void ownershipLastsWhileTheServerAnswers(@Instances(1) TestCluster cluster) {
        int[] checks = new int[1];
        cluster.schedule(
                context -> {
                    for (; checks[0] < 600; checks[0]++) {
                        cluster.advance(Duration.ofSeconds(1));
                        context.checkOwnership();
                    }
                },
                JobConfiguration.newBuilder("long", 1).build());
        cluster.trigger("long", Map.of());
        cluster.advance(Duration.ofMinutes(1));

        assertThat(checks[0]).isEqualTo(600);
    }

    /**
     * The watchdog used to treat items as lost if it checked while the first claim after a long silence was in flight.
     */
    @Test
    void itemClaimedAfterALongSilenceIsNotTreatedAsLost(@Instances(1) TestCluster cluster)
            throws ReflectiveOperationException {
        List<Integer> attempts = new ArrayList<>();
        cluster.schedule(
                context -> attempts.add(context.attempt()),
                JobConfiguration.newBuilder("rare", 1)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(30)))
                        .build());
        InMemoryNodeStore own = cluster.instances().get(0).store();
        cluster.advance(Duration.ofSeconds(30).minus(Duration.ofMillis(1500)));
        try (InfoLog log = new InfoLog("io.ostraka.core.instance.Watchdog")) {
            for (int fire = 0; fire < 4; fire++) {
                own.holdReplies();
                cluster.advance(Duration.ofSeconds(6)); // the watchdog checks every quarter of the session timeout
                own.releaseReplies();
                cluster.advance(Duration.ofSeconds(24));
            }
            assertThat(log.lines("has not answered")).isEmpty();
        }
        assertThat(attempts).containsExactly(1, 1, 1, 1);
    }
}
