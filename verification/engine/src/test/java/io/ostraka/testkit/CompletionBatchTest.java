package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests how many transactions a fire costs when its items end some time apart. */
class CompletionBatchTest {
    private static final Duration PERIOD = Duration.ofMinutes(10);
    private static final int ITEMS = 50;

    private final TestCluster cluster = new TestCluster(1, Instant.parse("2026-01-01T00:00:00Z"), 1);
    private final TestCluster.Instance instance = cluster.instances().get(0);
    private final List<Instant> began = new ArrayList<>();

    @AfterEach
    void close() {
        cluster.close();
    }

    /**
     * Starts the code of the items one after the other, with the given pause in between. Returns the number of
     * transactions of a fire.
     */
    private long transactionsOfAFire(Duration apart) {
        cluster.schedule(
                context -> began.add(cluster.now()),
                JobConfiguration.newBuilder("cache", ITEMS)
                        .schedule(Schedule.fixedRate(PERIOD))
                        .build());
        cluster.advance(PERIOD.multipliedBy(2).minusSeconds(30));
        began.clear();
        long before = instance.store().operations().commits();
        int[] started = {0};
        instance.setThreads(
                threads -> task -> cluster.time().after(apart.multipliedBy(started[0]++), () -> threads.execute(task)));
        cluster.advance(Duration.ofMinutes(2));
        assertThat(began).hasSize(ITEMS);
        return instance.store().operations().commits() - before;
    }

    @Test
    void itemsThatEndTogetherCostTwoTransactions() {
        assertThat(transactionsOfAFire(Duration.ZERO)).isEqualTo(2);
    }

    @Test
    void itemsThatEndShortlyAfterEachOtherCostTwoTransactions() {
        assertThat(transactionsOfAFire(Duration.ofMillis(3))).isEqualTo(2);
    }

    /** The time that the completions of one fire have waited does not shorten the wait of the next fire. */
    @Test
    void eachOfManyFiresCostsTwoTransactions() {
        cluster.schedule(
                context -> began.add(cluster.now()),
                JobConfiguration.newBuilder("cache", 3)
                        .schedule(Schedule.fixedRate(Duration.ofMillis(50)))
                        .build());
        int[] started = {0};
        instance.setThreads(threads -> task -> cluster.time()
                .after(Duration.ofMillis(15).multipliedBy(started[0]++ % 3), () -> threads.execute(task)));
        cluster.advance(Duration.ofSeconds(10));
        long before = instance.store().operations().commits();
        began.clear();
        cluster.advance(Duration.ofSeconds(10));

        assertThat(began).hasSize(600);
        assertThat(instance.store().operations().commits() - before).isEqualTo(400);
    }

    /** On a busy machine threads start late, and the items end just as late. */
    @Test
    void itemsWithLateThreadsCostTwoTransactions() {
        assertThat(transactionsOfAFire(Duration.ofMillis(19))).isEqualTo(2);
    }

    @Test
    void completionsFarApartDoNotWaitForTheLastItem() {
        assertThat(transactionsOfAFire(Duration.ofSeconds(1))).isBetween(10L, 1L + ITEMS);
    }
}
