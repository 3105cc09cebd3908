package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that ZooKeeper may refuse transactions for a while without a lasting cost. */
class RefusedTransactionsTest {
    private static final int ITEMS = 200;
    private static final Duration PERIOD = Duration.ofMinutes(1);

    private final TestCluster cluster = new TestCluster(1, Instant.parse("2026-01-01T00:00:00Z"), 0);
    private final Set<Integer> ran = new TreeSet<>();

    @BeforeEach
    void schedule() {
        cluster.schedule(
                context -> ran.add(context.shardingItem()),
                JobConfiguration.newBuilder("settle", ITEMS)
                        .schedule(Schedule.fixedRate(PERIOD))
                        .build());
        cluster.advance(PERIOD.multipliedBy(2).minusSeconds(2));
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private long transactionsOfOneFire() {
        InMemoryNodeStore store = cluster.instances().get(0).store();
        long before = store.operations().commits();
        ran.clear();
        cluster.advance(PERIOD);
        return store.operations().commits() - before;
    }

    private JobHealth health() {
        return cluster.instances().get(0).engine().health().jobs().get("settle");
    }

    @Test
    void costIsAsBeforeOnceTransactionsAreAcceptedAgain() {
        long usual = transactionsOfOneFire();
        cluster.tree().refuse(operation -> operation.path().matches("/jobs/settle/sharding/\\d+"));
        cluster.advance(PERIOD);
        assertThat(health().reasons()).singleElement().satisfies(reason -> {
            assertThat(reason.kind()).isEqualTo(JobHealth.Kind.REFUSED);
            assertThat(reason.text()).contains("access rights").doesNotContain("jute.maxbuffer");
        });
        cluster.tree().refuse(operation -> false);
        cluster.advance(PERIOD);

        assertThat(transactionsOfOneFire()).isEqualTo(usual);
        assertThat(ran).hasSize(ITEMS);
        assertThat(health().status()).isEqualTo(JobHealth.Status.RUNNING);
    }

    @Test
    void refusedItemDoesNotDelayTheOthers() {
        cluster.tree().refuse(operation -> operation.path().equals("/jobs/settle/sharding/77"));
        cluster.advance(PERIOD);
        transactionsOfOneFire();
        assertThat(ran).hasSize(ITEMS - 1).doesNotContain(77);
        assertThat(health().reasons()).extracting(JobHealth.Reason::kind).containsExactly(JobHealth.Kind.REFUSED);

        cluster.tree().refuse(operation -> false);
        cluster.advance(PERIOD);
        transactionsOfOneFire();
        assertThat(ran).hasSize(ITEMS);
    }
}
