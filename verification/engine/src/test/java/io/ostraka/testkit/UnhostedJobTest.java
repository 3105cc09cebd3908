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
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests that the leader reports a job that no instance hosts any more. */
@ExtendWith(OstrakaExtension.class)
class UnhostedJobTest {
    private static final SimpleJob JOB = context -> {};

    private static final JobConfiguration DEFINITION = JobConfiguration.newBuilder("orphan", 1)
            .schedule(Schedule.fixedRate(Duration.ofSeconds(10)))
            .build();

    private static Map<String, JobHealth> health(TestCluster cluster, int instance) {
        return cluster.instances().get(instance).engine().health().jobs();
    }

    @Test
    void leaderReportsAnUnhostedJobUntilItIsHostedAgain(@Instances(2) TestCluster cluster) throws Exception {
        cluster.instances().get(1).engine().register(JOB, DEFINITION);
        cluster.advance(Duration.ofSeconds(20));
        try (InfoLog log = new InfoLog("io.ostraka.core.instance.HealthReports")) {
            cluster.instances().get(1).kill();
            cluster.advance(Duration.ofSeconds(50));
            assertThat(health(cluster, 0)).as("within the time of a restart").isEmpty();

            cluster.advance(Duration.ofMinutes(10));
            JobHealth orphan = health(cluster, 0).get("orphan");
            assertThat(orphan.hosted()).isFalse();
            assertThat(orphan.status()).isEqualTo(Status.STOPPED);
            assertThat(orphan.reason(Kind.NO_HOST)).isPresent();
            assertThat(log.lines("no instance hosts the job")).hasSize(1);
        }
        cluster.join().engine().register(JOB, DEFINITION);
        cluster.advance(Duration.ofSeconds(20));
        assertThat(health(cluster, 0)).isEmpty();
        assertThat(health(cluster, 2).get("orphan").status()).isEqualTo(Status.RUNNING);
    }

    @Test
    void removedJobWithoutAHostIsNotReported(@Instances(2) TestCluster cluster) {
        cluster.instances().get(1).engine().register(JOB, DEFINITION);
        cluster.advance(Duration.ofSeconds(20));
        cluster.amend("orphan", override -> override.withRemoved(true));
        cluster.advance(Duration.ofSeconds(20));
        cluster.instances().get(1).close();
        cluster.advance(Duration.ofMinutes(5));

        assertThat(health(cluster, 0)).isEmpty();
    }

    @Test
    void newLeaderReportsAnUnhostedJobAtOnce(@Instances(3) TestCluster cluster) {
        cluster.instances().get(2).engine().register(JOB, DEFINITION);
        cluster.advance(Duration.ofSeconds(20));
        cluster.instances().get(2).close();
        cluster.advance(Duration.ofMinutes(10));
        TestCluster.Instance former = cluster.leader();
        assertThat(former.health().jobs()).containsKey("orphan");

        former.close();
        cluster.advance(Duration.ofSeconds(2));
        assertThat(cluster.leader()).isNotSameAs(former);
        assertThat(cluster.leader().health().jobs().get("orphan").reason(Kind.NO_HOST))
                .isPresent();
    }

    /** The other instances may follow within the time of a restart. */
    @Test
    void firstInstanceAfterARestartWaitsBeforeItReports(@Instances(2) TestCluster cluster) {
        cluster.instances().get(1).engine().register(JOB, DEFINITION);
        cluster.advance(Duration.ofSeconds(20));
        cluster.instances().get(1).close();
        cluster.advance(Duration.ofSeconds(20));
        cluster.instances().get(0).close();
        cluster.advance(Duration.ofHours(8));

        cluster.join();
        cluster.advance(Duration.ofSeconds(50));
        assertThat(health(cluster, 2)).isEmpty();
        cluster.advance(Duration.ofSeconds(20));
        assertThat(health(cluster, 2)).containsKey("orphan");
    }
}
