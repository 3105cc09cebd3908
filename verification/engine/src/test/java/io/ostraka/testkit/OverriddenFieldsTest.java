package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.AlarmPolicy;
import io.ostraka.api.HistoryLevel;
import io.ostraka.api.InstanceMatch;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobField;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.SessionLossPolicy;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.core.model.JobOverride;
import io.ostraka.fixtures.InfoLog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that an operator's change of any field takes effect on running instances. */
class OverriddenFieldsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final String CONFIGURATION_LOG = "io.ostraka.core.job.ConfigurationLog";

    /** A strategy that assigns all items to the last instance. */
    private static final JobShardingStrategy LAST = new JobShardingStrategy() {
        @Override
        public String type() {
            return "LAST";
        }

        @Override
        public Map<String, List<String>> shard(Request request) {
            String last = request.instances().stream()
                    .map(instance -> instance.id())
                    .max(String::compareTo)
                    .orElseThrow();
            return Map.of(last, request.items());
        }
    };

    private final TestCluster cluster = new TestCluster(3, Instant.parse("2026-01-01T00:00:00Z"), 0, LAST);
    private final List<Run> runs = new ArrayList<>();
    private SimpleJob code = context -> {};

    private record Run(
            Instant at,
            int item,
            int total,
            String parameter,
            String itemParameter,
            int attempt,
            long token,
            String by) {}

    static Stream<String> fields() {
        return JobConfiguration.fields().stream()
                .filter(JobField::isOverridable)
                .map(JobField::name);
    }

    @ParameterizedTest
    @MethodSource("fields")
    void overriddenFieldTakesEffect(String field) throws Exception {
        switch (field) {
            case "shardingTotalCount" -> {
                schedule(every10Seconds(1));
                assertThat(changed(field, 3, Run::item)).containsExactly(0, 1, 2);
            }
            case "schedule" -> {
                schedule(JobConfiguration.newBuilder("job", 1));
                assertThat(changed(field, Schedule.fixedRate(PERIOD), Run::item))
                        .containsExactly(0);
            }
            case "shardingItemParameters" -> {
                schedule(every10Seconds(1).shardingItemParameters("0=a"));
                assertThat(changed(field, Map.of(0, "b"), Run::itemParameter)).containsExactly("b");
            }
            case "jobParameter" -> {
                schedule(every10Seconds(1).jobParameter("a"));
                assertThat(changed(field, "b", Run::parameter)).containsExactly("b");
            }
            case "description" -> assertThat(logged(field, "b")).contains("description a to b");
            case "labels" -> assertThat(logged(field, Map.of("c", "d"))).contains("labels {a=b} to {c=d}");
            case "history" -> assertThat(logged(field, HistoryLevel.NONE)).contains("history none to NONE");
            case "alarms" ->
                assertThat(logged(field, AlarmPolicy.of("FAILING=1"))).contains("alarms default to FAILING=1");
            case "paused" -> {
                schedule(every10Seconds(1));
                assertThat(changed(field, true, Run::item)).isEmpty();
            }
            case "fenceEpoch" -> {
                schedule(every10Seconds(1));
                assertThat(changed(field, 1, run -> run.token() >>> 52)).containsExactly(1L);
            }
            case "shardingStrategy" -> {
                schedule(every10Seconds(3));
                assertThat(changed(field, "LAST", Run::by)).containsExactly(id(2));
            }
            case "requiredInstances", "preferredInstances" -> {
                schedule(every10Seconds(3));
                assertThat(changed(field, InstanceMatch.parse("host=host-1"), Run::by))
                        .containsExactly(id(1));
            }
            case "maxItemsPerInstance" -> {
                schedule(every10Seconds(6));
                assertThat(changed(field, 1, Run::item)).hasSize(3);
            }
            case "antiAffinity" -> {
                cluster.schedule(
                        context -> {},
                        JobConfiguration.newBuilder("other", 1)
                                .requiredInstances("host=host-1")
                                .build());
                schedule(every10Seconds(3));
                assertThat(changed(field, "other", Run::by)).containsExactlyInAnyOrder(id(0), id(2));
            }
            case "staticSharding" -> {
                schedule(every10Seconds(3));
                override(field, true);
                cluster.instances().get(1).close();
                assertThat(later(MINUTE, Run::item)).hasSize(2);
            }
            case "restartGrace" -> {
                schedule(every10Seconds(3));
                override(field, MINUTE.multipliedBy(10));
                cluster.instances().get(1).close();
                assertThat(later(MINUTE, Run::item)).hasSize(2);
            }
            case "concurrency" -> {
                int[] running = {0, 0};
                code = context -> {
                    running[1] = Math.max(running[1], ++running[0]);
                    cluster.advance(SECOND);
                    running[0]--;
                };
                schedule(every10Seconds(9));
                override(field, 1);
                running[1] = 0;
                cluster.advance(MINUTE);
                assertThat(running[1]).as("one on each instance").isEqualTo(3);
            }
            case "timeout" ->
                assertThat(secondsOfRun(field, PERIOD, Schedule.onDemand())).containsExactly(10L);
            case "maxAttempts" -> {
                code = context -> cluster.instance(context.instanceId()).kill();
                schedule(every10Seconds(1).paused(true));
                amend(override -> override.withPaused(false));
                override(field, 1);
                assertThat(later(MINUTE.multipliedBy(5), Run::attempt)).containsExactly(1);
                assertThat(runs).hasSize(1);
            }
            case "quarantineAfter" -> {
                code = OverriddenFieldsTest::fail;
                schedule(every10Seconds(1));
                assertThat(later(MINUTE, Run::item)).isNotEmpty();
                override(field, 1);
                cluster.advance(MINUTE);
                assertThat(later(MINUTE, Run::item)).isEmpty();
            }
            case "shutdownGrace" -> {
                List<Long> told = new ArrayList<>();
                code = context -> {
                    TestCluster.Instance own = cluster.instance(context.instanceId());
                    cluster.time().after(Duration.ZERO, () -> own.engine().close());
                    if (context.attempt() == 1) {
                        told.add(secondsUntilCancelled(context));
                    }
                };
                schedule(JobConfiguration.newBuilder("job", 1));
                override(field, PERIOD);
                cluster.trigger("job", Map.of());
                cluster.advance(MINUTE.multipliedBy(2));
                assertThat(told.get(0)).isBetween(5L, 10L);
            }
            case "misfire" -> {
                schedule(every10Seconds(1));
                override(field, MisfirePolicy.fireAll(3));
                assertThat(runsAfterPause(MINUTE.multipliedBy(10))).isBetween(3, 4);
            }
            case "misfireThreshold" -> {
                schedule(every(MINUTE).misfire(MisfirePolicy.skip()));
                cluster.advance(Duration.ofSeconds(55));
                override(field, SECOND);
                assertThat(runsAfterPause(PERIOD)).isZero();
            }
            case "catchUpWindow" -> {
                schedule(every10Seconds(1).misfire(MisfirePolicy.fireAll(100)));
                override(field, MINUTE);
                assertThat(runsAfterPause(MINUTE.multipliedBy(10))).isBetween(5, 8);
            }
            case "overlap" ->
                assertThat(secondsOfRun(field, OverlapPolicy.cancelRunning(), Schedule.fixedRate(MINUTE)))
                        .contains(60L);
            case "retry" -> {
                code = OverriddenFieldsTest::fail;
                schedule(every10Seconds(1));
                assertThat(changed(field, RetryPolicy.attempts(2).backoff(SECOND, 1, SECOND), Run::attempt))
                        .containsExactly(1, 2);
            }
            case "failover" -> {
                code = context -> {
                    if (context.attempt() == 1 && cluster.instances().stream().allMatch(TestCluster.Instance::alive)) {
                        cluster.instance(context.instanceId()).kill();
                    }
                };
                schedule(every(MINUTE.multipliedBy(10)).paused(true));
                override(field, false);
                cluster.trigger("job", Map.of());
                cluster.advance(MINUTE);
                assertThat(runs).extracting(Run::attempt).containsExactly(1);
            }
            case "sessionLoss" -> {
                List<Boolean> cancelled = new ArrayList<>();
                code = context -> {
                    TestCluster.Instance own = cluster.instance(context.instanceId());
                    own.store().suspend();
                    cluster.tree().expire(own.store().session());
                    cluster.advance(MINUTE);
                    cancelled.add(context.isCancelled());
                    own.store().reconnect();
                };
                schedule(JobConfiguration.newBuilder("job", 1));
                override(field, SessionLossPolicy.KEEP_RUNNING);
                cluster.trigger("job", Map.of());
                cluster.advance(MINUTE.multipliedBy(5));
                assertThat(cancelled).startsWith(false);
            }
            case "errorHandler" -> {
                code = OverriddenFieldsTest::fail;
                try (InfoLog log = new InfoLog("io.ostraka.core.run.LogErrorHandler")) {
                    schedule(every10Seconds(1));
                    cluster.advance(PERIOD);
                    assertThat(log.lines("job 'job' item 0 of fire")).isNotEmpty();
                }
                try (InfoLog log = new InfoLog("io.ostraka.core.run.LogErrorHandler")) {
                    override(field, "IGNORE");
                    cluster.advance(MINUTE);
                    assertThat(log.lines("job 'job' item 0 of fire")).isEmpty();
                }
            }
            default -> throw new AssertionError("no case for the new field " + field + "; add one");
        }
        cluster.close();
    }

    private static JobConfiguration.Builder every10Seconds(int items) {
        return JobConfiguration.newBuilder("job", items).schedule(Schedule.fixedRate(PERIOD));
    }

    private static JobConfiguration.Builder every(Duration period) {
        return JobConfiguration.newBuilder("job", 1).schedule(Schedule.fixedRate(period));
    }

    private static void fail(ShardingContext context) {
        throw new IllegalStateException("on purpose");
    }

    private String id(int instance) {
        return cluster.instances().get(instance).id();
    }

    private void schedule(JobConfiguration.Builder job) {
        cluster.schedule(
                context -> {
                    runs.add(new Run(
                            cluster.now(),
                            context.shardingItem(),
                            context.shardingTotalCount(),
                            context.jobParameter(),
                            context.shardingItemParameter(),
                            context.attempt(),
                            context.fencingToken(),
                            context.instanceId()));
                    code.execute(context);
                },
                job.build());
    }

    private void amend(UnaryOperator<JobOverride> change) {
        cluster.amend("job", change);
    }

    private void override(String field, Object value) {
        amend(override -> with(override, JobOverride.requireField("job", field), value));
    }

    @SuppressWarnings("unchecked")
    private static <T> JobOverride with(JobOverride override, JobField<T> field, Object value) {
        return override.with(field, (T) value);
    }

    /**
     * Changes the field, and returns the distinct values of a part of the later runs. Asserts that these values have
     * changed.
     */
    private <T> Set<T> changed(String field, Object value, Function<Run, T> part) {
        Set<T> before = later(MINUTE, part);
        override(field, value);
        cluster.advance(MINUTE);
        Set<T> after = later(MINUTE, part);
        assertThat(after).isNotEqualTo(before);
        return after;
    }

    private <T> Set<T> later(Duration time, Function<Run, T> part) {
        runs.clear();
        cluster.advance(time);
        return runs.stream().map(part).collect(Collectors.toCollection(TreeSet::new));
    }

    private String logged(String field, Object value) throws ReflectiveOperationException {
        schedule(every10Seconds(1).description("a").labels(Map.of("a", "b")));
        try (InfoLog log = new InfoLog(CONFIGURATION_LOG)) {
            override(field, value);
            cluster.advance(PERIOD);
            return String.join("\n", log.lines("job 'job'"));
        }
    }

    private long secondsUntilCancelled(ShardingContext context) {
        Instant begun = cluster.now();
        while (!context.isCancelled() && cluster.now().isBefore(begun.plus(MINUTE.multipliedBy(3)))) {
            cluster.advance(SECOND);
        }
        return Duration.between(begun, cluster.now()).toSeconds();
    }

    /** Starts a run, waits until it is cancelled, and returns its duration in seconds. */
    private Set<Long> secondsOfRun(String field, Object value, Schedule schedule) {
        Set<Long> seconds = new TreeSet<>();
        schedule(JobConfiguration.newBuilder("job", 1).schedule(schedule).paused(true));
        override(field, value);
        code = context -> {
            if (seconds.isEmpty()) {
                seconds.add(secondsUntilCancelled(context));
            }
        };
        amend(override -> override.withPaused(false));
        if (schedule.equals(Schedule.onDemand())) {
            cluster.trigger("job", Map.of());
        }
        cluster.advance(MINUTE.multipliedBy(5));
        return seconds;
    }

    private int runsAfterPause(Duration pause) {
        amend(override -> override.withPaused(true));
        cluster.advance(pause);
        runs.clear();
        amend(override -> override.withPaused(false));
        cluster.advance(SECOND);
        return runs.size();
    }
}
