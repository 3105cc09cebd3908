package io.ostraka.testkit;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ostraka.api.JobConfiguration;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class PeriodicResyncTest {
    private static final int JOBS = 60;
    /**
     * Number of nodes of a job that are read per minute. The leader and an instance each read the definition, the
     * override, the plan, and an item's record, running node and handover.
     */
    private static final int NODES_OF_A_JOB = 2 * (3 + 3);

    @Test
    void fullResyncReadsEverythingEachMinuteSpreadOverTime() {
        try (TestCluster cluster = new TestCluster(1, Instant.parse("2026-03-01T00:00:00Z"), 1)) {
            for (int job = 0; job < JOBS; job++) {
                cluster.schedule(
                        context -> {},
                        JobConfiguration.newBuilder("job-" + job, 1).build());
            }
            cluster.advance(Duration.ofMinutes(2));

            long most = 0;
            long first = reads(cluster);
            for (int second = 0; second < 60; second++) {
                long before = reads(cluster);
                cluster.advance(Duration.ofSeconds(1));
                most = Math.max(most, reads(cluster) - before);
            }
            long all = reads(cluster) - first;

            assertTrue(all >= JOBS * NODES_OF_A_JOB, "nodes read in a minute: " + all);
            assertTrue(most <= all / 6, "nodes read in a second: " + most + " of " + all);
        }
    }

    private static long reads(TestCluster cluster) {
        return cluster.instances().get(0).store().operations().reads();
    }
}
