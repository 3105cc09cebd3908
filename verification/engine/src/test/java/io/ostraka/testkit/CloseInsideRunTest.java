package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.ostraka.api.InstanceListener;
import io.ostraka.api.InstanceState;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobFire;
import io.ostraka.api.JobListener;
import io.ostraka.api.JobOptions;
import io.ostraka.api.JobRun;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.event.RunEnded;
import io.ostraka.core.instance.JobEngine;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests that code which the engine calls can close its job or its instance without waiting for itself. */
@ExtendWith(OstrakaExtension.class)
class CloseInsideRunTest {
    private static final String JOB = "migrate";
    private static final Duration HOUR = Duration.ofHours(1);

    private final List<Duration> took = new ArrayList<>();
    private final List<RunEnded> ends = new ArrayList<>();
    private boolean destroyed;

    private static JobConfiguration.Builder job(int items) {
        return JobConfiguration.newBuilder(JOB, items).shutdownGrace(HOUR);
    }

    private void measure(TestCluster cluster, Runnable close) {
        Instant begun = cluster.now();
        close.run();
        took.add(Duration.between(begun, cluster.now()));
    }

    private void subscribe(TestCluster cluster) {
        cluster.subscribe(event -> {
            if (event instanceof RunEnded ended) {
                ends.add(ended);
            }
        });
    }

    /** Triggers the job on all instances, and returns its run. */
    private static JobRun run(TestCluster cluster) {
        JobRun run = cluster.instances().get(0).engine().trigger(JOB, Map.of(), Set.of());
        cluster.advance(Duration.ofMinutes(1));
        return run;
    }

    private void returnedAtOnce() {
        assertThat(took).hasSize(1).allMatch(time -> time.compareTo(Duration.ofSeconds(2)) < 0);
    }

    @Test
    void jobClosesItself(@Instances(1) TestCluster cluster) {
        subscribe(cluster);
        JobEngine engine = cluster.instances().get(0).engine();
        SimpleJob job = new SimpleJob() {
            @Override
            public void execute(ShardingContext context) {
                measure(cluster, () -> engine.unregister(JOB));
                assertThat(destroyed).isFalse();
            }

            @Override
            public void destroy() {
                destroyed = true;
            }
        };
        cluster.schedule(job, job(1).build());
        run(cluster);

        returnedAtOnce();
        assertThat(ends).singleElement().extracting(RunEnded::outcome).isEqualTo(ItemOutcome.SUCCEEDED);
        assertThat(destroyed).isTrue();
        assertThat(engine.health().jobs()).doesNotContainKey(JOB);
    }

    @Test
    void closingRunWaitsForTheOtherRuns(@Instances(1) TestCluster cluster) {
        JobEngine engine = cluster.instances().get(0).engine();
        List<String> calls = new ArrayList<>();
        cluster.schedule(
                context -> {
                    calls.add("begun");
                    if (calls.size() == 1) {
                        measure(cluster, () -> engine.unregister(JOB));
                        calls.add("closed");
                    } else {
                        cluster.advance(Duration.ofSeconds(20));
                        calls.add("ended");
                    }
                },
                job(2).build());
        run(cluster);

        assertThat(calls).containsExactly("begun", "begun", "ended", "closed");
        assertThat(took).allMatch(time -> time.compareTo(Duration.ofSeconds(25)) < 0);
    }

    @Test
    void twoRunsThatCloseDoNotWaitForEachOther(@Instances(1) TestCluster cluster) {
        JobEngine engine = cluster.instances().get(0).engine();
        cluster.schedule(context -> measure(cluster, () -> engine.unregister(JOB)), job(2).build());
        run(cluster);

        assertThat(took).hasSize(2).allMatch(time -> time.compareTo(Duration.ofSeconds(2)) < 0);
    }

    @Test
    void taskOfTheRunClosesItsJob(@Instances(1) TestCluster cluster) {
        subscribe(cluster);
        JobEngine engine = cluster.instances().get(0).engine();
        cluster.schedule(
                context -> context.tasks().submit(() -> {
                    measure(cluster, () -> engine.unregister(JOB));
                    return "";
                }),
                job(1).build());
        run(cluster);

        returnedAtOnce();
        assertThat(ends).singleElement().extracting(RunEnded::outcome).isEqualTo(ItemOutcome.SUCCEEDED);
    }

    @Test
    void runClosesItsInstance(@Instances(2) TestCluster cluster) {
        subscribe(cluster);
        cluster.schedule(
                context -> {
                    JobEngine engine = cluster.instance(context.instanceId()).engine();
                    measure(cluster, engine::close);
                },
                job(1).build());
        JobRun run = run(cluster);

        returnedAtOnce();
        assertThat(ends)
                .as("no other instance takes the item over")
                .singleElement()
                .extracting(RunEnded::outcome)
                .isEqualTo(ItemOutcome.SUCCEEDED);
        assertThat(cluster.tree().paths())
                .filteredOn(path -> path.startsWith("/instances/"))
                .hasSize(1);
        assertThat(run.completion().toCompletableFuture()).isDone();
    }

    @Test
    void runCannotAwaitALaterRunOfItsItem(@Instances(1) TestCluster cluster) {
        JobEngine engine = cluster.instances().get(0).engine();
        List<Throwable> refused = new ArrayList<>();
        cluster.schedule(
                context -> {
                    if (context.triggerParameters().isEmpty()) {
                        JobRun next = engine.trigger(JOB, Map.of("next", ""), Set.of());
                        refused.add(catchThrowable(() -> next.await(Duration.ofMinutes(1))));
                    }
                },
                job(1).build());
        run(cluster);

        assertThat(refused).singleElement().satisfies(failure -> assertThat(failure)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("job 'migrate' item 0"));
    }

    @Test
    void listenerClosesItsJob(@Instances(1) TestCluster cluster) {
        subscribe(cluster);
        JobEngine engine = cluster.instances().get(0).engine();
        JobListener listener = new JobListener() {
            @Override
            public void beforeFire(JobFire fire) {
                measure(cluster, () -> engine.unregister(JOB));
            }
        };
        cluster.schedule(context -> {}, job(1).build(), JobOptions.none().listeners(listener));
        run(cluster);

        returnedAtOnce();
        assertThat(ends).singleElement().extracting(RunEnded::outcome).isEqualTo(ItemOutcome.SUCCEEDED);
    }

    @Test
    void instanceListenerClosesItsInstance(@Instances(1) TestCluster cluster) {
        JobEngine[] engine = new JobEngine[1];
        TestCluster.Instance instance = cluster.join(new InstanceListener() {
            @Override
            public void stateChanged(InstanceState state) {
                if (state == InstanceState.DRAINING) {
                    measure(cluster, engine[0]::close);
                }
            }
        });
        engine[0] = instance.engine();
        engine[0].drain(true);
        cluster.advance(Duration.ofMinutes(1));

        returnedAtOnce();
        assertThat(instance.health().state()).isEqualTo(InstanceState.STOPPED);
    }

    @Test
    void callbackOfARunClosesItsInstance(@Instances(1) TestCluster cluster) {
        JobEngine engine = cluster.instances().get(0).engine();
        cluster.schedule(context -> {}, job(1).build());
        JobRun run = engine.trigger(JOB, Map.of(), Set.of());
        run.completion().thenRun(() -> measure(cluster, engine::close));
        cluster.advance(Duration.ofMinutes(1));

        returnedAtOnce();
        assertThat(cluster.instances().get(0).health().state()).isEqualTo(InstanceState.STOPPED);
    }
}
