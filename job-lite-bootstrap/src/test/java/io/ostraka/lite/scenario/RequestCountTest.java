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
import java.util.Map;
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
 * meetings lie one completion and one claim of each instance, and nothing else may.
 */
@Tag("cluster")
@Timeout(300)
class RequestCountTest {
    private static final int WARM = 25;
    private static final int FIRES = 20;

    @TempDir
    Path directory;

    @Test
    void aFireCostsEachOfThreeInstancesTwoTransactionsAndNothingElse() throws Exception {
        long[] cost = cost(3, 12, context -> {});

        assertThat(cost[0]).as("requests").isEqualTo(2L * 3 * FIRES);
        assertThat(cost[1]).as("replies and notifications").isEqualTo(2L * 3 * FIRES);
    }

    @Test
    void aFireOf250ItemsCostsTheSame() throws Exception {
        long[] cost = cost(1, 250, context -> {});

        assertThat(cost[0]).as("requests").isEqualTo(2L * FIRES);
        assertThat(cost[1]).as("replies and notifications").isEqualTo(2L * FIRES);
    }

    @Test
    void theCountWouldShowOneMoreRequestAnItem() throws Exception {
        long[] cost = cost(1, 2, context -> context.checkpoint());

        assertThat(cost[0]).isEqualTo((2L + 2) * FIRES);
    }

    /** Requests and answers of the given number of fires. */
    private long[] cost(int instances, int items, SimpleJob work) throws Exception {
        try (Server server = new Server(directory)) {
            CompletableFuture<long[]> counted = new CompletableFuture<>();
            Meeting meeting = new Meeting(server, items, counted);
            List<SingleEngine> engines = new ArrayList<>();
            try {
                for (int i = 0; i < instances; i++) {
                    SingleEngine engine = new SingleEngine(
                            server.store("count", Duration.ofSeconds(20)), Duration.ZERO, Duration.ofHours(1));
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
        private final Server server;
        private final CompletableFuture<long[]> counted;
        private final CyclicBarrier barrier;
        private int meetings;
        private Map<String, Long> before = Map.of();
        private volatile boolean over;

        Meeting(Server server, int items, CompletableFuture<long[]> counted) {
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
            meetings++;
            if (meetings == WARM) {
                before = server.packets();
            } else if (meetings == WARM + FIRES) {
                Map<String, Long> first = server.packets();
                Map<String, Long> second = server.packets();
                counted.complete(new long[] {
                    between("zk_packets_received", first, second), between("zk_packets_sent", first, second)
                });
            }
        }

        /** What came between, without what asking the server cost. */
        private long between(String metric, Map<String, Long> first, Map<String, Long> second) {
            long asking = second.get(metric) - first.get(metric);
            return first.get(metric) - before.get(metric) - asking;
        }
    }
}
