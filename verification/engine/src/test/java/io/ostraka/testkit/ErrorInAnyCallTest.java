package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.Health;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
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
    /** Every STEP-th call fails, each in its own scenario. With a step of 1 the test takes a minute or two. */
    private static final int STEP = Integer.getInteger("ostraka.throwable.step", 7);

    /** A scenario of about a minute: a start, fires, a trigger, an expired session and a joining instance. */
    private static final class Scenario implements AutoCloseable {
        final TestCluster cluster = new TestCluster(2, Instant.parse("2026-01-01T00:00:00Z"), 0);
        final Map<Instant, Set<Integer>> ran = new TreeMap<>();

        void play(int victim, long failing) {
            TestCluster.Instance instance = cluster.instances().get(victim);
            instance.ports().failAt(failing < 0 ? -1 : instance.ports().calls() + failing);
            quietly(() -> cluster.schedule(
                    context -> ran.computeIfAbsent(context.fireTime(), fire -> new TreeSet<>())
                            .add(context.shardingItem()),
                    JobConfiguration.newBuilder("settle", ITEMS)
                            .schedule(Schedule.fixedRate(PERIOD))
                            .build()));
            quietly(() -> cluster.advance(TROUBLE.dividedBy(4)));
            quietly(() -> cluster.trigger("settle", Map.of()));
            quietly(() -> cluster.instances().get(1 - victim).expireSession());
            quietly(() -> cluster.advance(TROUBLE.dividedBy(4)));
            quietly(cluster::join);
            quietly(() -> cluster.advance(TROUBLE.dividedBy(2)));
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
            return scenario.cluster.instances().get(victim).ports().calls() - before;
        }
    }

    private static String problem(int victim, long failing) {
        try (Scenario scenario = new Scenario()) {
            scenario.play(victim, failing);
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
            return whole >= 5 && ill.isEmpty() ? "" : whole + " whole fires in a minute; " + ill;
        }
    }
}
