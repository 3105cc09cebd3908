package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.AlarmHandler;
import io.ostraka.api.AlarmPolicy;
import io.ostraka.api.Health;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobRun;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.metrics.Load;
import io.ostraka.core.instance.Extensions;
import io.ostraka.core.placement.BuiltInStrategies;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Throws an Error once from a call that the engine makes to its platform or to ZooKeeper. Afterwards all jobs must run
 * on all instances again, and health must be good. The Error hits each of the two instances in turn: the leader and the
 * follower.
 */
class ErrorInAnyCallTest {
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final Duration TROUBLE = Duration.ofMinutes(1);
    private static final int ITEMS = 4;
    /** Every STEP-th call fails, each in its own scenario. With a step of 1 the test takes several minutes. */
    private static final int STEP = Integer.getInteger("ostraka.throwable.step", 7);

    private static final JobConfiguration BRIEF = JobConfiguration.newBuilder("brief", 1)
            .schedule(Schedule.fixedRate(PERIOD))
            .alarms(AlarmPolicy.defaults().failuresInARow(1))
            .errorHandler("IGNORE")
            .build();

    /**
     * A scenario of about a minute: a start, fires, a trigger, an alarm, an expired session, a joining instance and a
     * failing job that is unregistered. The other job has a time limit, a retry and progress. The handler of alarms fails
     * at the first delivery of each alarm.
     */
    private static final class Scenario implements AutoCloseable {
        final Map<Instant, Set<Integer>> ran = new TreeMap<>();
        final Set<String> delivered = new TreeSet<>();
        final Set<String> handled = new TreeSet<>();
        final AlarmHandler handler = alarm -> {
            if (delivered.add(alarm.idempotencyKey())) {
                throw new IllegalStateException("the first delivery fails");
            }
            handled.add(alarm.idempotencyKey());
        };
        final TestCluster cluster = new TestCluster(
                2,
                Instant.parse("2026-01-01T00:00:00Z"),
                0,
                Extensions.of(BuiltInStrategies.all()).withAlarmHandlers(List.of(handler)));
        final List<JobRun> triggered = new ArrayList<>();
        final Brief brief = new Brief();

        void play(int victim, long failing) {
            TestCluster.Instance instance = cluster.instances().get(victim);
            instance.ports().failAt(failing < 0 ? -1 : instance.ports().calls() + failing);
            quietly(() -> cluster.schedule(
                    this::run,
                    JobConfiguration.newBuilder("settle", ITEMS)
                            .schedule(Schedule.fixedRate(PERIOD))
                            .timeout(PERIOD.dividedBy(2))
                            .retry(RetryPolicy.attempts(2).backoff(Duration.ofSeconds(1), 1, Duration.ofSeconds(1)))
                            .errorHandler("IGNORE")
                            .build()));
            quietly(() -> instance.engine().register(brief, BRIEF));
            quietly(() -> cluster.instances().get(1 - victim).engine().register(new Brief(), BRIEF));
            quietly(() -> cluster.advance(TROUBLE.dividedBy(4)));
            quietly(() -> instance.engine().unregister("brief"));
            quietly(() -> triggered.add(instance.engine().trigger("settle", Map.of(), Set.of())));
            quietly(() -> cluster.advance(Duration.ofSeconds(1)));
            quietly(() -> cluster.instances().get(1 - victim).expireSession());
            quietly(() -> cluster.advance(TROUBLE.dividedBy(4)));
            quietly(cluster::join);
            quietly(() -> cluster.advance(TROUBLE.dividedBy(2)));
        }

        private void run(ShardingContext context) {
            context.progress(0, 2, "");
            context.progress(1, 2, ""); // written at the end of the run
            if (context.attempt() % 2 == context.shardingItem() % 2) {
                throw new IllegalStateException("the attempt fails");
            }
            ran.computeIfAbsent(context.fireTime(), fire -> new TreeSet<>()).add(context.shardingItem());
        }

