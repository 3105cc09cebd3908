package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.AlarmPolicy;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.event.Event;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.api.metrics.Status;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.core.instance.Extensions;
import io.ostraka.core.placement.BuiltInStrategies;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests the state of the jobs from which a monitoring system can see that a job does not run. */
@ExtendWith(OstrakaExtension.class)
class StatusTest {
    private static final String JOB = "settle";
    private static final Duration HOUR = Duration.ofHours(1);
    /** Longest time until a change is in the state. */
    private static final Duration LOOKS = Duration.ofSeconds(15);

    private final AtomicBoolean failing = new AtomicBoolean();
    private final AtomicInteger runs = new AtomicInteger();

    private static JobConfiguration.Builder hourly(int items) {
        return JobConfiguration.newBuilder(JOB, items).schedule(Schedule.fixedRate(HOUR));
    }

    private SimpleJob job() {
        return context -> {
            runs.incrementAndGet();
            if (failing.get()) {
                throw new IllegalStateException("no funds");
            }
        };
    }

    private static Status status(TestCluster.Instance instance) {
        return instance.metrics().status();
    }

    private static Status.Hosted hosted(TestCluster.Instance instance) {
        return Objects.requireNonNull(status(instance).hosted().get(JOB), () -> "the status of " + JOB);
    }

    private static Status.Led led(TestCluster cluster) {
        return Objects.requireNonNull(status(cluster.leader()).led().get(JOB), () -> "the status of " + JOB);
    }

    private static @Nullable Instant expected(TestCluster cluster) {
        return led(cluster).expected();
    }

    private static Instant lastFire(TestCluster cluster) {
        return Objects.requireNonNull(
                cluster.observe().items(JOB, List.of("0")).get(0).decidedUpTo(), "cursor");
    }

    // ---- the leader

    @Test
    void onlyTheLeaderShowsWhatItKnows(TestCluster cluster) {
        cluster.schedule(job(), hourly(2).build());
        cluster.advance(HOUR.multipliedBy(3));

        for (TestCluster.Instance instance : cluster.instances()) {
            boolean leads = instance == cluster.leader();
            assertThat(status(instance).leader()).isEqualTo(leads);
            assertThat(status(instance).led().keySet()).isEqualTo(leads ? Set.of(JOB) : Set.of());
        }
        TestCluster.Instance former = cluster.leader();
        former.kill();
        cluster.advance(Duration.ofMinutes(1));
        assertThat(status(cluster.leader()).led()).containsOnlyKeys(JOB);
    }

    @Test
    void expectedFireIsTheLatestWhoseLimitHasPassed(@Instances(1) TestCluster cluster) {
        cluster.schedule(job(), hourly(1).build());
        cluster.advance(HOUR.plusMinutes(1));
        assertThat(runs).hasValue(1);
        assertThat(expected(cluster)).as("before the limit").isNull();

        cluster.advance(Duration.ofMinutes(5));
        Instant first = expected(cluster);
        assertThat(first).isEqualTo(lastFire(cluster));
        cluster.advance(HOUR.minusMinutes(2));
        assertThat(runs).hasValue(2);
        assertThat(expected(cluster)).as("the second fire, before its limit").isEqualTo(first);
        cluster.advance(Duration.ofMinutes(5));
        assertThat(expected(cluster)).isEqualTo(Objects.requireNonNull(first).plus(HOUR));
    }

    @Tag("slow")
    @Test
    void expectedFireIsLaterThanTheSuccessOfAJobThatDoesNotStart(TestCluster cluster) {
        cluster.schedule(job(), hourly(1).build());
        cluster.advance(HOUR.multipliedBy(3));
        cluster.tree().refuse(operation -> operation.path().matches("/jobs/settle/sharding/\\d+"));
        cluster.advance(HOUR.plusMinutes(10));

        Instant success = cluster.instances().stream()
                .map(instance -> hosted(instance).lastSuccess())
                .filter(Objects::nonNull)
                .max(Instant::compareTo)
                .orElseThrow();
        assertThat(expected(cluster)).isAfter(success);
        assertThat(led(cluster).alarms()).containsExactly(AlarmKind.MISSED);
    }

