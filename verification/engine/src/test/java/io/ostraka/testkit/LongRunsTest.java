package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobHealth.Status;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.fixtures.InfoLog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests that health reports a run that never returns, and that the log has one line about it. A run that is merely long
 * causes neither.
 */
@ExtendWith(OstrakaExtension.class)
class LongRunsTest {
    private final List<JobHealth> seen = new ArrayList<>();

    private static JobConfiguration.Builder every(Duration period) {
        return JobConfiguration.newBuilder("long", 1).schedule(Schedule.fixedRate(period));
    }

    /** Returns a job whose first run advances time by the given steps and records the health after each step. */
    private SimpleJob recordingHealth(TestCluster cluster, Duration... steps) {
        return context -> {
            if (seen.isEmpty()) {
                for (Duration step : steps) {
                    cluster.advance(step);
                    seen.add(cluster.instances().get(0).engine().health().jobs().get("long"));
                }
            }
        };
    }

    @Test
    void runPastAnHourAndItsNextFireIsReportedUntilItEnds(@Instances(1) TestCluster cluster) throws Exception {
        Instant before = cluster.now();
        try (InfoLog facade = new InfoLog("io.ostraka.core.job.RunSupervision");
                InfoLog ends = new InfoLog("io.ostraka.core.job.Completions");
                InfoLog log = new InfoLog("io.ostraka.core.instance.HealthReports")) {
            cluster.schedule(
                    recordingHealth(cluster, Duration.ofMinutes(59), Duration.ofMinutes(3), Duration.ofHours(1)),
                    every(Duration.ofSeconds(10)).build());
            cluster.advance(Duration.ofHours(3));

            assertThat(seen.get(0).status()).isEqualTo(Status.RUNNING);
            assertThat(seen.subList(1, 3)).allSatisfy(job -> {
                assertThat(job.status()).isEqualTo(Status.LIMITED);
                assertThat(job.reason(Kind.LONG_RUNNING_ITEMS)).hasValueSatisfying(reason -> {
                    assertThat(reason.text()).contains("item 0 takes unusually long", "timeout");
                    assertThat(reason.since()).isAfter(before.plus(Duration.ofMinutes(59)));
                });
            });
            assertThat(log.lines("has been running since"))
                    .singleElement()
                    .asString()
                    .contains("job 'long' item 0 of fire", "set the job's timeout");
            assertThat(log.lines("    at ")).as("stack of the code").isNotEmpty();
            assertThat(log.lines("has ended after PT2H")).hasSize(1);
            assertThat(log.lines("job 'long'")).as("no line is repeated").hasSize(2);
        }
        assertThat(cluster.instances()
                        .get(0)
                        .engine()
                        .health()
                        .jobs()
                        .get("long")
                        .reasons())
                .isEmpty();
    }

    @Test
    void longRunThatEndsBeforeTheNextFireIsNotReported(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                recordingHealth(cluster, Duration.ofHours(3)),
                every(Duration.ofHours(4)).build());
        cluster.advance(Duration.ofHours(8));

        assertThat(seen).singleElement().extracting(JobHealth::status).isEqualTo(Status.RUNNING);
    }

    @Tag("slow")
    @Test
    void longRunIsReportedOnceTheNextFireIsDue(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                recordingHealth(cluster, Duration.ofHours(5)),
                every(Duration.ofHours(4)).build());
        cluster.advance(Duration.ofHours(10));

        assertThat(seen.get(0).reason(Kind.LONG_RUNNING_ITEMS)).isPresent();
    }

    @Tag("slow")
    @Test
    void runWithoutALaterFireIsReportedAfterADay(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                recordingHealth(cluster, Duration.ofHours(23), Duration.ofHours(2)),
                JobConfiguration.newBuilder("long", 1).build());
        cluster.trigger("long", Map.of());
        cluster.advance(Duration.ofMinutes(1));

        assertThat(seen.get(0).status()).isEqualTo(Status.RUNNING);
        assertThat(seen.get(1).reason(Kind.LONG_RUNNING_ITEMS)).isPresent();
    }

    @Test
    void runsWithATimeoutAndStreamsAreNotReported(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                recordingHealth(cluster, Duration.ofHours(2)),
                every(Duration.ofSeconds(10)).timeout(Duration.ofHours(3)).build());
        cluster.advance(Duration.ofHours(3));
        assertThat(seen).singleElement().extracting(JobHealth::status).isEqualTo(Status.RUNNING);

        seen.clear();
        cluster.instances().get(0).engine().unregister("long");
        cluster.schedule(
                recordingHealth(cluster, Duration.ofHours(2)),
                every(Duration.ofSeconds(10)).streaming(true).build());
        cluster.advance(Duration.ofHours(3));
        assertThat(seen).singleElement().extracting(JobHealth::status).isEqualTo(Status.RUNNING);
    }
}
