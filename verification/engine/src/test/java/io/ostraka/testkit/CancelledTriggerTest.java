package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobRun;
import io.ostraka.api.RunCancelledException;
import io.ostraka.core.coordination.Cancellation;
import io.ostraka.core.coordination.Fires;
import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.model.DelayedTrigger;
import io.ostraka.core.model.PendingTriggers;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.SystemClock;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.fixtures.DeafListener;
import io.ostraka.fixtures.ExpectedErrors;
import io.ostraka.fixtures.ForwardingStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests that a delayed trigger is either cancelled or released, and that its caller learns the result. */
@ExtendWith(OstrakaExtension.class)
@ExpectedErrors("/triggers/t-newer can't be read")
class CancelledTriggerTest {
    private static final Duration DELAY = Duration.ofSeconds(30);
    private static final String KEY = "customer 4711/ü";

    private final List<String> runs = new ArrayList<>();
    private int requests;
    private InMemoryNodeStore operator;

    private Fires fires(TestCluster cluster) {
        cluster.schedule(
                context -> runs.add(context.runId()),
                JobConfiguration.newBuilder("job", 1).build());
        operator = cluster.tree().connect("operator", Runnable::run);
        operator.start(new DeafListener());
        return new TreeCoordination(operator, new SystemClock()).fires();
    }

    private JobRun triggerAfter(TestCluster cluster) {
        requests++;
        Trigger.Request request = new Trigger.Request("job", "run-" + requests, Map.of(), Set.of());
        CompletableFuture<JobRun> run = cluster.instances()
                .get(0)
                .engine()
                .triggerAfter(request, KEY, DELAY)
                .toCompletableFuture();
        cluster.advance(Duration.ofSeconds(1));
        return run.join();
    }

    private static <T> T ended(TestCluster cluster, CompletionStage<T> stage) {
        cluster.advance(Duration.ofSeconds(1));
        return stage.toCompletableFuture().join();
    }

    private static Cancellation cancel(TestCluster cluster, Fires fires, String named) {
        return ended(cluster, fires.cancel("job", named, "ann", "ordered twice"));
    }

    @Test
    void cancelledTriggerNeverRunsAndItsCallerLearnsWhy(TestCluster cluster) {
        Fires fires = fires(cluster);
        JobRun run = triggerAfter(cluster);

        assertThat(cancel(cluster, fires, KEY)).isEqualTo(new Cancellation.Cancelled("run-1"));
        assertThatThrownBy(() -> run.await(Duration.ofSeconds(1)))
                .isInstanceOf(RunCancelledException.class)
                .hasMessageContainingAll("run-1", "'job'", "cancelled by ann", "ordered twice");
        cluster.advance(Duration.ofMinutes(2));

        assertThat(runs).isEmpty();
        assertThat(cluster.tree().children("/delayed")).isEmpty();
        assertThat(cluster.tree().children("/delayed-runs")).isEmpty();
    }

    @Test
    void repeatedRequestIsUnchangedByKeyAndByRunId(TestCluster cluster) {
        Fires fires = fires(cluster);
        triggerAfter(cluster);
        cancel(cluster, fires, "run-1");

        assertThat(cancel(cluster, fires, "run-1")).isEqualTo(new Cancellation.Unchanged("run-1"));
        assertThat(cancel(cluster, fires, KEY)).isEqualTo(new Cancellation.Unchanged("run-1"));
        assertThat(cancel(cluster, fires, "never")).isEqualTo(new Cancellation.NotFound());
    }

    @Test
    void keyIsFreeAgainAfterTheCancellation(TestCluster cluster) {
        Fires fires = fires(cluster);
        triggerAfter(cluster);
        cancel(cluster, fires, KEY);

        assertThat(triggerAfter(cluster).runId()).isEqualTo("run-2");
        cluster.advance(DELAY.plusSeconds(2));

        assertThat(runs).containsExactly("run-2");
    }

    @Test
    void triggerThatWasDueBeforeIsReportedAsReleased(TestCluster cluster) {
        Fires fires = fires(cluster);
        triggerAfter(cluster);
        cluster.advance(DELAY.plusSeconds(2));

        assertThat(cancel(cluster, fires, "run-1")).isEqualTo(new Cancellation.Released("run-1"));
        assertThat(runs).containsExactly("run-1");
    }

    @Test
    void lostReplyIsUnknownAndTheRepetitionShowsTheResult(TestCluster cluster) {
        Fires fires = fires(cluster);
        triggerAfter(cluster);
        operator.loseNextReply();

        assertThat(cancel(cluster, fires, KEY)).isEqualTo(new Cancellation.Unknown("run-1"));
        operator.reconnect();
        assertThat(cancel(cluster, fires, KEY)).isEqualTo(new Cancellation.Unchanged("run-1"));
        cluster.advance(DELAY.plusSeconds(2));
        assertThat(runs).isEmpty();
    }