    @Test
    void silencedAlarmIsNotShown(@Instances(1) TestCluster cluster) {
        cluster.schedule(job(), hourly(1).build());
        cluster.operations()
                .execute(
                        new Command.SilenceAlarms(
                                JOB, Set.of(AlarmKind.MISSED), cluster.now().plus(HOUR.multipliedBy(9))),
                        CommandOptions.by("ops"));
        cluster.advance(HOUR.multipliedBy(2));
        cluster.tree().refuse(operation -> operation.path().matches("/jobs/settle/sharding/\\d+"));
        cluster.advance(HOUR.plusMinutes(10));

        assertThat(cluster.operations().alarms()).hasSize(1);
        assertThat(led(cluster).alarms()).isEmpty();
        assertThat(expected(cluster)).isNotNull();
    }

    @Tag("slow")
    @Test
    void noFireIsExpectedWhileAnOperatorPreventsIt(@Instances(1) TestCluster cluster) {
        cluster.schedule(job(), hourly(2).build());
        cluster.advance(HOUR.multipliedBy(2));
        assertThat(expected(cluster)).isNotNull();

        cluster.pause(JOB);
        cluster.advance(LOOKS);
        assertThat(expected(cluster)).as("paused").isNull();
        assertThat(hosted(cluster.leader()).paused()).isTrue();
        cluster.advance(HOUR.multipliedBy(2));
        cluster.resume(JOB);
        cluster.advance(LOOKS);
        assertThat(expected(cluster)).as("fires of the pause").isNull();
        cluster.advance(HOUR.plusMinutes(6));
        assertThat(expected(cluster)).as("resumed").isEqualTo(lastFire(cluster));

        cluster.amend(JOB, override -> override.withDisabledItems(Set.of("0", "1")));
        cluster.advance(HOUR.multipliedBy(2));
        assertThat(expected(cluster)).as("all items disabled").isNull();
        cluster.amend(JOB, override -> override.withDisabledItems(Set.of("0")));
        cluster.advance(HOUR.plusMinutes(10));
        assertThat(expected(cluster)).as("one item disabled").isNotNull();

        cluster.operations().execute(new Command.Freeze(null), CommandOptions.by("ops"));
        cluster.advance(HOUR.multipliedBy(2));
        assertThat(expected(cluster)).as("frozen").isNull();
        cluster.operations().execute(new Command.Thaw(), CommandOptions.by("ops"));
        cluster.advance(HOUR.plusMinutes(10));
        assertThat(expected(cluster)).as("not frozen").isNotNull();

        cluster.amend(JOB, override -> override.withRemoved(true));
        cluster.advance(HOUR.multipliedBy(2));
        assertThat(status(cluster.leader()).led().getOrDefault(JOB, new Status.Led(null, Set.of())))
                .as("removed")
                .isEqualTo(new Status.Led(null, Set.of()));
    }

    @Test
    void noFireIsExpectedOfJobsWithoutFixedFires(@Instances(1) TestCluster cluster) {
        Map<String, JobConfiguration.Builder> jobs = Map.of(
                "on-demand", JobConfiguration.newBuilder("on-demand", 1),
                "delay", JobConfiguration.newBuilder("delay", 1).schedule(Schedule.fixedDelay(Duration.ofMinutes(1))),
                "no-alarm",
                        JobConfiguration.newBuilder("no-alarm", 1)
                                .schedule(Schedule.fixedRate(Duration.ofMinutes(1)))
                                .alarms(AlarmPolicy.defaults().without(AlarmKind.MISSED)),
                "with-alarm",
                        JobConfiguration.newBuilder("with-alarm", 1)
                                .schedule(Schedule.fixedRate(Duration.ofMinutes(1))));
        jobs.values().forEach(each -> cluster.schedule(job(), each.build()));
        cluster.advance(HOUR);

        assertThat(status(cluster.leader()).led())
                .hasSameSizeAs(jobs)
                .allSatisfy((name, led) -> assertThat(led.expected() != null).isEqualTo(name.equals("with-alarm")));
    }

    // ---- the owners

    @Test
    void lastSuccessMovesWithTheItem(TestCluster cluster) {
        cluster.schedule(job(), hourly(1).build());
        cluster.advance(HOUR.plusMinutes(1));
        TestCluster.Instance owner = cluster.instances().stream()
                .filter(instance -> hosted(instance).lastSuccess() != null)
                .findFirst()
                .orElseThrow();
        Instant success = hosted(owner).lastSuccess();
        failing.set(true);
        cluster.advance(HOUR);
        assertThat(runs).hasValue(2);
        assertThat(hosted(owner))
                .extracting(Status.Hosted::lastSuccess, Status.Hosted::failuresInRow)
                .containsExactly(success, 1);
        owner.close();
        cluster.advance(LOOKS);

        List<Status.Hosted> others = cluster.instances().stream()
                .filter(TestCluster.Instance::alive)
                .map(StatusTest::hosted)
                .filter(each -> each.lastSuccess() != null)
                .toList();
        assertThat(others).hasSize(1);
        assertThat(others.get(0))
                .extracting(Status.Hosted::lastSuccess, Status.Hosted::failuresInRow)
                .containsExactly(success, 1);
    }

