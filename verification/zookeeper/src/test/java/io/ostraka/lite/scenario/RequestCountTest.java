package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.core.instance.JobEngine;
import io.ostraka.fixtures.Eventually;
import io.ostraka.operations.Commands;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Counts the requests of a fire at the server. All items of all instances meet in mid-run, and the last item to arrive
 * reads the server's counters. At that moment every claim has been answered and no completion has been sent. Between
 * two meetings each instance therefore sends one completion and one claim, and must not send anything else.
 *
 * <p>The counts are exact even on a busy machine, where the items do not end at the same time. With {@link
 * EndlessBatchDelay}, completions wait for the last one of their batch, so all items become idle together. The clock
 * stands still until no item runs, so no fire comes due before all ends are recorded.
 */
@Tag("cluster")
@Timeout(300)
class RequestCountTest {
    private static final String JOB = "counted";
    private static final int WARM = 100;
    private static final int FIRES = 20;
    private static final Duration PERIOD = Duration.ofMillis(10);
    private static final Duration LIMIT = Duration.ofSeconds(120);
    /** An instance makes its periodic checks after a quarter of this time, which no test reaches. */
    private static final Duration SESSION = Duration.ofHours(1);

    @TempDir
    Path directory;

    @Test
    void fireCostsOnlyTwoTransactionsPerInstance() throws Exception {
        assertCost(new Cost(Map.of("transaction", 2L * 3 * FIRES), 0), 3, 12, context -> {});
    }

    @Test
    void fireOf250ItemsCostsOnlyTwoTransactions() throws Exception {
        assertCost(new Cost(Map.of("transaction", 2L * FIRES), 0), 1, 250, context -> {});
    }

    @Test
    void broadcastFireCostsOnlyTwoTransactionsPerInstance() throws Exception {
        assertCost(new Cost(Map.of("transaction", 2L * 3 * FIRES), 0), Scope.BROADCAST, 3, 3, context -> {});
    }

    @Test
    void countShowsExtraRequestPerItem() throws Exception {
        Map<String, Long> requests = Map.of("transaction", 2L * FIRES, "read", 2L * FIRES);
        assertCost(new Cost(requests, 0), 1, 2, context -> context.checkpoint());
    }

    /**
     * Counts the requests from a trigger until its caller knows the end of the fire. One instance runs one fire right
     * after the other, without any other load.
     */
    @Test
    void triggeredFireCostsThreeTransactionsAndTwoReads() throws Exception {
        SteppedTime time = new SteppedTime(); // the clock stands still, so no periodic check runs
        try (CountingServer server = new CountingServer(directory);
                SingleEngine engine = new SingleEngine(
                        Server.store(server.servers(), "count", SESSION),
                        Duration.ZERO,
                        Duration.ofHours(1),
                        new EndlessBatchDelay(),
                        time,
                        time.fireTimer())) {
            engine.start();
            engine.engine()
                    .register(
                            (SimpleJob) context -> {},
                            JobConfiguration.newBuilder(JOB, 1)
                                    .shutdownGrace(Duration.ofMillis(1))
                                    .build())
                    .toCompletableFuture()
                    .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            awaitPublishedHealth(server, 1);
            for (int i = 0; i < FIRES; i++) {
                engine.engine().trigger(JOB, Map.of(), Set.of()).await(LIMIT);
            }
            Map<String, Long> before = server.requests();
            for (int i = 0; i < FIRES; i++) {
                assertThat(engine.engine().trigger(JOB, Map.of(), Set.of()).await(LIMIT))
                        .containsExactly(Map.entry("0", ItemOutcome.SUCCEEDED));
            }
            Map<String, Long> requests = new TreeMap<>(server.requests());
            before.forEach((kind, count) -> requests.merge(kind, -count, Long::sum));
            requests.values().removeIf(count -> count == 0);

            assertThat(requests).isEqualTo(Map.of("transaction", 3L * FIRES, "read", 2L * FIRES));
        }
    }

    /**
     * The cost of all counted fires.
     *
     * @param requests number of requests by kind
     * @param notifications number of watch events sent
     */
    private record Cost(Map<String, Long> requests, long notifications) {}

    private void assertCost(Cost expected, int instances, int items, SimpleJob work) throws Exception {
        assertCost(expected, Scope.SHARDED, instances, items, work);
    }

