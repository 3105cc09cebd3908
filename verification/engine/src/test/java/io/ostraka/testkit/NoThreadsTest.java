package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobFire;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobListener;
import io.ostraka.api.JobOptions;
import io.ostraka.api.JobRun;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.core.model.Trigger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that a process that cannot start threads keeps its claims, waits, and sends no further requests to ZooKeeper.
 */
class NoThreadsTest {
    private static final Duration PERIOD = Duration.ofMinutes(10);

    private final TestCluster cluster = new TestCluster(1, Instant.parse("2026-01-01T00:00:00Z"), 1);
    private final TestCluster.Instance instance = cluster.instances().get(0);
    private final List<String> ran = new ArrayList<>();

    @BeforeEach
    void schedule() {
        cluster.schedule(
                context -> ran.add(context.shardingItem() + ", attempt " + context.attempt()),
                JobConfiguration.newBuilder("settle", 2)
                        .schedule(Schedule.fixedRate(PERIOD))
                        .build());
        cluster.advance(PERIOD.multipliedBy(2).minusSeconds(30));
        ran.clear();
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void fireWaitsForAThreadAndCostsOneClaimAndOneCompletion() {
        long before = instance.store().operations().commits();
        instance.setThreadless(true);
        cluster.advance(Duration.ofMinutes(5));
        assertThat(ran).isEmpty();
        assertThat(instance.store().operations().commits() - before)
                .as("the claim and the published health")
                .isEqualTo(2);
        assertThat(instance.engine().health().jobs().get("settle").reasons())
                .extracting(JobHealth.Reason::kind)
                .containsExactly(JobHealth.Kind.NO_THREADS);

        instance.setThreadless(false);
        cluster.advance(Duration.ofMinutes(1));
        assertThat(ran).containsExactlyInAnyOrder("0, attempt 1", "1, attempt 1");
        assertThat(instance.store().operations().commits() - before)
                .as("with the completions and the published health")
                .isBetween(4L, 5L);
        assertThat(instance.engine().health().good()).isTrue();
    }

    @Test
    void itemsMoveFromAProcessThatClosesWithoutThreads() {
        instance.setThreadless(true);
        cluster.advance(Duration.ofMinutes(1));
        cluster.join();
        instance.close();
        cluster.advance(Duration.ofMinutes(1));
        assertThat(ran).hasSize(2);
    }

    @Test
    void itemsMoveFromAProcessThatDiesWithoutThreads() {
        instance.setThreadless(true);
        cluster.advance(Duration.ofMinutes(1));
        cluster.join();
        instance.kill();
        cluster.advance(Duration.ofMinutes(2));
        assertThat(ran).hasSize(2);
    }

    // a short lack of threads: each stage that a caller waits for completes afterwards

    private void lackThreadsFor(Duration time) {
        instance.setThreadless(true);
        cluster.advance(time);
        instance.setThreadless(false);
        cluster.advance(Duration.ofMinutes(1));
    }

    @Test
    void triggeredRunCompletesWhenThereIsAThreadAgain() {
        TestCluster.Instance other = cluster.join();
        cluster.operations().execute(new Command.DisableInstance("settle", "host-0"), CommandOptions.by("ann"));
        cluster.advance(Duration.ofSeconds(20));
        JobRun run = instance.engine().trigger("settle", Map.of(), Set.of());
        lackThreadsFor(Duration.ofSeconds(5));

        assertThat(ran).as("on %s", other.id()).isNotEmpty();
        assertThat(run.accepted().toCompletableFuture()).isCompleted();
        assertThat(run.completion().toCompletableFuture()).isCompleted();
    }

    @Test
    void delayedTriggerIsAcceptedWhenThereIsAThreadAgain() {
        var accepted = instance.engine()
                .triggerAfter(
                        new Trigger.Request("settle", "later", Map.of(), Set.of()), "key", Duration.ofSeconds(30));
        lackThreadsFor(Duration.ofSeconds(5));

        assertThat(accepted.toCompletableFuture()).isCompleted();
        assertThat(accepted.toCompletableFuture().join().completion().toCompletableFuture())
                .isCompleted();
    }

    @Test
    void jobIsScheduledWhenThereIsAThreadAgain() {
        var scheduled = instance.engine()
                .register(
                        (SimpleJob) context -> {},
                        JobConfiguration.newBuilder("late", 1).build());
        instance.setThreadless(true);
        cluster.advance(Duration.ofSeconds(3));
        assertThat(instance.health().jobs().get("late").reasons())
                .as("no defect")
                .isEmpty();
        lackThreadsFor(Duration.ofSeconds(1));

        assertThat(scheduled.toCompletableFuture()).isCompleted();
        assertThat(instance.engine().health().good()).isTrue();
    }

    @Test
    void closedJobIsDestroyedWhenThereIsAThreadAgain() {
        Closed job = new Closed();
        instance.engine().register(job, JobConfiguration.newBuilder("closed", 1).build());
        cluster.trigger("closed", Map.of());
        cluster.advance(Duration.ofSeconds(5));
        instance.setThreadless(true);
        cluster.time().after(Duration.ofSeconds(3), () -> instance.setThreadless(false));
        instance.engine().unregister("closed");

        assertThat(job.destroyed).isTrue();
    }

    @Test
    void listenerIsCalledWhenThereIsAThreadAgain() {
        List<String> calls = new ArrayList<>();
        JobListener listener = new JobListener() {
            @Override
            public void beforeFire(JobFire fire) {
                calls.add("before");
            }
        };
        cluster.schedule(
                context -> calls.add("run"),
                JobConfiguration.newBuilder("heard", 1).build(),
                JobOptions.none().listeners(listener));
        instance.engine().trigger("heard", Map.of(), Set.of());
        lackThreadsFor(Duration.ofSeconds(5));

        assertThat(calls).containsExactly("before", "run");
    }

    @Test
    void closeCompletesRunThatEndedWithoutThreads() {
        JobRun run = instance.engine().trigger("unknown", Map.of(), Set.of());
        instance.setThreadless(true);
        cluster.advance(Duration.ofSeconds(2));
        assertThat(run.completion().toCompletableFuture()).isNotDone();

        instance.close();
        assertThat(run.completion().toCompletableFuture()).isCompletedExceptionally();
    }

    @Test
    void closesSoonWithoutThreads() {
        TestCluster.Instance other = cluster.join();
        String id = instance.id();
        JobRun run = instance.engine().trigger("unknown", Map.of(), Set.of());
        instance.setThreadless(true);
        Instant begun = cluster.now();
        instance.close();

        assertThat(cluster.now()).isBefore(begun.plusSeconds(7));
        assertThat(cluster.tree().paths()).doesNotContain("/instances/" + id);
        assertThat(run.completion().toCompletableFuture()).isCompletedExceptionally();
        cluster.advance(Duration.ofSeconds(5));
        assertThat(other.engine().leading()).isTrue();
    }

    private static final class Closed implements SimpleJob {
        boolean destroyed;

        @Override
        public void execute(ShardingContext context) {}

        @Override
        public void destroy() {
            destroyed = true;
        }
    }
}
