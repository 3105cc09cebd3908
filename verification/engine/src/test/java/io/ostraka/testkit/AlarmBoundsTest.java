package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.Alarm;
import io.ostraka.api.AlarmHandler;
import io.ostraka.api.AlarmKind;
import io.ostraka.api.AlarmPolicy;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingStrategies;
import io.ostraka.core.instance.Extensions;
import io.ostraka.core.placement.BuiltInStrategies;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests, in virtual time, how soon missed fires of a thousand jobs are delivered, and that good jobs cost nothing. */
class AlarmBoundsTest {
    private static final int JOBS = 1_000;
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final Map<String, Duration> delays = new TreeMap<>();
    private TestCluster cluster;

    /** Starts instances whose jobs are all due at the same time. */
    private void start(int instances) {
        AlarmHandler handler = alarm -> {
            if (alarm.kind() == AlarmKind.MISSED && alarm.state() == Alarm.State.FIRING) {
                delays.putIfAbsent(
                        String.valueOf(alarm.job()),
                        Duration.between(alarm.since().plus(LIMIT), now()));
            }
        };
        cluster = new TestCluster(
                instances,
                Instant.parse("2026-01-01T00:00:00Z"),
                0,
                Extensions.of(BuiltInStrategies.all()).withAlarmHandlers(List.of(handler)));
        cluster.schedule(
                context -> {},
                IntStream.range(0, JOBS)
                        .mapToObj(i -> JobConfiguration.newBuilder("settlement-of-branch-" + i, 1)
                                .schedule(Schedule.fixedRate(Duration.ofSeconds(60)))
                                .shardingStrategy(ShardingStrategies.ROUND_ROBIN)
                                .alarms(AlarmPolicy.defaults().after(AlarmKind.MISSED, LIMIT))
                                .build())
                        .toArray(JobConfiguration[]::new));
        cluster.advance(Duration.ofSeconds(90));
    }

    private Instant now() {
        return cluster.now();
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void missedFiresAreDeliveredWithinTenSecondsOfTheirLimit(int instances) {
        start(instances);
        cluster.tree().refuse(operation -> operation.path().matches("/jobs/[^/]+/sharding/0"));
        cluster.advance(Duration.ofSeconds(100));

        assertThat(delays).hasSize(JOBS);
        assertThat(delays.values()).allMatch(delay -> delay.compareTo(Duration.ofSeconds(10)) <= 0);
    }

    @Tag("slow")
    @Test
    void missedFiresOfAWedgedOwnerAreDeliveredWithin75Seconds() {
        start(3);
        TestCluster.Instance wedged = cluster.instances().stream()
                .filter(instance -> instance != cluster.leader())
                .findFirst()
                .orElseThrow();
        wedged.setWedged(true);
        cluster.advance(Duration.ofSeconds(170));

        assertThat(delays).hasSizeBetween(JOBS / 4, JOBS / 2);
        assertThat(delays.values()).allMatch(delay -> delay.compareTo(Duration.ofSeconds(75)) <= 0);
    }

    @Tag("slow")
    @Test
    void jobsWithoutProblemsCostNoRequestForAlarms() {
        start(3);
        long transactions = commits();
        cluster.advance(Duration.ofSeconds(120));

        // per fire and job one claim and one completion; the fires of an instance's jobs share no transaction
        assertThat(commits() - transactions).isLessThanOrEqualTo(2L * 2 * JOBS + 10);
        assertThat(delays).isEmpty();
    }

    private long commits() {
        return cluster.instances().stream()
                .mapToLong(instance -> instance.store().operations().commits())
                .sum();
    }
}