    private void assertCost(Cost expected, Scope scope, int instances, int items, SimpleJob work) throws Exception {
        try (CountingServer server = new CountingServer(directory)) {
            Meeting meeting = new Meeting(server, items, scope == Scope.BROADCAST);
            JobConfiguration job = JobConfiguration.newBuilder(JOB, scope == Scope.SHARDED ? items : 1)
                    .scope(scope)
                    .schedule(Schedule.fixedDelay(PERIOD)) // exactly one fire is due after a step of any length
                    .overlap(OverlapPolicy.coalesce())
                    .misfire(MisfirePolicy.skip())
                    .paused(true)
                    .shutdownGrace(Duration.ofMillis(1))
                    .build();
            SteppedTime time = new SteppedTime();
            List<EndlessBatchDelay> timers = new ArrayList<>();
            List<SingleEngine> engines = new ArrayList<>();
            try {
                for (int i = 0; i < instances; i++) {
                    EndlessBatchDelay timer = new EndlessBatchDelay();
                    timers.add(timer);
                    SingleEngine engine = new SingleEngine(
                            Server.store(server.servers(), "count", SESSION),
                            Duration.ZERO,
                            Duration.ofHours(1),
                            timer,
                            time,
                            time.fireTimer());
                    engines.add(engine);
                    engine.start();
                    engine.engine().register((SimpleJob) context -> meeting.attend(context, work), job);
                }
                JobEngine operator = engines.get(0).engine();
                operator.registered().toCompletableFuture().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
                while (meeting.attendedInOneRun(operator) < instances) {
                    // some instances have not joined yet, or do not own their items yet
                }
                time.step(PERIOD); // the schedule starts at the server's time of the plan; the clock must be past it
                meeting.attendedInOneRun(operator); // now each owner has read its records, and all items are idle
                meeting.count();
                new Commands(operator.operations())
                        .amend(JOB, override -> override.withPaused(false))
                        .toCompletableFuture()
                        .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
                awaitPublishedHealth(server, instances);

                while (!meeting.counted.isDone()) {
                    time.step(PERIOD);
                    meeting.awaitNext();
                    Eventually.holds("the record of all ends", () -> !runs(server));
                }
                assertThat(meeting.counted.join()).isEqualTo(expected);
                assertThat(timers)
                        .as("completions waited for each other")
                        .allMatch(timer -> timer.waited() || items == instances); // one item needs no wait
            } finally {
                meeting.end();
                engines.forEach(SingleEngine::close);
            }
        }
    }

    /**
     * Waits until the published health of each instance has no reasons. An instance publishes again only when these
     * change.
     */
    private static void awaitPublishedHealth(CountingServer server, int instances) {
        String digests = "/count/health";
        Eventually.holds(
                "health without reasons",
                () -> server.children(digests).stream()
                                .filter(id -> server.text(digests + "/" + id).contains("\"jobs\":{}"))
                                .count()
                        >= instances);
    }

    private static boolean runs(CountingServer server) {
        String items = "/count/jobs/" + JOB + "/sharding";
        return server.children(items).stream()
                .anyMatch(item -> server.children(items + "/" + item).contains("running"));
    }

    /** A recurring meeting of all items of all instances. */
    private static final class Meeting {
        private final CountingServer server;
        private final CyclicBarrier barrier;
        private final CompletableFuture<Cost> counted = new CompletableFuture<>();
        private final Set<String> instances = ConcurrentHashMap.newKeySet();
        private Map<String, Long> requestsBefore = Map.of();
        private long watchEventsBefore;
        private int meetings;
        private final Semaphore met = new Semaphore(0);
        private volatile boolean meets;
        private volatile boolean counting;
        private volatile boolean ended;

        /**
         * @param gathering true if there are as many items as instances, so that the items can meet only once all
         * instances take part
         */
        Meeting(CountingServer server, int items, boolean gathering) {
            this.meets = !gathering;
            this.server = server;
            this.barrier = new CyclicBarrier(items, this::met);
        }

        /** Triggers the job, and returns the number of instances on which its items ran. */
        int attendedInOneRun(JobEngine operator) throws InterruptedException {
            instances.clear();
            operator.trigger(JOB, Map.of(), Set.of()).await(LIMIT);
            return instances.size();
        }

        /** Counts meetings from the next one on, and requests after the first {@code WARM} of these meetings. */
        void count() {
            counting = true;
            meets = true;
        }

        void attend(ShardingContext context, SimpleJob work) throws Exception {
            if (!ended) {
                instances.add(context.instanceId());
                work.execute(context);
                if (meets) {
                    barrier.await();
                }
            }
        }

        /** Waits for the next meeting. */
        void awaitNext() throws InterruptedException {
            assertThat(met.tryAcquire(LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .as("all items run")
                    .isTrue();
        }

        void end() {
            ended = true;
            barrier.reset();
        }

        private void met() {
            if (!counting) {
                return;
            }
            meetings++;
            if (meetings == WARM) {
                requestsBefore = server.requests();
                watchEventsBefore = server.watchEvents();
            } else if (meetings == WARM + FIRES) {
                Map<String, Long> requests = new TreeMap<>(server.requests());
                requestsBefore.forEach((kind, count) -> requests.merge(kind, -count, Long::sum));
                requests.values().removeIf(count -> count == 0);
                counted.complete(new Cost(requests, server.watchEvents() - watchEventsBefore));
            }
            met.release();
        }
    }
}
