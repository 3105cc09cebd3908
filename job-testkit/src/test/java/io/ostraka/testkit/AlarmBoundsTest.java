package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.Alarm;
import io.ostraka.api.AlarmHandler;
import io.ostraka.api.AlarmKind;
import io.ostraka.api.AlarmPolicy;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.core.instance.Extensions;
import io.ostraka.core.placement.BuiltInStrategies;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests, in virtual time, how soon missed fires of a thousand jobs are delivered, and that good jobs cost nothing. */
class AlarmBoundsTest {
    private static final int JOBS = 1_000;
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final Map<String, Duration> delays = new TreeMap<>();
    private final TestCluster cluster;

    AlarmBoundsTest() {
        AlarmHandler handler = alarm -> {
            if (alarm.kind() == AlarmKind.MISSED && alarm.state() == Alarm.State.FIRING) {
                delays.putIfAbsent(
                        String.valueOf(alarm.job()),
                        Duration.between(alarm.since().plus(LIMIT), now()));
            }
        };
        cluster = new TestCluster(
                3,
                Instant.parse("2026-01-01T00:00:00Z"),
                0,
                Extensions.of(BuiltInStrategies.all()).withAlarmHandlers(List.of(handler)));
        for (int i = 0; i < JOBS; i++) {
            cluster.schedule(
                    context -> {},
                    JobConfiguration.newBuilder("job-" + i, 1)
                            .schedule(Schedule.fixedRate(Duration.ofSeconds(60)))
                            .alarms(AlarmPolicy.defaults().after(AlarmKind.MISSED, LIMIT))
                            .build());
        }
        cluster.advance(Duration.ofSeconds(90));
    }

    private Instant now() {
        return cluster.now();
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void missedFiresAreDeliveredWithinTenSecondsOfTheirLimit() {
        cluster.tree().refuse(operation -> operation.path().matches("/jobs/job-\\d+/sharding/0"));
        cluster.advance(Duration.ofSeconds(100));

        assertThat(delays).hasSize(JOBS);
        assertThat(delays.values()).allMatch(delay -> delay.compareTo(Duration.ofSeconds(10)) <= 0);
    }

    @Test
    void missedFiresOfAWedgedOwnerAreDeliveredWithin75Seconds() {
        TestCluster.Instance wedged = cluster.instances().stream()
                .filter(instance -> instance != cluster.leader())
                .findFirst()
                .orElseThrow();
        wedged.setWedged(true);
        cluster.advance(Duration.ofSeconds(170));

        assertThat(delays).hasSizeBetween(JOBS / 4, JOBS / 2);
        assertThat(delays.values()).allMatch(delay -> delay.compareTo(Duration.ofSeconds(75)) <= 0);
    }

    @Test
    void jobsWithoutProblemsCostNoRequestForAlarms() {
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
