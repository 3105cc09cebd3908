package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that a process that cannot start threads keeps its claims, waits, and sends no further requests to ZooKeeper.
 */
class NoThreadsTest {
    private static final Duration PERIOD = Duration.ofMinutes(10);

    private final TestCluster cluster = new TestCluster(1, Instant.parse("2026-01-01T00:00:00Z"), 1);
    private final TestCluster.Instance instance = cluster.instances().get(0);
    private final List<String> ran = new ArrayList<>();

    @BeforeEach
    void schedule() {
        cluster.schedule(
                context -> ran.add(context.shardingItem() + ", attempt " + context.attempt()),
                JobConfiguration.newBuilder("settle", 2)
                        .schedule(Schedule.fixedRate(PERIOD))
                        .build());
        cluster.advance(PERIOD.multipliedBy(2).minusSeconds(30));
        ran.clear();
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void fireWaitsForAThreadAndCostsOneClaimAndOneCompletion() {
        long before = instance.store().operations().commits();
        instance.setThreadless(true);
        cluster.advance(Duration.ofMinutes(5));
        assertThat(ran).isEmpty();
        assertThat(instance.store().operations().commits() - before)
                .as("the claim and the published health")
                .isEqualTo(2);
        assertThat(instance.engine().health().jobs().get("settle").reasons())
                .extracting(JobHealth.Reason::kind)
                .containsExactly(JobHealth.Kind.NO_THREADS);

        instance.setThreadless(false);
        cluster.advance(Duration.ofMinutes(1));
        assertThat(ran).containsExactlyInAnyOrder("0, attempt 1", "1, attempt 1");
        assertThat(instance.store().operations().commits() - before)
                .as("with the completions and the published health")
                .isBetween(4L, 5L);
        assertThat(instance.engine().health().good()).isTrue();
    }

    @Test
    void itemsMoveFromAProcessThatClosesWithoutThreads() {
        instance.setThreadless(true);
        cluster.advance(Duration.ofMinutes(1));
        cluster.join();
        instance.close();
        cluster.advance(Duration.ofMinutes(1));
        assertThat(ran).hasSize(2);
    }

    @Test
    void itemsMoveFromAProcessThatDiesWithoutThreads() {
        instance.setThreadless(true);
        cluster.advance(Duration.ofMinutes(1));
        cluster.join();
        instance.kill();
        cluster.advance(Duration.ofMinutes(2));
        assertThat(ran).hasSize(2);
    }
}
