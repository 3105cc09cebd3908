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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whichever call of the engine's to its machine or to ZooKeeper throws an Error, once: all jobs run again soon, on all
 * instances, and health is good. Both instances are tried, the one that leads and the other.
 */
class AnyThrowableTest {
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final Duration TROUBLE = Duration.ofMinutes(1);
    private static final int ITEMS = 4;
    /** Every so many calls are tried; all of them take a minute or two. */
    private static final int STEP = Integer.getInteger("ostraka.throwable.step", 7);

    /** A story of about a minute: a start, fires, a trigger, a death, and one who joins. */
    private static final class Story implements AutoCloseable {
        final TestCluster cluster = new TestCluster(2, Instant.parse("2026-01-01T00:00:00Z"), 0);
        final Map<Instant, Set<Integer>> ran = new TreeMap<>();

        void tell(int victim, long failing) {
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

        /** What the injected error does to a thread that is the test's here is a thread's death in a process. */
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
        try (Story story = new Story()) {
            long before = story.cluster.instances().get(victim).ports().calls();
            story.tell(victim, -1);
            return story.cluster.instances().get(victim).ports().calls() - before;
        }
    }

    private static String problem(int victim, long failing) {
        try (Story story = new Story()) {
            story.tell(victim, failing);
            Story.quietly(() -> story.cluster.advance(Duration.ofMinutes(2)));
            Instant from = story.cluster.now();
            story.cluster.advance(PERIOD.multipliedBy(6));
            long whole = story.ran.entrySet().stream()
                    .filter(fire -> fire.getKey().isAfter(from))
                    .filter(fire -> fire.getValue().size() == ITEMS)
                    .count();
            String ill = story.cluster.instances().stream()
                    .map(instance -> instance.engine().health())
                    .filter(health -> !health.good())
                    .map(Health::toString)
                    .collect(Collectors.joining("; "));
            return whole >= 5 && ill.isEmpty() ? "" : whole + " whole fires in a minute; " + ill;
        }
    }
}
