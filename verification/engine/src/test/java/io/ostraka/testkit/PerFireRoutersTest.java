package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that routers choose an instance for each fire without delaying fires, under every leader. */
@ExtendWith(OstrakaExtension.class)
class PerFireRoutersTest {
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final int LONG_RUNS = 12;

    private final List<String> owners = new ArrayList<>();
    private final SimpleJob job = context -> owners.add(context.instanceId());
    private TestCluster cluster;

    @BeforeEach
    void useCluster(@Instances(3) TestCluster injected) {
        cluster = injected;
    }

    private void schedule(String router, Schedule schedule) {
        cluster.schedule(
                job,
                JobConfiguration.newBuilder("routed", 1)
                        .schedule(schedule)
                        .shardingStrategy(router)
                        .build());
    }

    private List<String> fires(int count) {
        owners.clear();
        cluster.advance(PERIOD.multipliedBy(count));
        return List.copyOf(owners);
    }

    private Map<String, Integer> counts(int fires) {
        Map<String, Integer> counts = new HashMap<>();
        fires(fires).forEach(owner -> counts.merge(owner, 1, Integer::sum));
        return counts;
    }

    private String instanceId(int number) {
        return cluster.instances().get(number).id();
    }

    @Test
    void roundRotatesFromTheFirstFireOn() {
        schedule("ROUND", Schedule.fixedRate(PERIOD));

        List<String> ran = fires(9);
        assertThat(ran).hasSize(9);
        assertThat(ran.subList(0, 3)).containsExactlyInAnyOrder(instanceId(0), instanceId(1), instanceId(2));
        assertThat(ran.subList(3, 6)).isEqualTo(ran.subList(0, 3));
        assertThat(ran.subList(6, 9)).isEqualTo(ran.subList(0, 3));
    }

    @ParameterizedTest
    @ValueSource(strings = {"LEAST_FREQUENTLY_USED", "LEAST_RECENTLY_USED"})
    void leastUsedInstanceGetsTheNextFire(String router) {
        schedule(router, Schedule.fixedRate(PERIOD));

        assertThat(counts(12)).hasSize(3).allSatisfy((owner, count) -> assertThat(count)
                .isEqualTo(4));
        String joined = cluster.join().id();
        assertThat(fires(4)).contains(joined);
    }

    @Test
    void randomChangesOwners() {
        schedule("RANDOM", Schedule.fixedRate(PERIOD));

        assertThat(counts(30)).hasSize(3);
    }

    @Test
    void triggersCountAsFires() {
        schedule("ROUND", Schedule.onDemand());
        cluster.advance(PERIOD);
        for (int fire = 0; fire < 6; fire++) {
            cluster.trigger("routed", Map.of());
            cluster.advance(PERIOD);
        }

        assertThat(owners.subList(0, 3)).containsExactlyInAnyOrder(instanceId(0), instanceId(1), instanceId(2));
        assertThat(owners.subList(3, 6)).isEqualTo(owners.subList(0, 3));
    }

    /** A wrong clock has written a cursor that is far in the future. */
    @Test
    void roundRotatesAgainAfterACursorWasSetBack() {
        schedule("ROUND", Schedule.fixedRate(PERIOD));
        fires(3);
        ZkCli hand = new ZkCli(cluster);
        String path = "/jobs/routed/sharding/0";
        String future = cluster.now().plus(Duration.ofDays(1)).toString();
        hand.write(path, hand.text(path).replaceFirst("\"cursor\":\"[^\"]*\"", "\"cursor\":\"" + future + "\""));
        cluster.advance(Duration.ofMinutes(1));
        cluster.operations().execute(new Command.SetBackCursor("routed", "0"), CommandOptions.by("ann"));
        cluster.advance(PERIOD.multipliedBy(2));

        assertThat(fires(6)).contains(instanceId(0), instanceId(1), instanceId(2));
    }

    @Test
    void firesFasterThanPlanWritesAreNotLate() {
        schedule("ROUND", Schedule.fixedRate(Duration.ofMillis(100)));
        cluster.advance(PERIOD);

        assertThat(counts(3)).hasSize(3);
        assertThat(owners).hasSize(300);
    }

