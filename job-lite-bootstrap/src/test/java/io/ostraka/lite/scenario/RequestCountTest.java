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
 * Counts what a fire costs, at the server. All items of all instances meet in mid-run; whoever comes last reads the
 * server's counters. At that moment every claim has been answered and no completion has been sent, so between two
 * meetings lie one completion and one claim of each instance, and nothing else may.
 *
 * <p>The counts are exact on a busy machine too, where items end some time apart. They wait for the last of their claim
 * however long it takes, because the moment for which they would wait never ends; so all are idle together. And the clock stands
 * still until no item runs any more: no fire comes between two ends, nor before an end is told.
 */
@Tag("cluster")
@Timeout(300)
class RequestCountTest {
    private static final String JOB = "counted";
    private static final int WARM = 100;
    private static final int FIRES = 20;
    private static final Duration PERIOD = Duration.ofMillis(10);
    private static final Duration LIMIT = Duration.ofSeconds(120);

    @TempDir
    Path directory;

    @Test
    void aFireCostsEachOfThreeInstancesTwoTransactionsAndNothingElse() throws Exception {
        assertCost(new Cost(Map.of("transaction", 2L * 3 * FIRES), 0), 3, 12, context -> {});
    }

    @Test
    void aFireOf250ItemsCostsTheSame() throws Exception {
        assertCost(new Cost(Map.of("transaction", 2L * FIRES), 0), 1, 250, context -> {});
    }

    @Test
    void soDoesAFireOfEveryInstance() throws Exception {
        assertCost(new Cost(Map.of("transaction", 2L * 3 * FIRES), 0), Scope.BROADCAST, 3, 3, context -> {});
    }

    @Test
    void theCountWouldShowOneMoreRequestAnItem() throws Exception {
        Map<String, Long> requests = Map.of("transaction", 2L * FIRES, "read", 2L * FIRES);
        assertCost(new Cost(requests, 0), 1, 2, context -> context.checkpoint());
    }

    /** From the call to the known end, on the instance that asks and runs: back to back, with nothing else under way. */
    @Test
    void aTriggeredFireOfOneItemCostsThreeTransactionsAndTwoReads() throws Exception {
        SteppedTime time = new SteppedTime(); // it stands still: nothing is looked after meanwhile
        try (CountingServer server = new CountingServer(directory);
                SingleEngine engine = new SingleEngine(
                        Server.store(server.servers(), "count", Duration.ofSeconds(60)),
                        Duration.ZERO,
                        Duration.ofHours(1),
                        new EndlessMoment(),
                        time,
                        time.alarm())) {
            engine.start();
            engine.engine()
                    .register(
                            (SimpleJob) context -> {},
                            JobConfiguration.newBuilder(JOB, 1)
                                    .shutdownGrace(Duration.ofMillis(1))
                                    .build())
                    .toCompletableFuture()
                    .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
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
     * What all fires have cost together.
     *
     * @param requests by kind
     * @param notifications whatever was sent that answers no request
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
                    .schedule(Schedule.fixedDelay(PERIOD)) // however far a step goes, one fire is due after it
                    .overlap(OverlapPolicy.coalesce())
                    .misfire(MisfirePolicy.skip())
                    .paused(true)
                    .shutdownGrace(Duration.ofMillis(1))
                    .build();
            SteppedTime time = new SteppedTime();
            List<EndlessMoment> timers = new ArrayList<>();
            List<SingleEngine> engines = new ArrayList<>();
            try {
                for (int i = 0; i < instances; i++) {
                    EndlessMoment timer = new EndlessMoment();
                    timers.add(timer);
                    SingleEngine engine = new SingleEngine(
                            Server.store(server.servers(), "count", Duration.ofSeconds(60)),
                            Duration.ZERO,
                            Duration.ofHours(1),
                            timer,
                            time,
                            time.alarm());
                    engines.add(engine);
                    engine.start();
                    engine.engine().register((SimpleJob) context -> meeting.attend(context, work), job);
                }
                JobEngine operator = engines.get(0).engine();
                operator.registered().toCompletableFuture().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
                while (meeting.attendedInOneRun(operator) < instances) {
                    // not all instances have joined, or their items have not been moved to them
                }
                time.step(PERIOD); // the schedule counts from when the server had the plan
                meeting.attendedInOneRun(operator); // whoever owns an item now knows its record, and all are idle
                meeting.count();
                operator.amend(JOB, override -> override.withPaused(false))
                        .toCompletableFuture()
                        .get(LIMIT.toSeconds(), TimeUnit.SECONDS);

                while (!meeting.counted.isDone()) {
                    time.step(PERIOD);
                    meeting.awaitNext();
                    while (runs(server)) {
                        Thread.onSpinWait(); // the ends of all have yet to be told
                    }
                }
                assertThat(meeting.counted.join()).isEqualTo(expected);
                assertThat(timers)
                        .as("ends waited for each other")
                        .allMatch(timer -> timer.asked() || items == instances); // each has one alone
            } finally {
                meeting.over();
                engines.forEach(SingleEngine::close);
            }
        }
    }

    private static boolean runs(CountingServer server) {
        String items = "/count/jobs/" + JOB + "/sharding";
        return server.children(items).stream()
                .anyMatch(item -> server.children(items + "/" + item).contains("running"));
    }

    /** Where all items of all instances meet, again and again. */
    private static final class Meeting {
        private final CountingServer server;
        private final CyclicBarrier barrier;
        private final CompletableFuture<Cost> counted = new CompletableFuture<>();
        private final Set<String> instances = ConcurrentHashMap.newKeySet();
        private Map<String, Long> requestsBefore = Map.of();
        private long unaskedBefore;
        private int meetings;
        private final Semaphore met = new Semaphore(0);
        private volatile boolean meets;
        private volatile boolean counting;
        private volatile boolean over;

        /** @param gathering whether there are not as many items before all instances take part */
        Meeting(CountingServer server, int items, boolean gathering) {
            this.meets = !gathering;
            this.server = server;
            this.barrier = new CyclicBarrier(items, this::met);
        }

        /** On how many instances the items of a manual trigger have run. */
        int attendedInOneRun(JobEngine operator) throws InterruptedException {
            instances.clear();
            operator.trigger(JOB, Map.of(), Set.of()).await(LIMIT);
            return instances.size();
        }

        /** From the next meeting on. */
        void count() {
            counting = true;
            meets = true;
        }

        void attend(ShardingContext context, SimpleJob work) throws Exception {
            if (!over) {
                instances.add(context.instanceId());
                work.execute(context);
                if (meets) {
                    barrier.await();
                }
            }
        }

        /** Waits until all have met once more. */
        void awaitNext() throws InterruptedException {
            assertThat(met.tryAcquire(LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .as("all items run")
                    .isTrue();
        }

        void over() {
            over = true;
            barrier.reset();
        }

        private void met() {
            if (!counting) {
                return;
            }
            meetings++;
            if (meetings == WARM) {
                requestsBefore = server.requests();
                unaskedBefore = server.unasked();
            } else if (meetings == WARM + FIRES) {
                Map<String, Long> requests = new TreeMap<>(server.requests());
                requestsBefore.forEach((kind, count) -> requests.merge(kind, -count, Long::sum));
                requests.values().removeIf(count -> count == 0);
                counted.complete(new Cost(requests, server.unasked() - unaskedBefore));
            }
            met.release();
        }
    }
}
