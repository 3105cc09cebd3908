package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Counts what a fire costs, at the server. All items of all instances meet in mid-run; whoever comes last reads the
 * server's counters. At that moment every claim has been answered and no completion has been sent, so between two
 * meetings lie one completion and one claim of each instance, and nothing else may. On a busy machine items that could
 * end together don't, and leave in several transactions: the cheapest of the fires counts.
 */
@Tag("cluster")
@Timeout(300)
class RequestCountTest {
    private static final int WARM = 10;
    private static final int FIRES = 10;

    @TempDir
    Path directory;

    @Test
    void aFireCostsEachOfThreeInstancesTwoTransactionsAndNothingElse() throws Exception {
        Cost cost = cost(3, 12, context -> {});

        assertThat(cost.requests).isEqualTo(2 * 3);
        assertThat(cost.notifications).isLessThan(FIRES);
    }

    @Test
    void aFireOf250ItemsCostsTheSame() throws Exception {
        Cost cost = cost(1, 250, context -> {});

        assertThat(cost.requests).isEqualTo(2);
        assertThat(cost.notifications).isLessThan(FIRES);
    }

    @Test
    void theCountWouldShowOneMoreRequestAnItem() throws Exception {
        Cost cost = cost(1, 2, context -> context.checkpoint());

        assertThat(cost.requests).isEqualTo(2 + 2);
    }

    /**
     * What was counted.
     *
     * @param requests of the cheapest fire
     * @param notifications of all fires, give or take one for each instance: whatever was sent that answers no request
     */
    private record Cost(long requests, long notifications) {}

    private Cost cost(int instances, int items, SimpleJob work) throws Exception {
        try (CountingServer server = new CountingServer(directory)) {
            CompletableFuture<Cost> counted = new CompletableFuture<>();
            Meeting meeting = new Meeting(server, items, counted);
            List<SingleEngine> engines = new ArrayList<>();
            try {
                for (int i = 0; i < instances; i++) {
                    SingleEngine engine = new SingleEngine(
                            Server.store(server.servers(), "count", Duration.ofSeconds(20)),
                            Duration.ZERO,
                            Duration.ofHours(1));
                    engines.add(engine);
                    engine.start();
                    engine.engine()
                            .register(
                                    (SimpleJob) context -> meeting.attend(context, work),
                                    JobConfiguration.newBuilder("counted", items)
                                            .schedule(Schedule.fixedRate(Duration.ofMillis(300)))
                                            .shutdownGrace(Duration.ofMillis(1))
                                            .build());
                }
                return counted.get(240, TimeUnit.SECONDS);
            } finally {
                meeting.over();
                engines.forEach(SingleEngine::close);
            }
        }
    }

    /** Where all items of all instances meet, again and again. */
    private static final class Meeting {
        private final CountingServer server;
        private final CompletableFuture<Cost> counted;
        private final CyclicBarrier barrier;
        private int meetings;
        private long cheapest = Long.MAX_VALUE;
        private long requestsBefore;
        private long unaskedBefore;
        private volatile boolean over;

        Meeting(CountingServer server, int items, CompletableFuture<Cost> counted) {
            this.server = server;
            this.counted = counted;
            this.barrier = new CyclicBarrier(items, this::met);
        }

        void attend(ShardingContext context, SimpleJob work) throws Exception {
            if (!over) {
                work.execute(context);
                barrier.await();
            }
        }

        void over() {
            over = true;
            barrier.reset();
        }

        private void met() {
            long requests = server.requests().values().stream()
                    .mapToLong(count -> count)
                    .sum();
            meetings++;
            if (meetings == WARM) {
                unaskedBefore = server.unasked();
            } else if (meetings > WARM) {
                cheapest = Math.min(cheapest, requests - requestsBefore);
            }
            requestsBefore = requests;
            if (meetings == WARM + FIRES) {
                counted.complete(new Cost(cheapest, server.unasked() - unaskedBefore));
            }
        }
    }
}
