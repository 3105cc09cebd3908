package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.FailoverReason;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobFire;
import io.ostraka.api.JobListener;
import io.ostraka.api.JobOptions;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.RunInterceptor;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.metrics.JobMetrics;
import io.ostraka.fixtures.InfoLog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests the calls of interceptors around a run, and of listeners around an instance's part in a fire. */
@ExtendWith(OstrakaExtension.class)
class ListenersTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final String LISTENERS = "io.ostraka.core.job.ListenerCalls";
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final List<String> calls = new ArrayList<>();

    private static JobConfiguration.Builder onDemand(int items) {
        return JobConfiguration.newBuilder("job", items);
    }

    /** Interceptor and listener that records its calls. */
    private class Recorder implements RunInterceptor, JobListener {
        final String name;
        final int order;

        Recorder(String name, int order) {
            this.name = name;
            this.order = order;
        }

        @Override
        public int order() {
            return order;
        }

        @Override
        public void before(ShardingContext context) throws Exception {
            calls.add(name + " before");
        }

        @Override
        public void after(ShardingContext context) throws Exception {
            calls.add(name + " after");
        }

        @Override
        public void completion(ShardingContext context, @Nullable Throwable failure) {
            calls.add(name + " completion " + (failure == null ? "" : failure.getMessage()));
        }

        @Override
        public void beforeFire(JobFire fire) throws Exception {
            calls.add(name + " before " + new TreeSet<>(fire.items()));
        }

        @Override
        public void afterFire(JobFire fire, Map<String, ItemOutcome> outcomes) throws Exception {
            assertThat(outcomes.keySet()).isEqualTo(fire.items());
            calls.add(name + " after " + outcomes);
        }
    }

    private void host(TestCluster cluster, SimpleJob code, JobConfiguration job, RunInterceptor... interceptors) {
        cluster.instances().forEach(instance -> instance.engine()
                .register(code, job, JobOptions.none().interceptors(interceptors)));
        cluster.advance(SECOND);
    }

    private void listen(TestCluster cluster, SimpleJob code, JobConfiguration job, JobListener... listeners) {
        cluster.instances().forEach(instance -> instance.engine()
                .register(code, job, JobOptions.none().listeners(listeners)));
        cluster.advance(SECOND);
    }

    private Map<String, ItemOutcome> run(TestCluster cluster) {
        var run = cluster.trigger("job", Map.of());
        cluster.advance(Duration.ofMinutes(1));
        assertThat(run.completion().toCompletableFuture()).isCompleted();
        return run.completion().toCompletableFuture().join();
    }

    private void work(ShardingContext context) {
        calls.add("item " + context.shardingItem());
    }

    // ---- around a run

    @Test
    void interceptorsSurroundARunInTheirOrder() {
        try (TestCluster cluster = new TestCluster(1, START, 1)) {
            host(cluster, this::work, onDemand(1).build(), new Recorder("inner", 2), new Recorder("outer", 1));

            assertThat(run(cluster)).containsValue(ItemOutcome.SUCCEEDED);
        }
        assertThat(calls)
                .containsExactly(
                        "outer before",
                        "inner before",
                        "item 0",
                        "inner after",
                        "outer after",
                        "inner completion ",
                        "outer completion ");
    }

    @Test
    void exceptionInBeforeFailsTheRunAndSkipsInnerInterceptors() {
        try (TestCluster cluster = new TestCluster(1, START, 1)) {
            RunInterceptor refusing = new Recorder("middle", 2) {
                @Override
                public void before(ShardingContext context) {
                    throw new IllegalStateException("not now");
                }
            };
            host(
                    cluster,
                    this::work,
                    onDemand(1).build(),
                    new Recorder("outer", 1),
                    refusing,
                    new Recorder("inner", 3));

            assertThat(run(cluster)).containsValue(ItemOutcome.FAILED);
        }
        assertThat(calls).containsExactly("outer before", "outer completion not now");
    }

    @Test
    void interceptorsSurroundEachAttemptAndSeeItsFailure() {
        try (TestCluster cluster = new TestCluster(1, START, 1)) {
            SimpleJob failsOnce = context -> {
                calls.add("attempt " + context.attempt());
                if (context.attempt() == 1) {
                    throw new IllegalStateException("broken");
                }
            };
            host(cluster, failsOnce, onDemand(1).retry(RetryPolicy.attempts(2)).build(), new Recorder("it", 0));

            assertThat(run(cluster)).containsValue(ItemOutcome.SUCCEEDED);
        }
        assertThat(calls)
                .containsExactly(
                        "it before",
                        "attempt 1",
                        "it completion broken",
                        "it before",
                        "attempt 2",
                        "it after",
                        "it completion ");
    }

    @Test
    void exceptionInAfterFailsTheRunAndInCompletionDoesNot() {
        try (TestCluster cluster = new TestCluster(1, START, 1)) {
            RunInterceptor failing = new Recorder("inner", 2) {
                @Override
                public void after(ShardingContext context) {
                    throw new IllegalStateException("too late");
                }

                @Override
                public void completion(ShardingContext context, @Nullable Throwable failure) {
                    throw new IllegalStateException("harmless");
                }
            };
            host(cluster, this::work, onDemand(1).build(), new Recorder("outer", 1), failing);

            assertThat(run(cluster)).containsValue(ItemOutcome.FAILED);
        }
        assertThat(calls).containsExactly("outer before", "inner before", "item 0", "outer completion too late");
    }

    @Test
    void timeOfAnInterceptorCountsTowardsTheTimeout() {
        try (TestCluster cluster = new TestCluster(1, START, 1)) {
            RunInterceptor slow = new Recorder("slow", 0) {
                @Override
                public void before(ShardingContext context) {
                    cluster.advance(SECOND.multipliedBy(10));
                }
            };
            host(
                    cluster,
                    context -> calls.add("cancelled " + context.isCancelled()),
                    onDemand(1).timeout(SECOND.multipliedBy(5)).build(),
                    slow);

            assertThat(run(cluster)).containsValue(ItemOutcome.TIMED_OUT);
        }
        assertThat(calls).contains("cancelled true");
    }

    // ---- around an instance's part in a fire

    @Test
    void listenerIsCalledAroundTheItemsOfItsInstance() {
        try (TestCluster cluster = new TestCluster(2, START, 1)) {
            for (int i = 0; i < 2; i++) {
                cluster.instances()
                        .get(i)
                        .engine()
                        .register(
                                (SimpleJob) this::work,
                                onDemand(4).build(),
                                JobOptions.none().listeners(new Recorder("b" + i, 2), new Recorder("a" + i, 1)));
            }
            cluster.advance(SECOND.multipliedBy(5));
            run(cluster);
        }
        for (String[] own : new String[][] {{"0", "0, 1"}, {"1", "2, 3"}, {"0", "2, 3"}, {"1", "0, 1"}}) {
            String a = "a" + own[0];
            if (!calls.contains(a + " before [" + own[1] + "]")) {
                continue; // the strategy assigned the items differently
            }
            List<String> items = List.of(own[1].split(", "));
            String outcomes = "{" + items.get(0) + "=SUCCEEDED, " + items.get(1) + "=SUCCEEDED}";
            assertThat(calls.stream()
                            .filter(line -> line.contains(own[0] + " before")
                                    || line.contains(own[0] + " after")
                                    || items.contains(line.replace("item ", ""))))
                    .startsWith(a + " before [" + own[1] + "]", "b" + own[0] + " before [" + own[1] + "]")
                    .contains("item " + items.get(0), "item " + items.get(1))
                    .endsWith("b" + own[0] + " after " + outcomes, a + " after " + outcomes)
                    .hasSize(6);
        }
        assertThat(calls).hasSize(12);
    }

    @Test
    void listenerIsCalledOnceForItemsThatRunInTurn() {
        try (TestCluster cluster = new TestCluster(1, START, 1)) {
            SimpleJob takesTime = context -> {
                cluster.advance(SECOND);
                work(context);
            };
            listen(cluster, takesTime, onDemand(3).concurrency(1).build(), new Recorder("it", 0));
            run(cluster);
        }
        assertThat(calls)
                .containsExactly(
                        "it before [0]",
                        "item 0",
                        "item 1",
                        "item 2",
                        "it after {0=SUCCEEDED, 1=SUCCEEDED, 2=SUCCEEDED}");
    }

    @Test
    void failingListenerIsLoggedAndTheItemsRun() throws Exception {
        try (InfoLog log = new InfoLog(LISTENERS);
                TestCluster cluster = new TestCluster(1, START, 1)) {
            JobListener failing = new Recorder("bad", 1) {
                @Override
                public void beforeFire(JobFire fire) {
                    throw new NoClassDefFoundError("gone");
                }
            };
            listen(cluster, this::work, onDemand(1).build(), failing, new Recorder("good", 2));

            assertThat(run(cluster)).containsValue(ItemOutcome.SUCCEEDED);
            assertThat(log.lines("job 'job': listener"))
                    .singleElement()
                    .asString()
                    .contains("before fire");
        }
        assertThat(calls)
                .containsExactly("good before [0]", "item 0", "good after {0=SUCCEEDED}", "bad after {0=SUCCEEDED}");
    }

    @Test
    void hangingListenerDelaysItemsOnceByItsTimeLimit() throws Exception {
        try (InfoLog log = new InfoLog(LISTENERS);
                TestCluster cluster = new TestCluster(1, START, 1)) {
            JobListener endless = new Recorder("endless", 0) {
                @Override
                public void beforeFire(JobFire fire) {
                    calls.add("endless before");
                    cluster.advance(Duration.ofMinutes(10));
                    Thread.interrupted(); // clears the interruption at the time limit
                }

                @Override
                public Duration timeLimit() {
                    return SECOND.multipliedBy(3);
                }
            };
            JobConfiguration everyMinute = JobConfiguration.newBuilder("job", 1)
                    .schedule(Schedule.fixedRate(Duration.ofMinutes(1)))
                    .build();
            SimpleJob late = context -> calls.add("late by "
                    + Duration.between(context.fireTime(), cluster.now()).toSeconds());
            listen(cluster, late, everyMinute, endless);
            cluster.advance(Duration.ofSeconds(70));

            assertThat(calls).filteredOn(line -> line.equals("endless before")).hasSize(1);
            assertThat(calls.subList(0, 4)).containsExactly("endless before", "late by 3", "late by 0", "late by 0");
            assertThat(log.lines("took longer than PT3S")).isNotEmpty();
        }
    }

    @Test
    void listenerOfTheNextOwnerReportsHandedOverItems() {
        try (TestCluster cluster = new TestCluster(2, START, 1)) {
            for (int i = 0; i < 2; i++) {
                Recorder recorder = new Recorder("at " + i, 0) {
                    @Override
                    public void afterFire(JobFire fire, Map<String, ItemOutcome> outcomes) {
                        calls.add(name + " after " + outcomes);
                    }
                };
                cluster.instances()
                        .get(i)
                        .engine()
                        .register(
                                (SimpleJob) context -> {
                                    while (context.attempt() == 1 && !context.isCancelled()) {
                                        cluster.advance(SECOND);
                                    }
                                },
                                onDemand(1)
                                        .shutdownGrace(SECOND.multipliedBy(5))
                                        .build(),
                                JobOptions.none().listeners(recorder));
            }
            cluster.advance(SECOND);
            cluster.time()
                    .after(SECOND.multipliedBy(5), () -> owner(cluster).engine().unregister("job"));
            run(cluster);
        }
        assertThat(calls).hasSize(4);
        String first = calls.get(0).substring(0, 4);
        String second = calls.get(2).substring(0, 4);
        assertThat(second).isNotEqualTo(first);
        assertThat(calls)
                .containsExactly(
                        first + " before [0]",
                        first + " after {}",
                        second + " before [0]",
                        second + " after {0=SUCCEEDED}");
    }

    @Test
    void joiningInstanceHostsAJobWithItsOptions() {
        try (TestCluster cluster = new TestCluster(0, START, 1)) {
            cluster.schedule(this::work, onDemand(1).build(), JobOptions.none().listeners(new Recorder("listener", 0)));
            cluster.join();
            run(cluster);
            assertThat(calls).containsExactly("listener before [0]", "item 0", "listener after {0=SUCCEEDED}");
        }
    }

    private TestCluster.Instance owner(TestCluster cluster) {
        return cluster.instances().get(Integer.parseInt(calls.get(0).substring(3, 4)));
    }

    /** At the shutdown it is still unknown whether the claim of the fire's next item succeeded. */
    @Test
    void endOfAFireIsReportedAtAShutdownWithoutAConnection() {
        try (TestCluster cluster = new TestCluster(1, START, 1)) {
            TestCluster.Instance instance = cluster.instances().get(0);
            listen(
                    cluster,
                    context -> {
                        work(context);
                        instance.store().holdReplies();
                    },
                    onDemand(2).concurrency(1).shutdownGrace(SECOND).build(),
                    new Recorder("listener", 0));
            cluster.trigger("job", Map.of());
            cluster.advance(SECOND);
            instance.store().suspend();
            instance.close();
            cluster.advance(Duration.ofMinutes(1));
            assertThat(calls).containsExactly("listener before [0]", "item 0", "listener after {0=SUCCEEDED}");
        }
    }

    /** Guards against an item that is quarantined because a listener hung during a shutdown. */
    @Test
    void runCancelledWhileItsListenerHangsIsHandedOver() {
        try (TestCluster cluster = new TestCluster(2, START, 1)) {
            JobListener hanging = new Recorder("hanging", 0) {
                @Override
                public void beforeFire(JobFire fire) {
                    calls.add("before " + fire.instanceId());
                    if (calls.size() == 1) {
                        cluster.instance(fire.instanceId()).close();
                    }
                }

                @Override
                public Duration timeLimit() {
                    return Duration.ofMinutes(10);
                }

                @Override
                public void afterFire(JobFire fire, Map<String, ItemOutcome> outcomes) {}
            };
            listen(
                    cluster,
                    context -> calls.add("attempt " + context.attempt()),
                    onDemand(1).shutdownGrace(SECOND).build(),
                    hanging);
            run(cluster);

            assertThat(calls).hasSize(3).last().isEqualTo("attempt 2");
            assertThat(cluster.instances().stream()
                            .map(instance -> instance.engine().metrics().jobs().get("job"))
                            .filter(Objects::nonNull)
                            .map(JobMetrics::failovers)
                            .toList())
                    .contains(Map.of(FailoverReason.HANDED_OVER, 1L))
                    .doesNotContain(Map.of(FailoverReason.CRASHED, 1L));
        }
    }

    @Test
    void listenersCostNoRequest() {
        JobConfiguration job = JobConfiguration.newBuilder("job", 3)
                .schedule(Schedule.fixedRate(SECOND))
                .build();
        List<InMemoryNodeStore.Operations> costs = new ArrayList<>();
        for (JobListener[] listeners : new JobListener[][] {{}, {new Recorder("it", 0)}}) {
            try (TestCluster cluster = new TestCluster(1, START, 1)) {
                listen(cluster, context -> {}, job, listeners);
                cluster.advance(Duration.ofMinutes(1));
                costs.add(cluster.instances().get(0).store().operations());
            }
        }
        assertThat(calls).hasSizeGreaterThan(100);
        assertThat(costs.get(1)).isEqualTo(costs.get(0));
    }

    @Test
    void timeLimitOfZeroIsRejected() {
        try (TestCluster cluster = new TestCluster(1, START, 1)) {
            JobListener hasty = new JobListener() {
                @Override
                public Duration timeLimit() {
                    return Duration.ZERO;
                }
            };
            assertThatThrownBy(() -> listen(cluster, this::work, onDemand(1).build(), hasty))
                    .isInstanceOf(JobConfigurationException.class)
                    .hasMessageContaining("timeLimit");
        }
    }
}
