package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.DataflowJob;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobOptions;
import io.ostraka.api.JobRun;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.RunInterceptor;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.Tasks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Child tasks of a run, and what they have to do with its end. */
@ExtendWith(OstrakaExtension.class)
class RunTasksTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final List<String> story = new ArrayList<>();

    /** A task of the story. */
    private class Told implements Tasks.Task<String> {
        private final String name;
        private final Tasks.Action work;

        Told(String name, Tasks.Action work) {
            this.name = name;
            this.work = work;
        }

        @Override
        public String call() throws Exception {
            story.add(name + " begins");
            work.run();
            return name;
        }

        @Override
        public void succeeded(String result) {
            story.add(result + " succeeded");
        }

        @Override
        public void failed(Throwable failure) {
            story.add(name + " failed: "
                    + (failure instanceof CancellationException ? "not begun" : failure.getMessage()));
        }

        @Override
        public void timedOut(boolean cancelled) {
            story.add(name + " timed out: " + (cancelled ? "cancelled" : "done late"));
        }

        @Override
        public void completed() {
            story.add(name + " completed");
        }
    }

    private static JobConfiguration.Builder onDemand(int items) {
        return JobConfiguration.newBuilder("job", items);
    }

    private static JobRun run(TestCluster cluster, SimpleJob job, JobConfiguration configuration) {
        cluster.schedule(job, configuration);
        JobRun run = cluster.trigger("job", Map.of());
        cluster.advance(Duration.ofMinutes(2));
        return run;
    }

    private static Map<String, ItemOutcome> outcome(JobRun run) {
        assertThat(run.completion().toCompletableFuture()).isCompleted();
        return run.completion().toCompletableFuture().join();
    }

    /** Lets time pass until the thread is interrupted. */
    private static void untilInterrupted(TestCluster cluster) throws InterruptedException {
        while (!Thread.interrupted()) {
            cluster.advance(SECOND);
        }
        throw new InterruptedException("interrupted");
    }

    @Test
    void aRunEndsWhenItsTasksHave(TestCluster cluster) {
        AtomicReference<JobRun> run = new AtomicReference<>();
        cluster.schedule(
                context -> {
                    context.tasks().submit(() -> {
                        cluster.advance(Duration.ofSeconds(20));
                        story.add("task");
                        assertThat(run.get().completion().toCompletableFuture()).isNotCompleted();
                    });
                    story.add("code returns");
                },
                onDemand(1).build());
        run.set(cluster.instances().get(0).engine().trigger("job", Map.of(), Set.of()));
        cluster.advance(Duration.ofMinutes(1));

        assertThat(story).containsExactly("code returns", "task");
        assertThat(outcome(run.get())).containsValue(ItemOutcome.SUCCEEDED);
    }

    @Test
    void tasksOfAKeyRunInOrderWhatTheyAreToldIncluded(TestCluster cluster) {
        JobRun run = run(
                cluster,
                context -> {
                    Tasks ordered = context.tasks().inOrder("key");
                    ordered.submit(new Told("first", () -> cluster.advance(SECOND)));
                    ordered.submit(new Told("second", () -> {}));
                },
                onDemand(1).build());

        assertThat(story)
                .containsExactly(
                        "first begins",
                        "first succeeded",
                        "first completed",
                        "second begins",
                        "second succeeded",
                        "second completed");
        assertThat(outcome(run)).containsValue(ItemOutcome.SUCCEEDED);
    }

    @Test
    void keysHaveNothingToDoWithOneAnother(TestCluster cluster) {
        run(
                cluster,
                context -> {
                    context.tasks().inOrder("slow").submit(new Told("slow", () -> cluster.advance(SECOND)));
                    context.tasks().inOrder("quick").submit(new Told("quick", () -> {}));
                    context.tasks().submit(new Told("plain", () -> {}));
                },
                onDemand(1).build());

        assertThat(story.subList(0, 1)).containsExactly("slow begins");
        assertThat(story.subList(story.size() - 2, story.size())).containsExactly("slow succeeded", "slow completed");
    }

    @Test
    void aTaskThatFailsFailsTheRunAndWhatHasNotBegunDoesNot(TestCluster cluster) {
        JobRun run = run(
                cluster,
                context -> {
                    Tasks ordered = context.tasks().inOrder("key");
                    ordered.submit(new Told("first", () -> {
                        throw new IllegalStateException("broken");
                    }));
                    ordered.submit(new Told("second", () -> {}));
                },
                onDemand(1).build());

        assertThat(story)
                .containsExactly(
                        "first begins",
                        "first failed: broken",
                        "first completed",
                        "second failed: not begun",
                        "second completed");
        assertThat(outcome(run)).containsValue(ItemOutcome.FAILED);
    }

    @Test
    void aTaskOverItsLimitFailsTheRunAndIsToldWhetherItWasCancelled(TestCluster cluster) {
        JobRun run = run(
                cluster,
                context -> {
                    Tasks limited = context.tasks().within(Duration.ofSeconds(5));
                    limited.submit(new Told("obedient", () -> untilInterrupted(cluster)));
                    limited.submit(new Told("quick", () -> {}));
                },
                onDemand(1).build());

        assertThat(story).contains("obedient timed out: cancelled", "quick succeeded");
        assertThat(outcome(run)).containsValue(ItemOutcome.FAILED);

        story.clear();
        cluster.schedule(
                context -> context.tasks()
                        .within(Duration.ofSeconds(5))
                        .submit(new Told("late", () -> cluster.advance(Duration.ofSeconds(7)))),
                JobConfiguration.newBuilder("other", 1).build());
        JobRun other = cluster.trigger("other", Map.of());
        cluster.advance(Duration.ofMinutes(1));

        assertThat(story).containsExactly("late begins", "late timed out: done late", "late completed");
        assertThat(outcome(other)).containsValue(ItemOutcome.FAILED);
    }

    @Test
    void aTaskThatDoesNotEndAfterItsLimitIsReportedWithItsItem(TestCluster cluster) {
        run(
                cluster,
                context -> context.tasks().within(Duration.ofSeconds(5)).submit(() -> {
                    cluster.advance(Duration.ofSeconds(30));
                    story.addAll(cluster.instances().stream()
                            .flatMap(instance -> instance.engine().health().jobs().values().stream())
                            .flatMap(job -> job.reason(JobHealth.Kind.STUCK_ITEMS).stream())
                            .map(reason -> "stuck")
                            .toList());
                }),
                onDemand(1).build());

        assertThat(story).contains("stuck");
    }

    @Test
    void theTimeLimitOfARunEndsItsTasks(TestCluster cluster) {
        JobRun run = run(
                cluster,
                context -> {
                    context.tasks().inOrder("key").submit(new Told("running", () -> untilInterrupted(cluster)));
                    context.tasks().inOrder("key").submit(new Told("waiting", () -> {}));
                },
                onDemand(1).timeout(Duration.ofSeconds(7)).build());

        assertThat(story)
                .containsExactly(
                        "running begins",
                        "running failed: interrupted",
                        "running completed",
                        "waiting failed: not begun",
                        "waiting completed");
        assertThat(outcome(run)).containsValue(ItemOutcome.TIMED_OUT);
    }

    @Test
    void anItemThatIsGivenUpIsNotBegunAgainHereWhileATaskOfItRuns(@Instances(1) TestCluster cluster) {
        JobRun run = run(
                cluster,
                context -> {
                    int attempt = context.attempt();
                    story.add("attempt " + attempt);
                    context.tasks().submit(() -> {
                        if (attempt == 1) {
                            cluster.instances().get(0).expireSession();
                            cluster.advance(Duration.ofSeconds(30));
                            assertThat(context.isCancelled()).isTrue();
                        }
                        story.add("task " + attempt);
                    });
                },
                onDemand(1).build());

        assertThat(story).containsExactly("attempt 1", "task 1", "attempt 2", "task 2");
        assertThat(outcome(run)).containsValue(ItemOutcome.SUCCEEDED);
    }

    @Test
    void anotherTryBeginsWithoutTasks(TestCluster cluster) {
        List<Tasks> kept = new ArrayList<>();
        JobRun run = run(
                cluster,
                context -> {
                    kept.add(context.tasks());
                    int attempt = context.attempt();
                    context.tasks().submit(new Told("try " + attempt, () -> {
                        if (attempt == 1) {
                            throw new IllegalStateException("not yet");
                        }
                    }));
                    if (attempt == 2) {
                        assertThatThrownBy(() -> kept.get(0).submit(() -> "too late"))
                                .isInstanceOf(IllegalStateException.class);
                    }
                },
                onDemand(1).retry(RetryPolicy.attempts(3)).build());

        assertThat(story)
                .containsExactly(
                        "try 1 begins",
                        "try 1 failed: not yet",
                        "try 1 completed",
                        "try 2 begins",
                        "try 2 succeeded",
                        "try 2 completed");
        assertThat(outcome(run)).containsValue(ItemOutcome.SUCCEEDED);
    }

    @Test
    void interceptorsStandAroundTheTasksToo(TestCluster cluster) {
        RunInterceptor around = new RunInterceptor() {
            @Override
            public void before(ShardingContext context) {
                story.add("before");
                assertThatThrownBy(() -> context.tasks().submit(() -> "never"))
                        .isInstanceOf(IllegalStateException.class);
            }

            @Override
            public void after(ShardingContext context) {
                story.add("after");
            }

            @Override
            public void completion(ShardingContext context, @Nullable Throwable failure) {
                story.add("completion");
            }
        };
        SimpleJob job = context -> {
            context.tasks().submit(() -> story.add("task"));
            story.add("code");
        };
        cluster.instances().forEach(instance -> instance.engine()
                .register(job, onDemand(1).build(), JobOptions.none().interceptors(around)));
        cluster.advance(SECOND);
        cluster.trigger("job", Map.of());
        cluster.advance(SECOND);

        assertThat(story).containsExactly("before", "code", "task", "after", "completion");
    }

    @Test
    void aBatchMayWaitForItsTasks(TestCluster cluster) {
        cluster.schedule(
                new DataflowJob<Integer>() {
                    private int batches;

                    @Override
                    public List<Integer> fetchData(ShardingContext context) {
                        return batches++ < 2 ? List.of(batches * 10, batches * 10 + 1) : List.of();
                    }

                    @Override
                    public void processData(ShardingContext context, List<Integer> data) {
                        data.forEach(each -> context.tasks().submit(() -> story.add("entry " + each)));
                        context.tasks().join();
                        story.add("batch");
                    }
                },
                onDemand(1).streaming(true).build());
        JobRun run = cluster.trigger("job", Map.of());
        cluster.advance(SECOND);

        assertThat(story).hasSize(6);
        assertThat(story.subList(0, 2)).containsExactlyInAnyOrder("entry 10", "entry 11");
        assertThat(story.get(2)).isEqualTo("batch");
        assertThat(outcome(run)).containsValue(ItemOutcome.SUCCEEDED);
    }

    @Test
    void placesOfTasksAreShown(@Instances(1) TestCluster cluster) {
        run(
                cluster,
                context -> {
                    for (int i = 0; i < 300; i++) {
                        context.tasks().submit(() -> {});
                    }
                },
                onDemand(1).build());

        assertThat(cluster.instances().get(0).engine().metrics().load().slots().get("tasks"))
                .satisfies(room -> {
                    assertThat(room.size()).isEqualTo(256);
                    assertThat(room.largestTaken()).isEqualTo(256);
                    assertThat(room.taken()).isZero();
                    assertThat(room.completed()).isEqualTo(300);
                });
    }
}
