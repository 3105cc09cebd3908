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
 * A job that fires every ten milliseconds, and a week in which nobody is there: 60 million fires, of each of which it is known
 * what became. Who walked through them one by one would not be done within the limit.
 */
@ExtendWith(OstrakaExtension.class)
@Timeout(60)
class LongOutageTest {
    private static final Duration PERIOD = Duration.ofMillis(10);
    private static final Duration WEEK = Duration.ofDays(7);
    private static final long FIRES_OF_A_WEEK = WEEK.dividedBy(PERIOD);

    private final List<Instant> fires = new ArrayList<>();
    /** Those of them that ran after the next fire's time. */
    private final List<Instant> late = new ArrayList<>();

    private static JobConfiguration.Builder job() {
        return JobConfiguration.newBuilder("job", 1)
                .schedule(Schedule.fixedRate(PERIOD))
                .misfireThreshold(Duration.ofSeconds(1));
    }

    private void ran(TestCluster cluster, ShardingContext context) {
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

    /** Every fire from the first to the last that ran was run or left out, and told of. */
    private void assertAllAreAccountedFor(TestCluster cluster) {
        long all = Duration.between(fires.get(0), fires.get(fires.size() - 1)).dividedBy(PERIOD) + 1;
        long leftOut = metrics(cluster).stream()
                .flatMap(job -> job.skips().values().stream())
                .mapToLong(Long::longValue)
                .sum();
        assertThat(fires).isSorted().doesNotHaveDuplicates();
        assertThat(fires.size() + leftOut).isEqualTo(all).isGreaterThan(FIRES_OF_A_WEEK);
    }

    private static MisfirePolicy policy(String name) {
        return switch (name) {
            case "fireOnce" -> MisfirePolicy.fireOnce();
            case "fireAll" -> MisfirePolicy.fireAll(7);
            default -> MisfirePolicy.skip();
        };
    }

    /** How many are run of those that were missed. */
    @ParameterizedTest
    @CsvSource({"fireOnce, 0", "fireAll, 7", "skip, 0"})
    void whatNobodyWasThereForIsDecidedByTheMisfirePolicyAtOnce(
            String misfire, int madeUpFor, @Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> ran(cluster, context), job().misfire(policy(misfire)).build());
        cluster.advance(Duration.ofSeconds(5));
        cluster.instances().get(0).close();
        late.clear();
        cluster.advance(WEEK);
        Instant returned = cluster.now();
        cluster.join();
        cluster.advance(Duration.ofSeconds(5));

        assertThat(late).hasSize(madeUpFor);
        assertThat(fires.get(fires.size() - 1)).isAfter(returned);
        assertThat(skips(cluster, SkipReason.MISFIRED)).isGreaterThan(FIRES_OF_A_WEEK - 1_000);
        assertAllAreAccountedFor(cluster);
    }

    /** An owner dies in a run, so that all fires of the week come while that goes on. */
    @ParameterizedTest
    @CsvSource({"skip, 0", "coalesce, 1", "queue, 5"})
    void whatCameWhileARunWasUnderWayIsDecidedByTheOverlapPolicyAtOnce(
            String overlap, int kept, @Instances(1) TestCluster cluster) {
        OverlapPolicy policy =
                switch (overlap) {
                    case "coalesce" -> OverlapPolicy.coalesce();
                    case "queue" -> OverlapPolicy.queue(5);
                    default -> OverlapPolicy.skip();
                };
        List<Instant> ended = new ArrayList<>();
        cluster.schedule(
                context -> {
                    ran(cluster, context);
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
                .as("kept of those that came meanwhile")
                .hasSize(kept);
        assertThat(fires.get(fires.size() - 1)).isAfter(returned);
        assertAllAreAccountedFor(cluster);
    }
}
