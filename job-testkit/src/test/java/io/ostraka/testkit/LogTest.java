package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What changes is in the log, once. For those who found out from a thousand lines, or from none. */
@ExtendWith(OstrakaExtension.class)
class LogTest {
    private static final String HEALTH = "io.ostraka.core.facade.HealthBook";
    private static final String DEFINITIONS = "io.ostraka.core.facade.Definitions";
    /** Long enough for whatever is repeated to be there twice. */
    private static final Duration LONG = Duration.ofMinutes(5);

    private static JobConfiguration.Builder job(String name, int items) {
        return JobConfiguration.newBuilder(name, items).schedule(Schedule.fixedRate(Duration.ofSeconds(1)));
    }

    @Test
    void everyChangeOfHealthIsLoggedOnce(@Instances(0) TestCluster cluster) throws Exception {
        try (InfoLog log = new InfoLog(HEALTH)) {
            TestCluster.Instance instance = cluster.join();
            cluster.schedule(context -> {}, job("logged", 2).build());
            cluster.advance(LONG);
            assertThat(log.lines("connected to ZooKeeper as " + instance.id())).hasSize(1);
            assertThat(log.lines("this instance leads")).hasSize(1);

            cluster.amend("logged", override -> override.withPaused(true));
            cluster.advance(LONG);
            assertThat(log.lines("job 'logged' is stopped here: paused by an operator"))
                    .hasSize(1);
            assertThat(log.lines("runs as configured again")).isEmpty();

            cluster.amend("logged", override -> override.withPaused(false));
            cluster.advance(LONG);
            assertThat(log.lines("job 'logged' runs as configured again")).hasSize(1);
            assertThat(log.lines("no connection to ZooKeeper")).isEmpty();

            instance.store().suspend();
            cluster.advance(LONG);
            assertThat(log.lines("no connection to ZooKeeper; what runs goes on, nothing of 1 jobs starts"))
                    .hasSize(1);
            assertThat(log.lines("connected to ZooKeeper as")).hasSize(1);

            instance.store().reconnect();
            cluster.advance(LONG);
            assertThat(log.lines("connected to ZooKeeper as")).hasSize(2);
            assertThat(log.lines("job 'logged'"))
                    .as("a lost connection is not said again of each job")
                    .hasSize(2);
        }
    }

    /** Those whose two services had one job's name, and took turns in defining it. */
    @Test
    void aDefinitionThatReplacesAnotherOfItsRevisionIsNamedWithIt(@Instances(2) TestCluster cluster) throws Exception {
        JobConfiguration one = job("shared", 2).build();
        JobConfiguration other = job("shared", 3).build();
        try (InfoLog log = new InfoLog(DEFINITIONS)) {
            cluster.instances().get(0).engine().register((SimpleJob) context -> {}, one);
            cluster.advance(LONG);
            assertThat(log.lines("replaces")).isEmpty();

            cluster.instances().get(1).engine().register((SimpleJob) context -> {}, other);
            cluster.advance(LONG);
            assertThat(log.lines("job 'shared': definition " + other + " replaces " + one))
                    .hasSize(1);
            assertThat(log.lines("replaces")).hasSize(1);
        }
    }
}
