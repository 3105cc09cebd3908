package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.Operations;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests that the list of problems is cheap while nothing is wrong. */
@ExtendWith(OstrakaExtension.class)
class ProblemReadsTest {
    private static final int JOBS = 20;
    private static final int ITEMS = 3;

    private static InMemoryNodeStore.Operations counted(TestCluster cluster) {
        return cluster.instances().get(0).store().operations();
    }

    @Test
    void healthyJobsCostOneMoreReadForEachItem(@Instances(1) TestCluster cluster) {
        for (int i = 0; i < JOBS; i++) {
            cluster.schedule(
                    context -> {},
                    JobConfiguration.newBuilder("job-" + i, ITEMS)
                            .schedule(Schedule.fixedRate(Duration.ofHours(1)))
                            .build());
        }
        cluster.advance(Duration.ofMinutes(1));
        Operations operations = cluster.instances().get(0).operations();
        long before = counted(cluster).reads();
        operations.namespace();
        operations.jobs();
        operations.instances();
        operations.alarms();
        long lists = counted(cluster).reads() - before;
        cluster.advance(Duration.ofSeconds(1));

        before = counted(cluster).reads();
        assertThat(operations.problems()).isEmpty();

        assertThat(counted(cluster).reads() - before).isLessThanOrEqualTo(lists + JOBS * ITEMS + 2);
    }
}
