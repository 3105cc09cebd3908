package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.InstanceListener;
import io.ostraka.api.InstanceState;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobOptions;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.core.instance.ShutdownReport;
import io.ostraka.fixtures.InfoLog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what happens to the items of an instance that shuts down. */
@ExtendWith(OstrakaExtension.class)
class InstanceShutdownTest {
    private static final Duration PERIOD = Duration.ofSeconds(10);
    /** Owner of the latest run of each item. */
    private final Map<Integer, String> owners = new TreeMap<>();

    private static JobConfiguration.Builder job() {
        return JobConfiguration.newBuilder("job", 4).schedule(Schedule.fixedRate(PERIOD));
    }

    private Map<Integer, String> ran(TestCluster cluster) {
        owners.clear();
        cluster.advance(PERIOD.multipliedBy(2));
        return new TreeMap<>(owners);
    }

    /** Idle items move at once, running items may finish, and the plan explains the moves. */
    @Test
    void drainingInstanceReleasesIdleItemsAtOnceAndGetsNone(@Instances(2) TestCluster cluster) {
        TestCluster.Instance leaving = cluster.instances().get(1);
        String left = leaving.id();
        List<String> plan = new ArrayList<>();
        cluster.schedule(
                context -> {
                    owners.put(context.shardingItem(), context.instanceId());
                    if (context.instanceId().equals(left)
                            && !context.triggerParameters().isEmpty()) {
                        cluster.time().after(Duration.ofSeconds(1), leaving.engine()::close);
                        cluster.time().after(Duration.ofSeconds(6), () -> {
                            assertThat(cluster.tree().paths()).contains("/instances/" + left);
                            plan.add(new ZkCli(cluster).text("/jobs/job/sharding"));
                        });
                        cluster.advance(Duration.ofSeconds(10));
                    }
                },
                job().build());
        Map<Integer, String> before = ran(cluster);
        String running = before.entrySet().stream()
                .filter(entry -> entry.getValue().equals(left))
                .map(entry -> entry.getKey().toString())
                .findFirst()
                .orElseThrow();
        cluster.instances().get(0).engine().trigger("job", Map.of("leave", ""), Set.of(running));
        cluster.advance(PERIOD);

        assertThat(plan)
                .singleElement()
                .asString()
                .doesNotContain("\"" + left + "\":")
                .contains("DRAINED " + left);
        assertThat(ran(cluster)).hasSize(4).doesNotContainValue(left);
    }

    /**
     * A request of the unregistered job reads a claim. Its reply arrives much later, when the claim belongs to the new
     * registration.
     */
    @Test
    void lateReplyOfAnUnregisteredJobDoesNotAffectItsSuccessor(@Instances(1) TestCluster cluster) {
        TestCluster.Instance instance = cluster.instances().get(0);
        JobConfiguration onDemand = JobConfiguration.newBuilder("job", 1)
                .schedule(Schedule.onDemand())
                .build();
        cluster.schedule(context -> {}, onDemand);
        cluster.advance(PERIOD);
        instance.store().holdRequests();
        cluster.advance(Duration.ofMinutes(2)); // a full resync begins and waits for its answer
        instance.engine().unregister("job");
        instance.store().suspend();
        instance.store().releaseRequests();
        cluster.advance(Duration.ofSeconds(33)); // the retries back off to one every five seconds
        instance.store().reconnect();

        List<String> record = new ArrayList<>();
        cluster.schedule(
                context -> {
                    record.add(new ZkCli(cluster).text("/jobs/job/sharding/0"));
                    cluster.advance(PERIOD.multipliedBy(2));
                    record.add(new ZkCli(cluster).text("/jobs/job/sharding/0"));
                },
                onDemand);
        cluster.trigger("job", Map.of());
        cluster.advance(PERIOD.multipliedBy(4));

        assertThat(record).hasSize(2);
        assertThat(record.get(1)).contains("RUNNING").isEqualTo(record.get(0));
    }

