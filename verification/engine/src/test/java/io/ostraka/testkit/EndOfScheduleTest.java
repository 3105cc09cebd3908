package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.SkipReason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests the last fires of a schedule that ends. There is no later fire whose claim could record them as skipped. */
@ExtendWith(OstrakaExtension.class)
class EndOfScheduleTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final List<Instant> runs = new ArrayList<>();

    private JobConfiguration.Builder job(TestCluster cluster) {
        Schedule minutely = Schedule.fixedRate(MINUTE);
        return JobConfiguration.newBuilder("ending", 1)
                .schedule(minutely.endingAt(cluster.now().plus(MINUTE.multipliedBy(10))))
                .misfire(MisfirePolicy.skip());
    }

    private static long skips(TestCluster cluster, SkipReason reason) {
        return cluster.instances().stream()
                .map(instance -> instance.engine().metrics().jobs().get("ending"))
                .filter(Objects::nonNull)
                .mapToLong(job -> job.skips(reason))
                .sum();
    }

    @Test
    void lastFiresWithoutAnInstanceAreReportedOnceAsMisfired(@Instances(1) TestCluster cluster) {
        Instant end = cluster.now().plus(MINUTE.multipliedBy(10));
        cluster.schedule(context -> runs.add(context.fireTime()), job(cluster).build());
        cluster.advance(MINUTE.multipliedBy(4).plusSeconds(30));
        cluster.instances().get(0).close();
        cluster.advance(MINUTE.multipliedBy(10));
        cluster.join();
        cluster.advance(MINUTE);

        Instant last = runs.get(runs.size() - 1);
        long missed = Duration.between(last, end).dividedBy(MINUTE);
        assertThat(missed).isGreaterThanOrEqualTo(5);
        assertThat(skips(cluster, SkipReason.MISFIRED)).isEqualTo(missed);
        for (int i = 1; i < 4; i++) {
            cluster.instances().get(i).close();
            cluster.join();
            cluster.advance(MINUTE);
        }
        assertThat(skips(cluster, SkipReason.MISFIRED)).isEqualTo(missed);
    }

    @Test
    void lastFiresDuringTheLastRunAreReportedAsOverlapped(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> {
                    runs.add(context.fireTime());
                    if (context.attempt() == 1) {
                        cluster.instance(context.instanceId()).kill();
                    }
                },
                job(cluster).build());
        cluster.advance(MINUTE.multipliedBy(30));
        cluster.join();
        cluster.advance(MINUTE.multipliedBy(5));

        assertThat(runs).hasSize(2);
        assertThat(skips(cluster, SkipReason.OVERLAPPED)).isGreaterThanOrEqualTo(8);
    }
}
