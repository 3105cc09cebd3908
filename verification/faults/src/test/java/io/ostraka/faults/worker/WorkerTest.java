package io.ostraka.faults.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Item;
import io.ostraka.fixtures.Eventually;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
@Timeout(300)
class WorkerTest {
    @TempDir
    Path directory;

    @Test
    void everyJobRunsAndItemsOfKilledWorkerAreTakenOver() throws Exception {
        try (WorkerTestCluster cluster = new WorkerTestCluster(directory);
                Worker survivor = cluster.join("survivor");
                Worker victim = cluster.join("victim")) {
            Eventually.holds(
                    "both to work",
                    () -> processes(cluster).containsAll(Set.of(survivor.name(), victim.name()))
                            && items(cluster.resource.history()).containsAll(scheduled()));
            String run = survivor.trigger(Workload.ONCE, Set.of()).get(90, TimeUnit.SECONDS);
            Eventually.holds(
                    "the triggered run to end",
                    () -> WorkerTestCluster.of(Event.Told.class, survivor.history()).stream()
                            .anyMatch(told -> told.runId().equals(run)
                                    && told.outcomes() != null
                                    && told.outcomes().size() == 8));

            victim.kill();
            List<EventLog.Line> whole = victim.history();
            long killed = whole.get(whole.size() - 1).nanos();
            Eventually.holds("its items to be taken over", () -> items(since(killed, cluster))
                    .containsAll(scheduled()));

            assertThat(whole.get(whole.size() - 1).event()).isInstanceOf(Event.Killed.class);
            assertTrue(cluster.resource.history(), List.of(survivor.history(), whole));
            assertThat(survivor.complaints()).isEmpty();
        }
    }

    @Test
    void stoppedWorkersLateWriteIsRefusedAndItContinues() throws Exception {
        try (WorkerTestCluster cluster = new WorkerTestCluster(directory);
                Worker steady = cluster.join("steady");
                Worker sleeper = cluster.join("sleeper")) {
            Eventually.holds(
                    "both to work", () -> processes(cluster).containsAll(Set.of(steady.name(), sleeper.name())));

            steady.clock(Duration.ofSeconds(15)).get(90, TimeUnit.SECONDS);
            Eventually.holds("its clock to be found ahead", () -> clockAhead(steady));
            steady.clock(Duration.ZERO).get(90, TimeUnit.SECONDS);
            Eventually.holds("its clock to be found right", () -> !clockAhead(steady));

            do { // repeats, because the worker possibly had no late write that could be refused
                sleeper.stop();
                long stopped = System.nanoTime();
                Eventually.holds("its items to be taken over", () -> items(since(stopped, cluster))
                        .containsAll(scheduled()));
                sleeper.go();
                long goesOn = System.nanoTime();
                Eventually.holds(
                        "it to continue its work", () -> WorkerTestCluster.effects(since(goesOn, cluster)).stream()
                                .anyMatch(effect -> effect.process().equals(sleeper.name()) && effect.accepted()));
            } while (WorkerTestCluster.effects(cluster.resource.history()).stream()
                    .noneMatch(effect -> effect.process().equals(sleeper.name()) && !effect.accepted()));
            sleeper.leave().get(90, TimeUnit.SECONDS);
            steady.leave().get(90, TimeUnit.SECONDS);

            for (Worker worker : List.of(steady, sleeper)) {
                Set<Event.RunKey> unended = new HashSet<>();
                for (EventLog.Line line : worker.history()) {
                    if (line.event() instanceof Event.Began began) {
                        unended.add(began.run());
                    } else if (line.event() instanceof Event.Ended ended) {
                        unended.remove(ended.run());
                    }
                }
                assertThat(unended).isEmpty();
                assertThat(worker.complaints()).isEmpty();
            }
            assertTrue(cluster.resource.history(), List.of(steady.history(), sleeper.history()));
        }
    }

    private static boolean clockAhead(Worker worker) throws Exception {
        return worker.health().get(90, TimeUnit.SECONDS).jobs().values().stream()
                .anyMatch(job -> job.reason(JobHealth.Kind.CLOCK_AHEAD).isPresent());
    }

    private static Set<String> processes(WorkerTestCluster cluster) throws Exception {
        return WorkerTestCluster.effects(cluster.resource.history()).stream()
                .map(Event.Effect::process)
                .collect(Collectors.toSet());
    }

    private static List<EventLog.Line> since(long nanos, WorkerTestCluster cluster) throws Exception {
        return cluster.resource.history().stream()
                .filter(line -> line.nanos() > nanos)
                .toList();
    }

    private static Set<Item> items(List<EventLog.Line> lines) {
        return WorkerTestCluster.effects(lines).stream()
                .filter(Event.Effect::accepted)
                .map(effect -> effect.run().item())
                .collect(Collectors.toSet());
    }

    /** Returns the items of all jobs that fire by themselves and do not limit the number of items per worker. */
    private static Set<Item> scheduled() {
        Set<Item> all = new HashSet<>();
        for (JobConfiguration job : Workload.jobs()) {
            for (int i = 0;
                    i < job.shardingTotalCount() && Workload.goesOn(job) && job.maxItemsPerInstance() == 0;
                    i++) {
                all.add(new Item(job.jobName(), Integer.toString(i)));
            }
        }
        return all;
    }

    /**
     * Asserts that the tokens of an item's accepted writes rise, and that each write follows the recorded beginning of
     * its run.
     */
    private static void assertTrue(List<EventLog.Line> resource, List<List<EventLog.Line>> workers) {
        Map<String, Long> begun = new HashMap<>();
        for (List<EventLog.Line> worker : workers) {
            for (EventLog.Line line : worker) {
                if (line.event() instanceof Event.Began began) {
                    begun.putIfAbsent(began.process() + " " + began.run(), line.nanos());
                }
            }
        }
        Map<Item, Long> tokens = new HashMap<>();
        for (EventLog.Line line : resource) {
            Event.Effect effect = (Event.Effect) line.event();
            assertThat(begun.getOrDefault(effect.process() + " " + effect.run(), Long.MAX_VALUE))
                    .as("the beginning of %s", effect)
                    .isLessThan(line.nanos());
            long highest = tokens.merge(effect.run().item(), effect.run().token(), Math::max);
            assertThat(effect.accepted())
                    .as("%s", effect)
                    .isEqualTo(highest == effect.run().token());
        }
    }
}