        /**
         * Swallows the injected Error. Here it hits the test's thread; in a real process it would hit a thread of the
         * engine.
         */
        private static void quietly(Runnable step) {
            try {
                step.run();
            } catch (OutOfMemoryError e) {
                assertThat(e).hasMessageStartingWith("injected");
            }
        }

        @Override
        public void close() {
            cluster.close();
        }
    }

    /** A job whose runs all fail. */
    private static final class Brief implements SimpleJob {
        boolean alive;

        @Override
        public void init() {
            alive = true;
        }

        @Override
        public void execute(ShardingContext context) {
            throw new IllegalStateException("the run fails");
        }

        @Override
        public void destroy() {
            alive = false;
        }
    }

    @Test
    void unregisteredJobIsDestroyedAlthoughAStepOfItsRemovalFailed() {
        try (Scenario scenario = new Scenario()) {
            TestCluster.Instance instance = scenario.cluster.instances().get(0);
            instance.engine().register(scenario.brief, BRIEF);
            scenario.cluster.advance(PERIOD.multipliedBy(2));
            assertThat(scenario.brief.alive).isTrue();
            instance.ports().failNext("NodeStore.unwatch");
            instance.engine().unregister("brief");
            scenario.cluster.advance(PERIOD);

            assertThat(scenario.brief.alive).isFalse();
        }
    }

    @Tag("slow")
    @Test
    @Timeout(600)
    void jobsRunAgainOnAllInstancesAfterAnyCallHasThrown() {
        List<String> broken = new ArrayList<>();
        for (int victim = 0; victim < 2; victim++) {
            long calls = calls(victim);
            assertThat(calls).as("calls in a minute").isGreaterThan(100);
            for (long failing = 1 + victim; failing <= calls; failing += STEP) {
                String problem = problem(victim, failing);
                if (!problem.isEmpty()) {
                    broken.add("instance " + victim + ", call " + failing + ": " + problem);
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    private static long calls(int victim) {
        try (Scenario scenario = new Scenario()) {
            long before = scenario.cluster.instances().get(victim).ports().calls();
            scenario.play(victim, -1);
            assertThat(scenario.handled).as("alarms").isNotEmpty();
            return scenario.cluster.instances().get(victim).ports().calls() - before;
        }
    }

    private static String problem(int victim, long failing) {
        try (Scenario scenario = new Scenario()) {
            scenario.play(victim, failing);
            Scenario.quietly(
                    () -> scenario.cluster.instances().get(victim).engine().unregister("brief"));
            Scenario.quietly(() -> scenario.cluster.advance(Duration.ofMinutes(2)));
            Instant from = scenario.cluster.now();
            scenario.cluster.advance(PERIOD.multipliedBy(6));
            long whole = scenario.ran.entrySet().stream()
                    .filter(fire -> fire.getKey().isAfter(from))
                    .filter(fire -> fire.getValue().size() == ITEMS)
                    .count();
            String ill = scenario.cluster.instances().stream()
                    .map(instance -> instance.engine().health())
                    .filter(health -> !health.good())
                    .map(Health::toString)
                    .collect(Collectors.joining("; "));
            long taken = scenario.cluster.instances().stream()
                    .flatMap(instance -> instance.metrics().load().slots().values().stream())
                    .mapToLong(Load.Slots::taken)
                    .sum();
            long endless = scenario.triggered.stream()
                    .filter(run -> !run.completion().toCompletableFuture().isDone())
                    .count();
            List<String> problems = new ArrayList<>();
            if (whole < 5) {
                problems.add(whole + " whole fires in a minute");
            }
            if (!ill.isEmpty()) {
                problems.add(ill);
            }
            if (taken > 0) {
                problems.add(taken + " slots are never released");
            }
            if (endless > 0) {
                problems.add("a triggered run does not complete");
            }
            if (scenario.brief.alive) {
                problems.add("the unregistered job is not destroyed");
            }
            if (!scenario.handled.equals(scenario.delivered)) {
                problems.add("alarms were handled: " + scenario.handled + ", but delivered: " + scenario.delivered);
            }
            return String.join("; ", problems);
        }
    }
}
