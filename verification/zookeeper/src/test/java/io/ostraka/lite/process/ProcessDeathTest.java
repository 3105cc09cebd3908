package io.ostraka.lite.process;

import static io.ostraka.lite.process.Event.Kind.CANCELLED;
import static io.ostraka.lite.process.Event.Kind.ENDED;
import static io.ostraka.lite.process.Event.Kind.STARTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.ostraka.api.ItemOutcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
class ProcessDeathTest {
    private static final Duration SHORT_SESSION = Duration.ofSeconds(8);
    /** For tests without a kill, so that no session expires on a slow machine. */
    private static final Duration LONG_SESSION = Duration.ofSeconds(20);

    private static final int SIGTERM_EXIT = 128 + 15;
    private static final int ALL = 1_000_000;
    private static final List<String> BOTH = List.of("0", "1");
    private static final String JOB = "settlement";

    @TempDir
    Path directory;

    /** Scenario 9: an instance fails after one of its items has completed and while another one runs. */
    @Test
    void survivorTakesOverOnlyUnfinishedItemsOfKilledOwner() throws Exception {
        try (var cluster = new ProcessCluster(directory, SHORT_SESSION, HostedJob.onDemand(JOB, 4))) {
            cluster.startAndAwaitItems("a", "b");
            List<String> ofA = cluster.itemsOf("a", JOB);
            List<String> ofB = cluster.itemsOf("b", JOB);
            assertThat(ofA).hasSize(2);
            String done = ofA.get(0);
            String interrupted = ofA.get(1);

            String first = cluster.execute("b", JOB);
            cluster.awaitSuccess(JOB, first);
            String second = cluster.execute("b", JOB, "0", "1", "2", "3");
            for (String item : List.of("0", "1", "2", "3")) {
                cluster.await(STARTED, JOB, item, second, 1);
            }
            cluster.worker("a").release(JOB, done, 1);
            cluster.awaitRecorded(JOB, done, second, ItemOutcome.SUCCEEDED);
            cluster.kill("a");
            cluster.await(STARTED, JOB, interrupted, second, 2);
            cluster.worker("b").release(JOB, interrupted, 1);
            for (String item : ofB) {
                cluster.worker("b").release(JOB, item, 1);
            }
            cluster.awaitSuccess(JOB, second);
            // if there were another takeover, it would start before this run ends
            String third = cluster.execute("b", JOB);
            cluster.awaitSuccess(JOB, third);

            for (String item : ofA) {
                assertThat(cluster.starts(JOB, item, first)).containsExactly("a#1");
                assertThat(cluster.starts(JOB, item, third)).containsExactly("b#1");
            }
            assertThat(cluster.starts(JOB, done, second)).containsExactly("a#1");
            assertThat(cluster.starts(JOB, interrupted, second)).containsExactly("a#1", "b#2");
            for (String item : ofB) {
                for (String run : List.of(first, second, third)) {
                    assertThat(cluster.starts(JOB, item, run)).containsExactly("b#1");
                }
            }
            cluster.verify();
        }
    }

    /** Scenario 10: two instances fail one after the other, the second while it runs the items of the first. */
    @Test
    void jobContinuesAfterSuccessorIsKilledToo() throws Exception {
        HostedJob job = HostedJob.fixedRate(JOB, 2, Duration.ofMillis(500));
        try (var cluster = new ProcessCluster(directory, SHORT_SESSION, job)) {
            cluster.startAndAwaitItems("b");
            Map<String, String> fires = new TreeMap<>();
            for (String item : BOTH) {
                Event started = cluster.recorder().await("item " + item, event -> event.is(STARTED, JOB, item));
                fires.put(item, started.run());
            }
            cluster.startAndAwaitItems("a");
            cluster.kill("b");
            for (String item : BOTH) {
                cluster.await(STARTED, JOB, item, fires.get(item), 2);
            }
            cluster.startAndAwaitItems("returned");
            cluster.kill("a");
            for (String item : BOTH) {
                cluster.await(STARTED, JOB, item, fires.get(item), 3);
                cluster.worker("returned").release(JOB, item, ALL);
                cluster.await(ENDED, JOB, item, fires.get(item), 3);
                cluster.recorder()
                        .await(
                                "further fires of item " + item,
                                3,
                                event -> event.is(ENDED, JOB, item) && event.attempt() == 1);
            }

            for (String item : BOTH) {
                assertThat(cluster.starts(JOB, item, fires.get(item))).containsExactly("b#1", "a#2", "returned#3");
            }
            cluster.verify();
        }
    }