    @Test
    void manyFailuresDoNotHideTheSuccessBeforeThem(@Instances(1) TestCluster cluster) {
        cluster.schedule(job(), hourly(1).build());
        cluster.advance(HOUR.plusMinutes(1));
        Instant success = hosted(cluster.leader()).lastSuccess();
        failing.set(true);
        cluster.advance(HOUR.multipliedBy(4));

        assertThat(hosted(cluster.leader()))
                .extracting(Status.Hosted::lastSuccess, Status.Hosted::failuresInRow)
                .containsExactly(success, 4);
    }

    @Test
    void ageOfTheOldestRunGrowsUntilItEnds(@Instances(1) TestCluster cluster) {
        List<Duration> ages = new ArrayList<>();
        cluster.schedule(
                context -> {
                    for (int i = 0; i < 3; i++) {
                        cluster.advance(Duration.ofMinutes(10));
                        ages.add(hosted(cluster.leader()).longestRun());
                    }
                },
                hourly(1).build());
        cluster.advance(HOUR.plusMinutes(40));

        assertThat(ages).hasSize(3).isSorted();
        assertThat(ages.get(2).minus(ages.get(0))).isEqualTo(Duration.ofMinutes(20));
        assertThat(hosted(cluster.leader()).longestRun()).isZero();
    }

    @Test
    void childTasksAreCountedByOutcome(@Instances(1) TestCluster cluster) {
        List<Long> running = new ArrayList<>();
        cluster.schedule(
                context -> {
                    for (int i = 0; i < 5; i++) {
                        context.tasks().submit(() -> {
                            cluster.advance(Duration.ofSeconds(2));
                            running.add(hosted(cluster.leader()).tasks().running());
                        });
                    }
                    context.tasks().join();
                },
                JobConfiguration.newBuilder(JOB, 1).build());
        cluster.trigger(JOB, Map.of());
        cluster.advance(Duration.ofMinutes(1));

        assertThat(running).hasSize(5).allMatch(count -> count >= 1);
        assertThat(hosted(cluster.leader()).tasks()).satisfies(tasks -> {
            assertThat(tasks.succeeded()).isEqualTo(5);
            assertThat(tasks.submitted()).isEqualTo(5);
            assertThat(tasks.waiting() + tasks.running()).isZero();
            assertThat(tasks.duration().count()).isEqualTo(5);
            assertThat(tasks.duration().p95()).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
        });
    }

    // ---- subscribers

    @Test
    void subscriberReceivesTheStateUntilTheInstanceCloses() {
        List<Status> received = new ArrayList<>();
        EventSubscriber subscriber = new EventSubscriber() {
            @Override
            public void on(Event event) {}

            @Override
            public void status(Status status) {
                received.add(status);
            }
        };
        Extensions extensions = Extensions.of(BuiltInStrategies.all()).withSubscribers(List.of(subscriber));
        try (TestCluster cluster = new TestCluster(1, Instant.parse("2026-01-01T00:00:00Z"), 0, extensions)) {
            cluster.schedule(job(), hourly(1).build());
            cluster.advance(Duration.ofMinutes(2));
            Status latest = received.get(received.size() - 1);
            assertThat(latest.leader()).isTrue();
            assertThat(latest.hosted()).containsOnlyKeys(JOB);
            assertThat(latest.led()).containsOnlyKeys(JOB);
            cluster.leader().close();
            cluster.advance(Duration.ofMinutes(1));
        }

        assertThat(received.get(received.size() - 1)).isSameAs(Status.NONE);
    }

    /** A state costs no request, however many jobs the instance has. */
    @Test
    void stateCostsNoRequest(@Instances(1) TestCluster cluster) {
        cluster.schedule(job(), hourly(4).build());
        cluster.advance(HOUR.multipliedBy(3));
        var before = cluster.leader().store().operations();
        for (int i = 0; i < 1_000; i++) {
            assertThat(hosted(cluster.leader()).paused()).isFalse();
        }
        assertThat(cluster.leader().store().operations()).isEqualTo(before);
    }
}
