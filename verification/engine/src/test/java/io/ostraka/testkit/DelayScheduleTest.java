package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.DataflowJob;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests schedules that count from the end of an item's last run, with the whole engine. */
@ExtendWith(OstrakaExtension.class)
class DelayScheduleTest {
    private final List<Instant> starts = new ArrayList<>();

    @Test
    void fixedDelayCountsFromTheLastRunOnAnyOwner(TestCluster cluster) {
        List<String> owners = new ArrayList<>();
        cluster.schedule(
                context -> {
                    starts.add(cluster.now());
                    owners.add(context.instanceId());
                },
                job(Schedule.fixedDelay(Duration.ofSeconds(20))));
        for (int i = 0; i < 3; i++) {
            cluster.advance(Duration.ofSeconds(50));
            TestCluster.Instance owner = cluster.instance(owners.get(owners.size() - 1));
            cluster.join();
            owner.close();
        }

        assertThat(owners.stream().distinct().count()).isGreaterThan(2);
        assertThat(starts).hasSizeGreaterThan(5);
        for (int i = 1; i < starts.size(); i++) {
            assertThat(Duration.between(starts.get(i - 1), starts.get(i)))
                    .isBetween(Duration.ofSeconds(20), Duration.ofSeconds(22));
        }
    }

    private static final Duration BASE = Duration.ofSeconds(10);

    /**
     * A job whose runs take longer than the base delay. It records the pause from the end of each run to the next
     * start.
     */
    private final class Slow implements SimpleJob {
        final TestCluster cluster;
        final List<Duration> pauses = new ArrayList<>();
        final List<String> owners = new ArrayList<>();
        boolean quick;
        private Instant ended;

        Slow(TestCluster cluster) {
            this.cluster = cluster;
            this.ended = cluster.now();
        }

        @Override
        public void execute(ShardingContext context) {
            pauses.add(Duration.between(ended, cluster.now()).truncatedTo(ChronoUnit.SECONDS));
            owners.add(context.instanceId());
            if (!quick) {
                cluster.advance(BASE.plusSeconds(1));
                assertThat(Thread.interrupted()).isTrue();
            }
            ended = cluster.now();
        }

        /** Advances time until the job has run once more and returns the pause before that run. */
        Duration next() {
            int ran = pauses.size();
            for (int i = 0; pauses.size() == ran; i++) {
                assertThat(i).as("minutes without a run").isLessThan(20);
                cluster.advance(Duration.ofMinutes(1));
            }
            return pauses.get(ran);
        }
    }

    private static JobConfiguration adaptive() {
        return JobConfiguration.newBuilder("job", 1)
                .schedule(Schedule.adaptive(BASE, 16))
                .build();
    }

    @Test
    void adaptiveDelayKeepsItsValueAcrossOwners(@Instances(3) TestCluster cluster) {
        Slow job = new Slow(cluster);
        cluster.schedule(job, adaptive());
        cluster.advance(Duration.ofSeconds(12 + 11 + 20 + 11)); // two runs
        assertThat(job.pauses).hasSize(2).last().isEqualTo(BASE.multipliedBy(2));

        cluster.instance(job.owners.get(1)).close();
        assertThat(job.next())
                .isBetween(BASE.multipliedBy(4), BASE.multipliedBy(4).plusSeconds(3));
        cluster.instance(job.owners.get(2)).kill();
        job.quick = true;
        assertThat(job.next())
                .isBetween(BASE.multipliedBy(8), BASE.multipliedBy(8).plusSeconds(3));
        assertThat(job.owners.subList(1, 4)).as("owners of the last three runs").doesNotHaveDuplicates();
    }

    @Test
    void adaptiveDelayStartsOverAfterTheJobWasRemoved(@Instances(1) TestCluster cluster) {
        Slow job = new Slow(cluster);
        cluster.schedule(job, adaptive());
        cluster.advance(Duration.ofSeconds(12 + 11 + 20 + 11));
        assertThat(job.pauses).hasSize(2);
        cluster.amend("job", override -> override.withRemoved(true));
        cluster.advance(Duration.ofSeconds(5));
        cluster.join(); // registers the removed job again
        cluster.advance(Duration.ofMinutes(2));

        assertThat(job.pauses.get(2)).isLessThan(BASE.multipliedBy(3));
        assertThat(job.pauses.get(3))
                .as("after one slow run")
                .isBetween(BASE.multipliedBy(2), BASE.multipliedBy(2).plusSeconds(3));
    }

    @Test
    void continuousJobPausesOnlyWhenNoWorkIsLeft(TestCluster cluster) {
        List<Integer> queue = new ArrayList<>(List.of(1, 2, 3, 4, 5));
        DataflowJob<Integer> job = new DataflowJob<>() {
            @Override
            public List<Integer> fetchData(ShardingContext context) {
                starts.add(cluster.now());
                return queue.isEmpty() ? List.of() : List.of(queue.remove(0));
            }

            @Override
            public void processData(ShardingContext context, List<Integer> data) {}
        };
        cluster.schedule(job, job(Schedule.continuous(Duration.ofMinutes(1))));
        cluster.advance(Duration.ofSeconds(50));
        assertThat(queue).isEmpty();
        assertThat(starts).hasSize(6);

        queue.addAll(List.of(6, 7));
        cluster.advance(Duration.ofMinutes(1));
        assertThat(queue).isEmpty();
        assertThat(starts).hasSize(9);
    }

    @Test
    void jitterSpreadsItemsWithinOneFire(TestCluster cluster) {
        TreeSet<Instant> fires = new TreeSet<>();
        cluster.schedule(
                context -> {
                    starts.add(cluster.now());
                    fires.add(context.fireTime());
                },
                JobConfiguration.newBuilder("job", 12)
                        .schedule(Schedule.cron("0 * * * * ?").jitter(Duration.ofSeconds(30)))
                        .build());
        cluster.advance(Duration.ofSeconds(100));

        assertThat(starts).hasSizeGreaterThanOrEqualTo(12);
        assertThat(fires.size()).isLessThanOrEqualTo(2);
        assertThat(starts.stream().map(Instant::getEpochSecond).distinct().count())
                .isGreaterThan(6);
    }

    private static JobConfiguration job(Schedule schedule) {
        return JobConfiguration.newBuilder("job", 1).schedule(schedule).build();
    }
}
