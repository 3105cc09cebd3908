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

/** Tests child tasks of a run and their effect on its outcome. */
@ExtendWith(OstrakaExtension.class)
class ChildTasksTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final List<String> calls = new ArrayList<>();

    /** A task that records its calls. */
    private class RecordingTask implements Tasks.Task<String> {
        private final String name;
        private final Tasks.Action work;

        RecordingTask(String name, Tasks.Action work) {
            this.name = name;
            this.work = work;
        }

        @Override
        public String call() throws Exception {
            calls.add(name + " begins");
            work.run();
            return name;
        }

        @Override
        public void succeeded(String result) {
            calls.add(result + " succeeded");
        }

        @Override
        public void failed(Throwable failure) {
            calls.add(name + " failed: "
                    + (failure instanceof CancellationException ? "not begun" : failure.getMessage()));
        }

        @Override
        public void timedOut(boolean cancelled) {
            calls.add(name + " timed out: " + (cancelled ? "cancelled" : "done late"));
        }

        @Override
        public void completed() {
            calls.add(name + " completed");
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

    /** Advances time until the thread is interrupted. */
    private static void untilInterrupted(TestCluster cluster) throws InterruptedException {
        while (!Thread.interrupted()) {
            cluster.advance(SECOND);
        }
        throw new InterruptedException("interrupted");
    }

    @Test
    void runEndsWhenItsTasksHaveEnded(TestCluster cluster) {
        AtomicReference<JobRun> run = new AtomicReference<>();
        cluster.schedule(
                context -> {
                    context.tasks().submit(() -> {
                        cluster.advance(Duration.ofSeconds(20));
                        calls.add("task");
                        assertThat(run.get().completion().toCompletableFuture()).isNotCompleted();
                    });
                    calls.add("code returns");
                },
                onDemand(1).build());
        run.set(cluster.instances().get(0).engine().trigger("job", Map.of(), Set.of()));
        cluster.advance(Duration.ofMinutes(1));

        assertThat(calls).containsExactly("code returns", "task");
        assertThat(outcome(run.get())).containsValue(ItemOutcome.SUCCEEDED);
    }

    @Test
    void tasksOfAKeyAndTheirCallbacksRunInOrder(TestCluster cluster) {
        JobRun run = run(
                cluster,
                context -> {
                    Tasks ordered = context.tasks().inOrder("key");
                    ordered.submit(new RecordingTask("first", () -> cluster.advance(SECOND)));
                    ordered.submit(new RecordingTask("second", () -> {}));
                },
                onDemand(1).build());

        assertThat(calls)
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
    void keysAreIndependent(TestCluster cluster) {
        run(
                cluster,
                context -> {
                    context.tasks().inOrder("slow").submit(new RecordingTask("slow", () -> cluster.advance(SECOND)));
                    context.tasks().inOrder("quick").submit(new RecordingTask("quick", () -> {}));
                    context.tasks().submit(new RecordingTask("plain", () -> {}));
                },
                onDemand(1).build());

        assertThat(calls.subList(0, 1)).containsExactly("slow begins");
        assertThat(calls.subList(calls.size() - 2, calls.size())).containsExactly("slow succeeded", "slow completed");
    }

    @Test
    void failingTaskFailsTheRunAndCancelsPendingTasks(TestCluster cluster) {
        JobRun run = run(
                cluster,
                context -> {
                    Tasks ordered = context.tasks().inOrder("key");
                    ordered.submit(new RecordingTask("first", () -> {
                        throw new IllegalStateException("broken");
                    }));
                    ordered.submit(new RecordingTask("second", () -> {}));
                },
                onDemand(1).build());

        assertThat(calls)
                .containsExactly(
                        "first begins",
                        "first failed: broken",
                        "first completed",
                        "second failed: not begun",
                        "second completed");
        assertThat(outcome(run)).containsValue(ItemOutcome.FAILED);
    }

    @Test
    void taskOverItsLimitFailsTheRunAndLearnsIfItWasCancelled(TestCluster cluster) {
        JobRun run = run(
                cluster,
                context -> {
                    Tasks limited = context.tasks().within(Duration.ofSeconds(5));
                    limited.submit(new RecordingTask("obedient", () -> untilInterrupted(cluster)));
                    limited.submit(new RecordingTask("quick", () -> {}));
                },
                onDemand(1).build());

        assertThat(calls).contains("obedient timed out: cancelled", "quick succeeded");
        assertThat(outcome(run)).containsValue(ItemOutcome.FAILED);

        calls.clear();
        cluster.schedule(
                context -> context.tasks()
                        .within(Duration.ofSeconds(5))
                        .submit(new RecordingTask("late", () -> cluster.advance(Duration.ofSeconds(7)))),
                JobConfiguration.newBuilder("other", 1).build());
        JobRun other = cluster.trigger("other", Map.of());
        cluster.advance(Duration.ofMinutes(1));

        assertThat(calls).containsExactly("late begins", "late timed out: done late", "late completed");
        assertThat(outcome(other)).containsValue(ItemOutcome.FAILED);
    }

    @Test
    void taskThatOutlastsItsLimitIsReportedWithItsItem(TestCluster cluster) {
        run(
                cluster,
                context -> context.tasks().within(Duration.ofSeconds(5)).submit(() -> {
                    cluster.advance(Duration.ofSeconds(30));
                    calls.addAll(cluster.instances().stream()
                            .flatMap(instance -> instance.engine().health().jobs().values().stream())
                            .flatMap(job -> job.reason(JobHealth.Kind.STUCK_ITEMS).stream())
                            .map(reason -> "stuck")
                            .toList());
                }),
                onDemand(1).build());

        assertThat(calls).contains("stuck");
    }

    @Test
    void timeoutOfARunEndsItsTasks(TestCluster cluster) {
        JobRun run = run(
                cluster,
                context -> {
                    context.tasks()
                            .inOrder("key")
                            .submit(new RecordingTask("running", () -> untilInterrupted(cluster)));
                    context.tasks().inOrder("key").submit(new RecordingTask("waiting", () -> {}));
                },
                onDemand(1).timeout(Duration.ofSeconds(7)).build());

        assertThat(calls)
                .containsExactly(
                        "running begins",
                        "running failed: interrupted",
                        "running completed",
                        "waiting failed: not begun",
                        "waiting completed");
        assertThat(outcome(run)).containsValue(ItemOutcome.TIMED_OUT);
    }

    @Test
    void lostItemDoesNotRestartHereWhileItsTaskRuns(@Instances(1) TestCluster cluster) {
        JobRun run = run(
                cluster,
                context -> {
                    int attempt = context.attempt();
                    calls.add("attempt " + attempt);
                    context.tasks().submit(() -> {
                        if (attempt == 1) {
                            cluster.instances().get(0).expireSession();
                            cluster.advance(Duration.ofSeconds(30));
                            assertThat(context.isCancelled()).isTrue();
                        }
                        calls.add("task " + attempt);
                    });
                },
                onDemand(1).build());

        assertThat(calls).containsExactly("attempt 1", "task 1", "attempt 2", "task 2");
        assertThat(outcome(run)).containsValue(ItemOutcome.SUCCEEDED);
    }

    @Test
    void retryStartsWithoutTasks(TestCluster cluster) {
        List<Tasks> kept = new ArrayList<>();
        JobRun run = run(
                cluster,
                context -> {
                    kept.add(context.tasks());
                    int attempt = context.attempt();
                    context.tasks().submit(new RecordingTask("try " + attempt, () -> {
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

        assertThat(calls)
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
    void interceptorsSurroundTheTasks(TestCluster cluster) {
        RunInterceptor around = new RunInterceptor() {
            @Override
            public void before(ShardingContext context) {
                calls.add("before");
                assertThatThrownBy(() -> context.tasks().submit(() -> "never"))
                        .isInstanceOf(IllegalStateException.class);
            }

            @Override
            public void after(ShardingContext context) {
                calls.add("after");
            }

            @Override
            public void completion(ShardingContext context, @Nullable Throwable failure) {
                calls.add("completion");
            }
        };
        SimpleJob job = context -> {
            context.tasks().submit(() -> calls.add("task"));
            calls.add("code");
        };
        cluster.instances().forEach(instance -> instance.engine()
                .register(job, onDemand(1).build(), JobOptions.none().interceptors(around)));
        cluster.advance(SECOND);
        cluster.trigger("job", Map.of());
        cluster.advance(SECOND);

        assertThat(calls).containsExactly("before", "code", "task", "after", "completion");
    }

    @Test
    void batchMayWaitForItsTasks(TestCluster cluster) {
        cluster.schedule(
                new DataflowJob<Integer>() {
                    private int batches;

                    @Override
                    public List<Integer> fetchData(ShardingContext context) {
                        return batches++ < 2 ? List.of(batches * 10, batches * 10 + 1) : List.of();
                    }

                    @Override
                    public void processData(ShardingContext context, List<Integer> data) {
                        data.forEach(each -> context.tasks().submit(() -> calls.add("entry " + each)));
                        context.tasks().join();
                        calls.add("batch");
                    }
                },
                onDemand(1).streaming(true).build());
        JobRun run = cluster.trigger("job", Map.of());
        cluster.advance(SECOND);

        assertThat(calls).hasSize(6);
        assertThat(calls.subList(0, 2)).containsExactlyInAnyOrder("entry 10", "entry 11");
        assertThat(calls.get(2)).isEqualTo("batch");
        assertThat(outcome(run)).containsValue(ItemOutcome.SUCCEEDED);
    }

    @Test
    void slotsOfTasksAreShown(@Instances(1) TestCluster cluster) {
        run(
                cluster,
                context -> {
                    for (int i = 0; i < 300; i++) {
                        context.tasks().submit(() -> {});
                    }
                },
                onDemand(1).build());

        assertThat(cluster.instances().get(0).engine().metrics().load().slots().get("tasks"))
                .satisfies(slots -> {
                    assertThat(slots.size()).isEqualTo(256);
                    assertThat(slots.largestTaken()).isEqualTo(256);
                    assertThat(slots.taken()).isZero();
                    assertThat(slots.completed()).isEqualTo(300);
                });
    }
}
