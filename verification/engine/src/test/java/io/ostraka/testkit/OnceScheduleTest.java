package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a job with a single fire, while its instances change and restart. */
@ExtendWith(OstrakaExtension.class)
class OnceScheduleTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final List<String> runs = new ArrayList<>();

    private static JobConfiguration.Builder job(TestCluster cluster) {
        return JobConfiguration.newBuilder("once", 2)
                .schedule(Schedule.once(cluster.now().plus(MINUTE.multipliedBy(3))));
    }

    private void schedule(TestCluster cluster, JobConfiguration job) {
        cluster.schedule(context -> runs.add(context.shardingItem() + "#" + context.attempt()), job);
    }

    @Test
    void firesOnceAcrossOwnerChangesAndRestarts(@Instances(2) TestCluster cluster) {
        schedule(cluster, job(cluster).build());
        cluster.advance(MINUTE);
        cluster.instances().get(0).kill();
        cluster.advance(MINUTE);
        cluster.instances().get(1).close(); // no instance is left
        cluster.join();
        assertThat(runs).isEmpty();
        cluster.advance(MINUTE.multipliedBy(2));
        assertThat(runs).containsExactlyInAnyOrder("0#1", "1#1");

        for (int i = 2; i < 5; i++) {
            cluster.join();
            cluster.advance(MINUTE);
            cluster.instances().get(i).close();
            cluster.advance(MINUTE);
        }
        cluster.instances().get(5).kill();
        cluster.join();
        cluster.advance(Duration.ofHours(6));
        assertThat(runs).hasSize(2);
    }

    @Test
    void firesHoweverLateAnInstanceStarts(@Instances(1) TestCluster cluster) {
        schedule(cluster, job(cluster).misfire(MisfirePolicy.skip()).build());
        cluster.advance(MINUTE);
        cluster.instances().get(0).close();
        cluster.advance(Duration.ofDays(7));
        cluster.join();
        cluster.advance(MINUTE);

        assertThat(runs).containsExactlyInAnyOrder("0#1", "1#1");
    }

    @Test
    void interruptedFireRunsOnceMoreOnASurvivor(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> {
                    runs.add(context.shardingItem() + "#" + context.attempt());
                    if (context.shardingItem() == 0 && context.attempt() == 1) {
                        cluster.instance(context.instanceId()).kill();
                    }
                },
                job(cluster).build());
        cluster.advance(Duration.ofHours(3));

        assertThat(runs)
                .contains("0#1", "0#2")
                .filteredOn(run -> run.startsWith("0"))
                .hasSize(2);
        assertThat(runs.get(runs.size() - 1)).isIn("0#2", "1#2");
    }

    @Test
    void firesIfItsInstantPassesBeforeItIsStored(@Instances(2) TestCluster cluster) {
        for (Duration ago : List.of(Duration.ZERO, MINUTE, Duration.ofDays(400))) {
            String name = "once-" + ago;
            cluster.schedule(
                    context -> runs.add(name + " " + context.shardingItem()),
                    JobConfiguration.newBuilder(name, 2)
                            .schedule(Schedule.once(cluster.now().minus(ago)))
                            .build());
            cluster.advance(MINUTE);
            assertThat(runs).containsExactlyInAnyOrder(name + " 0", name + " 1");
            runs.clear();
        }
        restart(cluster);
        assertThat(runs).isEmpty();
        assertThat(reasons(cluster)).isEmpty();
    }

    private static void restart(TestCluster cluster) {
        List<TestCluster.Instance> alive =
                cluster.instances().stream().filter(TestCluster.Instance::alive).toList();
        alive.get(0).kill();
        cluster.advance(MINUTE);
        alive.subList(1, alive.size()).forEach(TestCluster.Instance::close);
        cluster.join();
        cluster.advance(MINUTE.multipliedBy(10));
    }

    @Test
    void firesIfItsInstantPassesWhileManyRecordsAreWritten(@Instances(1) TestCluster cluster) {
        schedule(
                cluster,
                JobConfiguration.newBuilder("once", 1_000)
                        .schedule(Schedule.once(cluster.now().plusMillis(5)))
                        .build());
        cluster.advance(MINUTE);

        assertThat(runs).hasSize(1_000).doesNotHaveDuplicates();
    }

    @Test
    void everyInstancePresentRunsBroadcastFireDueBeforeItIsStored(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> runs.add(context.instanceId()),
                JobConfiguration.newBuilder("once", 1)
                        .scope(Scope.BROADCAST)
                        .schedule(Schedule.once(cluster.now()))
                        .build());
        cluster.advance(MINUTE);
        cluster.join();
        cluster.advance(MINUTE);

        assertThat(runs)
                .containsExactlyInAnyOrder(
                        cluster.instances().get(0).id(),
                        cluster.instances().get(1).id());
    }

    @Test
    void broadcastFireWaitsForTheFirstInstance(@Instances(2) TestCluster cluster) {
        Instant at = cluster.now().plus(MINUTE.multipliedBy(3)).truncatedTo(ChronoUnit.MILLIS);
        cluster.schedule(
                context -> runs.add(context.instanceId()),
                JobConfiguration.newBuilder("once", 1)
                        .scope(Scope.BROADCAST)
                        .schedule(Schedule.once(at))
                        .build());
        cluster.instances().forEach(TestCluster.Instance::close);
        cluster.advance(MINUTE);
        assertThat(cluster.observe().nextFires("once", 2)).containsExactly(at);
        cluster.advance(MINUTE.multipliedBy(5));
        TestCluster.Instance first = cluster.join();
        cluster.advance(MINUTE);
        cluster.join();
        first.close();
        cluster.advance(MINUTE);
        cluster.join();
        cluster.advance(MINUTE);

        assertThat(runs).containsExactly(first.id());
    }

    @Test
    void misfirePolicyDecidesAboutFireDueBeforeItIsStored(@Instances(1) TestCluster cluster) {
        Schedule late = Schedule.once(cluster.now().minus(MINUTE.multipliedBy(2)));
        cluster.schedule(
                context -> runs.add(context.jobName()),
                JobConfiguration.newBuilder("skips", 1)
                        .schedule(late)
                        .misfire(MisfirePolicy.skip())
                        .build(),
                JobConfiguration.newBuilder("too-late", 1)
                        .schedule(late)
                        .catchUpWindow(MINUTE)
                        .build(),
                JobConfiguration.newBuilder("in-window", 1)
                        .schedule(late)
                        .catchUpWindow(MINUTE.multipliedBy(3))
                        .build(),
                JobConfiguration.newBuilder("on-time", 1)
                        .schedule(Schedule.once(cluster.now().minusSeconds(2)))
                        .misfire(MisfirePolicy.skip())
                        .build());
        cluster.advance(MINUTE);

        assertThat(runs).containsExactlyInAnyOrder("in-window", "on-time");
        assertThat(reasons(cluster).keySet()).containsExactlyInAnyOrder("skips", "too-late");
        assertThat(reasons(cluster).get("skips"))
                .startsWith("NO_FIRES: the schedule, " + late + ", had no fire left when it took effect at ");
    }

    private static Map<String, String> reasons(TestCluster cluster) {
        Map<String, String> reasons = new TreeMap<>();
        TestCluster.Instance last = cluster.instances().get(cluster.instances().size() - 1);
        last.health().jobs().forEach((job, health) -> {
            health.reasons().forEach(reason -> reasons.put(job, reason.kind() + ": " + reason.text()));
        });
        return reasons;
    }

    @Test
    void laterDefinitionFiresThoughItsInstantHasPassed(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> runs.add("first"),
                JobConfiguration.newBuilder("once", 1)
                        .schedule(Schedule.fixedRate(Duration.ofHours(6)))
                        .build());
        cluster.advance(MINUTE.multipliedBy(5));
        cluster.schedule(
                context -> runs.add("second"),
                JobConfiguration.newBuilder("other", 1).build());
        redefine(cluster, 1, Schedule.once(cluster.now().minus(MINUTE)));
        assertThat(runs).containsExactly("first");

        redefine(cluster, 2, Schedule.once(cluster.now().minus(Duration.ofDays(1))));
        assertThat(runs).hasSize(1);
        assertThat(reasons(cluster).get("once")).contains("NO_FIRES");
    }

    private static void redefine(TestCluster cluster, int revision, Schedule schedule) {
        cluster.instances()
                .get(cluster.instances().size() - 1)
                .engine()
                .redefine(List.of(JobConfiguration.newBuilder("once", 1)
                        .revision(revision)
                        .schedule(schedule)
                        .build()));
        cluster.advance(MINUTE);
    }

    @Test
    void firedScheduleThatReturnsDoesNotFireAgain(@Instances(1) TestCluster cluster) {
        Schedule once = Schedule.once(cluster.now());
        schedule(cluster, JobConfiguration.newBuilder("once", 1).schedule(once).build());
        cluster.advance(MINUTE);
        assertThat(runs).hasSize(1);

        redefine(cluster, 1, once.jitter(Duration.ofSeconds(5)));
        assertThat(runs).hasSize(1);
        for (int i = 0; i < 20; i++) { // more than the number of schedules that a plan remembers
            cluster.amend("once", override -> override.withSchedule(Schedule.fixedRate(MINUTE)));
            cluster.advance(MINUTE.multipliedBy(2));
            runs.clear();
            cluster.amend("once", override -> override.withSchedule(null));
            cluster.advance(MINUTE);
            assertThat(runs).isEmpty();
        }
        cluster.amend("once", override -> override.withRemoved(true));
        cluster.advance(MINUTE);
        cluster.amend("once", override -> override.withRemoved(false).withShardingTotalCount(3));
        cluster.advance(MINUTE);
        assertThat(runs).isEmpty();
    }

    /** A clock that is ahead begins the fire before its time. */
    @Test
    void overriddenFireThatBeganEarlyDoesNotRunAgain(@Instances(0) TestCluster cluster) {
        cluster.join(Duration.ofSeconds(8));
        schedule(
                cluster,
                JobConfiguration.newBuilder("once", 1)
                        .schedule(Schedule.once(cluster.now().plus(MINUTE)))
                        .build());
        cluster.advance(Duration.ofSeconds(54));
        assertThat(runs).hasSize(1);
        cluster.amend("once", override -> override.withSchedule(Schedule.onDemand()));
        cluster.advance(MINUTE);
        cluster.amend("once", override -> override.withSchedule(null));
        cluster.advance(MINUTE);

        assertThat(runs).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/jobs/once", "/jobs/once/sharding"})
    void fireThatRanDoesNotRunAgainAfterNodesWereDeleted(String path) {
        try (TestCluster cluster = new TestCluster(2, Instant.parse("2026-01-01T00:00:00Z"), 1)) {
            schedule(
                    cluster,
                    JobConfiguration.newBuilder("once", 2)
                            .schedule(Schedule.once(cluster.now()))
                            .build());
            cluster.advance(MINUTE);
            new ZkCli(cluster).delete(path);
            cluster.advance(MINUTE.multipliedBy(3));
            assertThat(runs).containsExactlyInAnyOrder("0#1", "1#1");

            cluster.trigger("once", Map.of());
            assertThat(runs).hasSize(4);
        }
    }

    @Test
    void scheduleWithoutFireIsAReason(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> runs.add("ran"),
                JobConfiguration.newBuilder("past-year", 1)
                        .schedule(Schedule.cron("0 0 0 * * ? 2020"))
                        .build(),
                JobConfiguration.newBuilder("ended", 1)
                        .schedule(Schedule.fixedDelay(MINUTE).endingAt(cluster.now()))
                        .build(),
                JobConfiguration.newBuilder("ends", 1)
                        .schedule(Schedule.fixedRate(MINUTE)
                                .endingAt(cluster.now().plus(MINUTE.multipliedBy(3))))
                        .build(),
                JobConfiguration.newBuilder("on-demand", 1).build());
        cluster.advance(MINUTE.multipliedBy(10));
        assertThat(reasons(cluster).keySet()).containsExactlyInAnyOrder("past-year", "ended");

        restart(cluster); // a schedule that has ended is no reason
        assertThat(reasons(cluster).keySet()).containsExactlyInAnyOrder("past-year", "ended");
    }

    @Test
    void operatorsScheduleNeedsAFire(@Instances(1) TestCluster cluster) {
        schedule(cluster, JobConfiguration.newBuilder("once", 1).build());
        cluster.advance(MINUTE);
        for (Schedule over : List.of(
                Schedule.cron("0 0 0 * * ? 2020"),
                Schedule.fixedRate(MINUTE).endingAt(cluster.now()),
                Schedule.once(cluster.now()).startingAt(cluster.now().plus(MINUTE)))) {
            assertThatThrownBy(() -> override(cluster, over))
                    .isInstanceOf(JobConfigurationException.class)
                    .hasMessageContaining("job 'once': schedule is ")
                    .hasMessageContaining("accepted: a schedule with a fire after now");
        }
        override(cluster, Schedule.once(cluster.now().minus(MINUTE.dividedBy(2))));
        cluster.advance(MINUTE);
        assertThat(runs).containsExactly("0#1");
    }

    private static void override(TestCluster cluster, Schedule schedule) {
        cluster.operations().execute(new Command.SetOverride("once", "schedule", schedule), CommandOptions.by("ann"));
    }
}