    /** The key's next trigger has the same node and the same version as the trigger that was read. */
    @Test
    void requestThatWasOvertakenDoesNotCancelTheNextTriggerOfTheKey(TestCluster cluster) {
        Fires fires = fires(cluster);
        triggerAfter(cluster);
        InMemoryNodeStore slow = cluster.tree().connect("slow", Runnable::run);
        slow.start(new DeafListener());
        HeldCommits held = new HeldCommits(slow);
        CompletableFuture<Cancellation> late = new TreeCoordination(held, new SystemClock())
                .fires()
                .cancel("job", KEY, "bob", null)
                .toCompletableFuture();
        cluster.advance(Duration.ofMillis(100));
        cancel(cluster, fires, KEY);
        // this happens an hour after the end of a fire
        new ZkCli(cluster).delete("/jobs/job/fires/run-1");
        triggerAfter(cluster);

        held.release();
        cluster.advance(DELAY.plusSeconds(2));

        assertThat(late.join()).isEqualTo(new Cancellation.NotFound());
        assertThat(runs).containsExactly("run-2");
    }

    @Test
    void releaseThatWasOvertakenDoesNotDeleteTheNextTriggerOfTheKey(TestCluster cluster) {
        Fires fires = fires(cluster);
        triggerAfter(cluster);
        Versioned<DelayedTrigger> read = ended(cluster, fires.delayed()).get(0);
        cancel(cluster, fires, KEY);
        triggerAfter(cluster);
        int epoch = new ZkCli(cluster).version("/leader/epoch");

        TransactionResult late = ended(cluster, fires.release(new Leadership("/instances", epoch, 0, null), read));

        assertThat(late).isInstanceOf(TransactionResult.Outdated.class);
        cluster.advance(DELAY.plusSeconds(2));
        assertThat(runs).containsExactly("run-2");
    }

    private static Leadership leadership(TestCluster cluster) {
        return new Leadership("/instances", new ZkCli(cluster).version("/leader/epoch"), 0, null);
    }

    /**
     * Runs a sweep that listed the nodes of the runs before the trigger existed. Holds the sweep's write of the missing
     * node.
     */
    private HeldCommits sweep(Leadership leader) {
        HeldCommits held = new HeldCommits(operator);
        ForwardingStore before = new ForwardingStore(held) {
            @Override
            public CompletionStage<List<String>> children(String path) {
                return path.equals("/delayed-runs")
                        ? CompletableFuture.completedStage(List.of())
                        : super.children(path);
            }
        };
        new TreeCoordination(before, new SystemClock()).fires().sweep(leader);
        return held;
    }

    /** If the node of a cancelled run existed, a late request could delete the next trigger of the key. */
    @Test
    void sweepDoesNotCreateTheNodeOfARunThatWasCancelledMeanwhile(TestCluster cluster) {
        Fires fires = fires(cluster);
        triggerAfter(cluster);
        HeldCommits held = sweep(leadership(cluster));
        cluster.advance(Duration.ofMillis(100));
        cancel(cluster, fires, KEY);
        held.release();
        cluster.advance(Duration.ofMillis(100));

        assertThat(cluster.tree().children("/delayed-runs")).isEmpty();
    }

    @Test
    void sweepOfAFormerLeaderCreatesNothing(TestCluster cluster) {
        fires(cluster);
        triggerAfter(cluster);
        Leadership former = leadership(cluster);
        new ZkCli(cluster).delete("/delayed-runs/job~run-1");
        HeldCommits held = sweep(former);
        cluster.advance(Duration.ofMillis(100));
        cluster.leader().kill();
        cluster.advance(TestCluster.SESSION_TIMEOUT.plusSeconds(5));
        assertThat(leadership(cluster)).isNotEqualTo(former);
        ZkCli hand = new ZkCli(cluster);
        hand.children("/delayed-runs").forEach(run -> hand.delete("/delayed-runs/" + run));
        held.release();
        cluster.advance(Duration.ofMillis(100));

        assertThat(cluster.tree().children("/delayed-runs")).isEmpty();
    }

    @Test
    void triggerRunsAfterTheNodeOfItsRunWasDeletedByHand(TestCluster cluster) {
        fires(cluster);
        triggerAfter(cluster);
        new ZkCli(cluster).delete("/delayed-runs/job~run-1");
        cluster.advance(DELAY.plus(Duration.ofMinutes(2)));

        assertThat(runs).containsExactly("run-1");
        assertThat(cluster.tree().children("/delayed-runs")).isEmpty();
    }

    @Test
    void pendingTriggersShowDueTimesAndProgress(TestCluster cluster) {
        Fires fires = fires(cluster);
        triggerAfter(cluster);
        cluster.amend("job", override -> override.withShardingTotalCount(2));
        cluster.advance(Duration.ofSeconds(5));
        new ZkCli(cluster)
                .write(
                        "/triggers/t-newer",
                        "{\"format\":9,\"job\":\"job\",\"runId\":\"run-9\",\"parameters\":{},\"items\":[]}");
        cluster.advance(Duration.ofSeconds(1));
        cluster.trigger("job", Map.of("a", "b"));

        PendingTriggers pending = ended(cluster, fires.pending("job"));

        assertThat(pending.delayed()).singleElement().satisfies(delayed -> {
            assertThat(delayed.value().request().runId()).isEqualTo("run-1");
            assertThat(DelayedTrigger.due(delayed))
                    .isBetween(cluster.now(), cluster.now().plus(DELAY));
        });
        assertThat(pending.waiting()).singleElement().satisfies(waiting -> {
            assertThat(waiting.trigger().request().parameters()).containsEntry("a", "b");
            assertThat(waiting.progress()).isNull();
        });
        assertThat(pending.unreadable()).singleElement().satisfies(trigger -> assertThat(trigger.name())
                .isEqualTo("t-newer"));
    }
}
