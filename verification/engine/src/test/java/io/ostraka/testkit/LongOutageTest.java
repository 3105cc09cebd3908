package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SkipReason;
import io.ostraka.api.metrics.JobMetrics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A job fires every ten milliseconds, and for a week no instance is up. The outcome of all 60 million fires must be
 * counted. Code that visits the fires one by one would exceed the test's time limit.
 */
@ExtendWith(OstrakaExtension.class)
@Timeout(60)
class LongOutageTest {
    private static final Duration PERIOD = Duration.ofMillis(10);
    private static final Duration WEEK = Duration.ofDays(7);
    private static final long FIRES_OF_A_WEEK = WEEK.dividedBy(PERIOD);

    private final List<Instant> fires = new ArrayList<>();
    /** Fires that started when the next fire was already due. */
    private final List<Instant> late = new ArrayList<>();

    private static JobConfiguration.Builder job() {
        return JobConfiguration.newBuilder("job", 1)
                .schedule(Schedule.fixedRate(PERIOD))
                .misfireThreshold(Duration.ofSeconds(1));
    }

    private void record(TestCluster cluster, ShardingContext context) {
        if (context.attempt() == 1) {
            fires.add(context.fireTime());
            if (!cluster.now().isBefore(context.fireTime().plus(PERIOD))) {
                late.add(context.fireTime());
            }
        }
    }

    private static List<JobMetrics> metrics(TestCluster cluster) {
        return cluster.instances().stream()
                .map(instance -> instance.engine().metrics().jobs().get("job"))
                .filter(Objects::nonNull)
                .toList();
    }

    private static long skips(TestCluster cluster, SkipReason reason) {
        return metrics(cluster).stream().mapToLong(job -> job.skips(reason)).sum();
    }

    /** Asserts that every fire between the first and the last run was either run or reported as skipped. */
    private void assertAllAreAccountedFor(TestCluster cluster) {
        long all = Duration.between(fires.get(0), fires.get(fires.size() - 1)).dividedBy(PERIOD) + 1;
        long skipped = metrics(cluster).stream()
                .flatMap(job -> job.skips().values().stream())
                .mapToLong(Long::longValue)
                .sum();
        assertThat(fires).isSorted().doesNotHaveDuplicates();
        assertThat(fires.size() + skipped).isEqualTo(all).isGreaterThan(FIRES_OF_A_WEEK);
    }

    private static MisfirePolicy policy(String name) {
        return switch (name) {
            case "fireOnce" -> MisfirePolicy.fireOnce();
            case "fireAll" -> MisfirePolicy.fireAll(7);
            default -> MisfirePolicy.skip();
        };
    }

    /** {@code caughtUp} is the number of missed fires that still run. */
    @ParameterizedTest
    @CsvSource({"fireOnce, 0", "fireAll, 7", "skip, 0"})
    void misfirePolicyDecidesAWeekWithoutInstancesAtOnce(
            String misfire, int caughtUp, @Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> record(cluster, context),
                job().misfire(policy(misfire)).build());
        cluster.advance(Duration.ofSeconds(5));
        cluster.instances().get(0).close();
        late.clear();
        cluster.advance(WEEK);
        Instant returned = cluster.now();
        cluster.join();
        cluster.advance(Duration.ofSeconds(5));

        assertThat(late).hasSize(caughtUp);
        assertThat(fires.get(fires.size() - 1)).isAfter(returned);
        assertThat(skips(cluster, SkipReason.MISFIRED)).isGreaterThan(FIRES_OF_A_WEEK - 1_000);
        assertAllAreAccountedFor(cluster);
    }

    /** The owner dies during a run, so all fires of the week overlap that run. */
    @ParameterizedTest
    @CsvSource({"skip, 0", "coalesce, 1", "queue, 5"})
    void overlapPolicyDecidesAWeekDuringARunAtOnce(String overlap, int kept, @Instances(1) TestCluster cluster) {
        OverlapPolicy policy =
                switch (overlap) {
                    case "coalesce" -> OverlapPolicy.coalesce();
                    case "queue" -> OverlapPolicy.queue(5);
                    default -> OverlapPolicy.skip();
                };
        List<Instant> ended = new ArrayList<>();
        cluster.schedule(
                context -> {
                    record(cluster, context);
                    ended.add(cluster.now());
                    if (fires.size() == 100 && context.attempt() == 1) {
                        cluster.instance(context.instanceId()).kill();
                    }
                },
                job().overlap(policy).build());
        cluster.advance(Duration.ofSeconds(5));
        assertThat(fires).hasSize(100);
        cluster.advance(WEEK);
        Instant returned = cluster.now();
        cluster.join();
        cluster.advance(Duration.ofSeconds(5));

        Instant endedAgain = ended.get(100);
        assertThat(fires.stream().skip(100).filter(fire -> !fire.isAfter(endedAgain)))
                .as("fires of the week that still run")
                .hasSize(kept);
        assertThat(fires.get(fires.size() - 1)).isAfter(returned);
        assertAllAreAccountedFor(cluster);
    }
}