    /** Scenario 7: a migration pauses a virtual machine, or a garbage collection pauses a process. */
    @Test
    void pausedProcessIsReplacedNoticesAtOnceAndRejoins() throws Exception {
        try (var cluster = new ProcessCluster(directory, SHORT_SESSION, HostedJob.onDemand(JOB, 2))) {
            cluster.startAndAwaitItems("a", "b");
            String item = cluster.itemsOf("a", JOB).get(0);
            String other = cluster.itemsOf("b", JOB).get(0);
            String run = cluster.execute("b", JOB, item);
            Event started = cluster.await(STARTED, JOB, item, run, 1);
            cluster.worker("a").pause(true);
            Event again = cluster.await(STARTED, JOB, item, run, 2);
            cluster.worker("a").pause(false);

            Event cancelled = cluster.await(CANCELLED, JOB, item, run, 1);
            assertThat(cancelled.detail()).isNotEqualTo(HoldingWorker.OWNED);
            assertThat(again.worker()).isEqualTo("b");
            assertThat(again.token()).isGreaterThan(started.token());
            cluster.worker("b").release(JOB, item, 1);
            cluster.worker("a").release(JOB, item, 1);
            cluster.awaitSuccess(JOB, run);
            cluster.recorder()
                    .await(
                            "a to own an item in its next session",
                            event -> event.kind() == Event.Kind.ASSIGNED
                                    && event.worker().equals("a")
                                    && !event.detail().equals(started.detail()));
            String next = cluster.execute("b", JOB);
            cluster.awaitSuccess(JOB, next);

            assertThat(cluster.starts(JOB, item, run)).containsExactly("a#1", "b#2");
            assertThat(cluster.starts(JOB, other, run)).containsExactly("b#1");
            assertThat(cluster.recorder()
                            .all(event -> event.kind() == Event.Kind.STARTED
                                    && event.run().equals(next)))
                    .extracting(Event::worker)
                    .containsExactlyInAnyOrder("a", "b");
            assertThat(cluster.recorder().all(event -> event.kind() == Event.Kind.DECEIVED))
                    .isEmpty();
            cluster.verify();
        }
    }

    /** Scenario 15: SIGTERM stops an instance in the middle of a long run. */
    @Test
    void itemEndingWithinShutdownGraceIsNotRunElsewhereMeanwhile() throws Exception {
        try (var cluster = new ProcessCluster(directory, LONG_SESSION, HostedJob.onDemand(JOB, 2))) {
            cluster.startAndAwaitItems("a", "b");
            String item = cluster.itemsOf("a", JOB).get(0);
            String other = cluster.itemsOf("b", JOB).get(0);
            String first = cluster.execute("b", JOB, item);
            cluster.await(STARTED, JOB, item, first, 1);
            cluster.worker("a").signal(false);
            cluster.awaitAssigned("b", JOB, item);
            String second = cluster.execute("b", JOB);
            cluster.awaitRecorded(JOB, other, second, ItemOutcome.SUCCEEDED);
            assertThat(cluster.starts(JOB, item, second))
                    .as("starts while the first run lasts")
                    .isEmpty();

            cluster.worker("a").release(JOB, item, 1);
            cluster.awaitSuccess(JOB, first);
            cluster.awaitSuccess(JOB, second);
            assertThat(cluster.worker("a").awaitExit()).isEqualTo(SIGTERM_EXIT);
            assertThat(cluster.starts(JOB, item, first)).containsExactly("a#1");
            assertThat(cluster.starts(JOB, item, second)).containsExactly("b#1");
            cluster.verify();
        }
    }