    /** Schedules a job whose runs take this time, with the policy that runs an overlapped fire after the run. */
    private void scheduleLong(Duration run, OverlapPolicy overlap) {
        cluster.schedule(
                (SimpleJob) context -> {
                    owners.add(context.instanceId());
                    if (owners.size() <= LONG_RUNS) { // otherwise the queue of overlapped fires would never end
                        cluster.advance(run);
                    }
                },
                JobConfiguration.newBuilder("routed", 1)
                        .schedule(Schedule.fixedRate(PERIOD))
                        .overlap(overlap)
                        .shardingStrategy("BUSY_OVER")
                        .build());
    }

    @ParameterizedTest
    @ValueSource(ints = {11, 15, 25})
    void busyOverPassesOverAnOwnerThatAFireFindsBusy(int seconds) {
        scheduleLong(Duration.ofSeconds(seconds), OverlapPolicy.skip());

        List<String> ran = fires(25);
        assertThat(ran).hasSizeGreaterThan(7);
        for (int run = 1; run < ran.size(); run++) {
            assertThat(ran.get(run)).as("run %s", run).isNotEqualTo(ran.get(run - 1));
        }
    }

    @Test
    void busyOverRunsAQueuedFireElsewhere() {
        scheduleLong(Duration.ofSeconds(15), OverlapPolicy.queue(5));

        List<String> ran = fires(30).subList(0, LONG_RUNS);
        for (int run = 1; run < ran.size(); run++) {
            assertThat(ran.get(run)).as("run %s", run).isNotEqualTo(ran.get(run - 1));
        }
    }

    @Test
    void busyOverKeepsAnOwnerWhoseRunsEndBeforeTheNextFire() {
        scheduleLong(Duration.ofSeconds(9), OverlapPolicy.skip());

        assertThat(fires(LONG_RUNS)).containsOnly(owners.get(0));
    }

    @Test
    void busyOverMovesABusyJobUnderANewLeader() {
        scheduleLong(Duration.ofSeconds(25), OverlapPolicy.skip());
        fires(10);
        String before = owners.get(owners.size() - 1);

        cluster.leader().store().suspend();
        cluster.leader().store().reconnect();

        assertThat(fires(3)).isNotEmpty();
        assertThat(owners.get(0)).isNotEqualTo(before);
    }

    @Test
    void busyOverKeepsABusyOwnerWithoutAnotherInstance() {
        cluster.instances().subList(1, 3).forEach(TestCluster.Instance::close);
        scheduleLong(Duration.ofSeconds(25), OverlapPolicy.skip());

        assertThat(fires(20)).hasSizeGreaterThan(5).containsOnly(instanceId(0));
        cluster.join();
        assertThat(new HashSet<>(fires(20))).hasSize(2);
    }

    /** {@code needs()} may be slow, so the leader's checks do not call it: all jobs wait for these checks. */
    @Test
    void eachInstanceQueriesTheNeedsOfAStrategyOnce() {
        AtomicInteger queries = new AtomicInteger();
        JobShardingStrategy own = new JobShardingStrategy() {
            @Override
            public String type() {
                return "OWN";
            }

            @Override
            public Map<String, List<String>> shard(Request request) {
                return Map.of(request.instances().get(0).id(), request.items());
            }

            @Override
            public Set<Need> needs() {
                queries.incrementAndGet();
                return Set.of(Need.FIRE, Need.RUN_TIMES);
            }
        };
        try (TestCluster two = new TestCluster(2, Instant.parse("2026-01-01T00:00:00Z"), 1, own)) {
            two.schedule(
                    context -> {},
                    JobConfiguration.newBuilder("own", 3)
                            .shardingStrategy("OWN")
                            .schedule(Schedule.fixedRate(PERIOD))
                            .build());
            two.advance(PERIOD.multipliedBy(20));
            assertThat(queries).hasValue(2);
        }
    }

    @Test
    void newLeaderContinuesTheRotationFromThePlan() {
        schedule("ROUND", Schedule.fixedRate(PERIOD));
        List<String> round = fires(3);
        for (int fire = 0; fire < 6; fire++) {
            InMemoryNodeStore leader = cluster.leader().store();
            leader.suspend();
            leader.reconnect(); // starts a new term without the state of the previous one
            assertThat(fires(1)).containsExactly(round.get(fire % 3));
        }
    }
}