    @Test
    void staticShardingWaitsForTheHostThatShutDown(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> owners.put(context.shardingItem(), context.instanceId()),
                job().staticSharding(true).maxItemsPerInstance(2).build());
        Map<Integer, String> before = ran(cluster);
        TestCluster.Instance leaving = cluster.instances().get(1);
        String left = leaving.id();

        leaving.close();
        cluster.join();
        Map<Integer, String> meanwhile = new TreeMap<>(before);
        meanwhile.values().removeIf(left::equals);
        assertThat(ran(cluster)).isEqualTo(meanwhile).hasSize(2);
        assertThat(cluster.instances()
                        .get(0)
                        .engine()
                        .health()
                        .jobs()
                        .get("job")
                        .reason(JobHealth.Kind.UNPLACED_ITEMS)
                        .orElseThrow()
                        .text())
                .contains("no instance called 'host-1' is eligible now");

        String back = cluster.joinOnHostOf(leaving).id();
        before.replaceAll((item, owner) -> owner.equals(left) ? back : owner);
        assertThat(ran(cluster)).isEqualTo(before);
    }

    /**
     * This also applies to a leader that shuts down. It exits once the plan says that its items wait for the restart.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void rollingRestartMovesNoItemWithinTheRestartGrace(boolean leaderFirst, @Instances(3) TestCluster cluster) {
        cluster.schedule(
                context -> owners.put(context.shardingItem(), context.instanceId()),
                job().restartGrace(Duration.ofMinutes(1)).build());
        Map<Integer, String> before = ran(cluster);
        List<TestCluster.Instance> all = new ArrayList<>(cluster.instances());
        all.sort(Comparator.comparing(instance -> instance == cluster.leader() ? leaderFirst : !leaderFirst));
        for (TestCluster.Instance leaving : all) {
            String left = leaving.id();
            leaving.close();
            Map<Integer, String> meanwhile = new TreeMap<>(before);
            meanwhile.values().removeIf(left::equals);
            assertThat(ran(cluster)).isEqualTo(meanwhile);

            String back = cluster.joinOnHostOf(leaving).id();
            before.replaceAll((item, owner) -> owner.equals(left) ? back : owner);
            assertThat(ran(cluster)).isEqualTo(before);
        }
    }

    @Test
    void itemsMoveToOthersWhenTheRestartGraceEnds(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> owners.put(context.shardingItem(), context.instanceId()),
                job().restartGrace(Duration.ofMinutes(1)).build());
        cluster.instances().get(1).close();
        assertThat(ran(cluster)).hasSize(2);

        cluster.advance(Duration.ofMinutes(1));
        assertThat(ran(cluster)).hasSize(4);
        assertThat(cluster.leader().engine().health().good()).isTrue();
    }

    @Test
    void itemsOfAKilledInstanceMoveWithoutRestartGrace(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> owners.put(context.shardingItem(), context.instanceId()),
                job().restartGrace(Duration.ofHours(1)).build());
        cluster.instances().get(1).kill();
        cluster.advance(TestCluster.SESSION_TIMEOUT);

        assertThat(ran(cluster)).hasSize(4);
    }

    private static boolean left(TestCluster cluster, String id) {
        return !cluster.tree().paths().contains("/instances/" + id);
    }

    private long since(TestCluster cluster, Instant begun) {
        return Duration.between(begun, cluster.now()).toMillis();
    }

    /**
     * Guards against a shutdown that uses up the platform's whole grace, so that the platform kills the instance in the
     * middle of its handover.
     */
    @ParameterizedTest
    @CsvSource({"30, 25000, 30000", "10, 5000, 10000", "4, 2000, 7000", "0, 0, 5000"})
    void codeThatIgnoresCancellationIsAbandonedWithinTheGrace(
            int grace, long cancelledAt, long within, @Instances(2) TestCluster cluster) {
        Map<String, Long> moments = new TreeMap<>();
        List<ShutdownReport> reports = new ArrayList<>();
        List<Boolean> interrupted = new ArrayList<>();
        cluster.schedule(
                context -> {
                    TestCluster.Instance leaving = cluster.instance(context.instanceId());
                    if (context.attempt() > 1) {
                        moments.put("taken over", 0L);
                        return;
                    }
                    Instant begun = cluster.now();
                    for (int millis = 0; millis <= 60_000; millis += 50) {
                        cluster.time().after(Duration.ofMillis(millis), () -> {
                            if (context.isCancelled() && moments.putIfAbsent("told", since(cluster, begun)) == null) {
                                interrupted.add(Thread.currentThread().isInterrupted());
                            }
                        });
                    }
                    cluster.time().after(Duration.ZERO, () -> {
                        leaving.engine().close();
                        moments.put("closed", since(cluster, begun));
                        reports.add(leaving.engine().shutdownReport());
                    });
                    cluster.advance(Duration.ofMinutes(1));
                },
                JobConfiguration.newBuilder("job", 1)
                        .shutdownGrace(Duration.ofSeconds(grace))
                        .build());
        cluster.trigger("job", Map.of());
        cluster.advance(Duration.ofMinutes(2));

        assertThat(moments.get("told")).isBetween(cancelledAt, cancelledAt + 100);
        assertThat(moments.get("closed")).isGreaterThan(cancelledAt).isLessThanOrEqualTo(within);
        assertThat(moments).containsKey("taken over");
        assertThat(interrupted).containsExactly(true);
        assertThat(reports).singleElement().satisfies(report -> {
            assertThat(report.running()).containsExactly("job 'job' item 0");
            assertThat(report.left()).isTrue();
        });
    }

    /** The limit also applies to callbacks that are not runs. */
    @Test
    void hangingDestroyAndListenersDoNotDelayShutdownBeyondGrace(@Instances(0) TestCluster cluster) {
        Duration grace = Duration.ofSeconds(10);
        List<String> steps = new ArrayList<>();
        TestCluster.Instance leaving = cluster.join(new InstanceListener() {
            @Override
            public void stateChanged(InstanceState now) {
                if (now == InstanceState.DRAINING) {
                    cluster.advance(Duration.ofHours(1));
                }
            }
        });
        cluster.schedule(
                new SimpleJob() {
                    @Override
                    public void execute(ShardingContext context) {}

                    @Override
                    public void destroy() {
                        steps.add("destroyed");
                        cluster.advance(Duration.ofHours(1));
                    }
                },
                job().shutdownGrace(grace).build());
        cluster.advance(PERIOD);
        String id = leaving.id();
        cluster.time().after(grace, () -> steps.add(left(cluster, id) ? "left" : "still there"));
        leaving.close();

        assertThat(steps).containsExactly("destroyed", "left");
    }

    /**
     * An engine that hangs while it starts a job does not close within its limit. The application then stops the
     * threads. Steps that follow when the engine continues are refused a thread, which is no defect.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
    void stepsAfterTheEndOfCloseAreNoDefect(int answered, @Instances(2) TestCluster cluster) throws Exception {
        cluster.instances().get(0).engine().register((SimpleJob) context -> {}, job().build(), JobOptions.none());
        cluster.advance(PERIOD);
        TestCluster.Instance late = cluster.instances().get(1);
        late.store().holdReplies();
        late.engine().register((SimpleJob) context -> {}, job().build(), JobOptions.none());
        for (int i = 0; i < answered; i++) {
            cluster.time().runUntilIdle();
            late.store().releaseReplies();
            late.store().holdReplies();
        }
        cluster.time().runUntilIdle();
        late.setWedged(true);
        late.store().releaseReplies();
        late.engine().close();
        late.setThreads(threads -> task -> {
            throw new RejectedExecutionException("the application has stopped the threads");
        });

        try (InfoLog log = new InfoLog("io.ostraka.core.job.HostedJob")) {
            late.setWedged(false);
            cluster.advance(PERIOD.multipliedBy(2));
            assertThat(log.lines("report it")).isEmpty();
        }
    }
}