    /** Scenario 15: the run takes longer than the shutdown grace. */
    @Test
    void itemOutlastingShutdownGraceIsTakenOverAfterItReturned() throws Exception {
        HostedJob job = HostedJob.onDemand(JOB, 2).withGrace(Duration.ofMillis(500));
        try (var cluster = new ProcessCluster(directory, LONG_SESSION, job)) {
            cluster.startAndAwaitItems("a", "b");
            String item = cluster.itemsOf("a", JOB).get(0);
            String run = cluster.execute("b", JOB, item);
            cluster.await(STARTED, JOB, item, run, 1);
            cluster.worker("a").signal(false);
            cluster.awaitAssigned("b", JOB, item);
            cluster.await(CANCELLED, JOB, item, run, 1);
            assertThat(cluster.starts(JOB, item, run))
                    .as("starts before the cancelled run returned")
                    .containsExactly("a#1");

            cluster.worker("a").release(JOB, item, 1);
            Event ended = cluster.await(ENDED, JOB, item, run, 1);
            Event again = cluster.await(STARTED, JOB, item, run, 2);
            cluster.worker("b").release(JOB, item, 1);
            cluster.awaitSuccess(JOB, run);
            assertThat(cluster.worker("a").awaitExit()).isEqualTo(SIGTERM_EXIT);
            assertThat(ended.detail()).isEqualTo(Runs.CANCELLED);
            assertThat(again.at()).isAfterOrEqualTo(ended.at());
            assertThat(cluster.starts(JOB, item, run)).containsExactly("a#1", "b#2");
            cluster.verify();
        }
    }

    /** Scenario 15: the code ignores its interruption. */
    @Test
    void codeThatNeverReturnsDoesNotPreventProcessExit() throws Exception {
        HostedJob job = HostedJob.onDemand(JOB, 6).withGrace(Duration.ofSeconds(10)); // runs are interrupted after 5 s
        try (var cluster = new ProcessCluster(directory, LONG_SESSION, job)) {
            cluster.startAndAwaitItems("a", "b");
            List<String> ofA = cluster.itemsOf("a", JOB);
            assertThat(ofA).hasSize(3);
            String never = ofA.get(0);
            String late = ofA.get(1);
            String inTime = ofA.get(2);
            String run = cluster.execute("a", JOB, never, late, inTime);
            for (String item : ofA) {
                cluster.await(STARTED, JOB, item, run, 1);
            }
            cluster.worker("a").signal(false);
            cluster.awaitAssigned("b", JOB, inTime);
            cluster.worker("a").release(JOB, inTime, 1);
            cluster.await(CANCELLED, JOB, late, run, 1);
            cluster.worker("a").release(JOB, late, 1);

            assertThat(cluster.worker("a").awaitExit()).isEqualTo(SIGTERM_EXIT);
            assertThat(cluster.recorder()
                            .all(event -> event.kind() == Event.Kind.LOG
                                    && event.worker().equals("a")
                                    && event.detail().contains("closed in")))
                    .singleElement()
                    .extracting(Event::detail, STRING)
                    .contains(
                            ": 1 runs ended",
                            "1 handed over (job 'settlement' item " + late + ")",
                            "1 still running (job 'settlement' item " + never + ")",
                            "1 worker threads");
            cluster.verify();
        }
    }

    /** Scenario 25: a whole site loses power. */
    @Test
    void restartedClusterAppliesFailoverSettingToInterruptedItems() throws Exception {
        HostedJob again = HostedJob.onDemand("again", 2);
        HostedJob never = HostedJob.onDemand("never", 2).withoutFailover();
        try (var cluster = new ProcessCluster(directory, SHORT_SESSION, again, never)) {
            cluster.startAndAwaitItems("a", "b");
            String runAgain = cluster.execute("a", "again", "0", "1");
            String runNever = cluster.execute("a", "never", "1");
            for (String item : BOTH) {
                cluster.await(STARTED, "again", item, runAgain, 1);
                cluster.await(STARTED, "never", item, runNever, 1);
            }
            cluster.awaitRecorded("never", "0", runNever, ItemOutcome.SUCCEEDED);
            cluster.kill("a", "b");
            cluster.start("c");
            cluster.start("d");
            for (String item : BOTH) {
                Event taken = cluster.await(STARTED, "again", item, runAgain, 2);
                cluster.worker(taken.worker()).release("again", item, 1);
            }
            cluster.awaitSuccess("again", runAgain);
            cluster.awaitRecorded("never", "1", runNever, ItemOutcome.INTERRUPTED);
            for (String job : List.of("again", "never")) {
                cluster.awaitSuccess(job, cluster.execute("c", job));
            }

            for (String item : BOTH) {
                assertThat(cluster.starts("again", item, runAgain)).hasSize(2);
                assertThat(cluster.starts("never", item, runNever)).hasSize(1);
            }
            cluster.verify();
        }
    }
}
