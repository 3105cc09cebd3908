package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobDefinition;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests defects of one job. The engine must report each defect with its remedy, every other job must continue, and no
 * manual repair must be needed.
 */
class HostileInputTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final Faulty strategy = new Faulty();
    private final TestCluster cluster = new TestCluster(2, START, 0, strategy);
    private final List<Instant> otherJobsFires = new ArrayList<>();
    private final List<String> runs = new ArrayList<>();

    @JobDefinition(name = "annotated", shardingTotalCount = 1, cron = "0 0 9 * * ?", timeZone = "Mars/Olympus")
    private static final class OnMars implements SimpleJob {
        @Override
        public void execute(ShardingContext context) {}
    }

    /** Strategy whose answer each test replaces. */
    private static final class Faulty implements JobShardingStrategy {
        Function<Request, Map<String, List<String>>> fault = Faulty::good;

        @Override
        public String type() {
            return "MOODY";
        }

        @Override
        public Map<String, List<String>> shard(Request request) {
            return fault.apply(request);
        }

        static Map<String, List<String>> good(Request request) {
            Map<String, List<String>> answer = new HashMap<>();
            for (int i = 0; i < request.items().size(); i++) {
                answer.computeIfAbsent(
                                request.instances()
                                        .get(i % request.instances().size())
                                        .id(),
                                id -> new ArrayList<>())
                        .add(request.items().get(i));
            }
            return answer;
        }
    }

    private static JobConfiguration.Builder every10Seconds(String name, int items) {
        return JobConfiguration.newBuilder(name, items).schedule(Schedule.fixedRate(Duration.ofSeconds(10)));
    }

    private void begin() {
        cluster.schedule(
                context -> otherJobsFires.add(context.fireTime()),
                every10Seconds("neighbour", 1).build());
    }

    /** The other job must have fired every ten seconds during the whole test. */
    @AfterEach
    void otherJobWasNotAffected() {
        Instant first = otherJobsFires.get(0);
        long expected = Duration.between(first, cluster.now()).dividedBy(Duration.ofSeconds(10));
        assertThat(otherJobsFires)
                .startsWith(IntStream.range(0, (int) expected)
                        .mapToObj(i -> first.plusSeconds(10L * i))
                        .toArray(Instant[]::new));
        cluster.close();
    }

    static Stream<Arguments> refusals() {
        String longName = "n".repeat(200);
        return Stream.of(
                refused(
                        "no items",
                        () -> every10Seconds("few", 0).build(),
                        "few",
                        "shardingTotalCount",
                        "'0'",
                        "1 to 100000"),
                refused("fewer", () -> every10Seconds("few", -3).build(), "few", "shardingTotalCount", "'-3'", "1 to"),
                refused("a slash", () -> every10Seconds("a/b", 1).build(), "a/b", "jobName", "[A-Za-z0-9]"),
                refused("a long name", () -> every10Seconds(longName, 1).build(), "nnn", "jobName", "{0,127}"),
                refused(
                        "items that don't exist",
                        () -> every10Seconds("some", 2)
                                .shardingItemParameters("0=a,7=b")
                                .build(),
                        "some",
                        "shardingItemParameters",
                        "7=",
                        "items from 0 to 1"),
                refused(
                        "an unknown zone",
                        () -> JobConfiguration.of(OnMars.class),
                        "annotated",
                        "timeZone",
                        "Mars/Olympus",
                        "Europe/Berlin"),
                refused(
                        "a grace beyond all time",
                        () -> every10Seconds("long", 1)
                                .shutdownGrace(Duration.ofSeconds(Long.MAX_VALUE))
                                .build(),
                        "long",
                        "shutdownGrace",
                        "36500 days"));
    }

    private static Arguments refused(String label, ThrowingCallable call, String... named) {
        return Arguments.of(label, call, named);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refusals")
    void invalidConfigurationIsRejectedWithItsRemedy(String label, ThrowingCallable call, String... named) {
        begin();
        assertThatThrownBy(call).isInstanceOf(JobConfigurationException.class).hasMessageContainingAll(named);
        cluster.advance(Duration.ofMinutes(1));
    }

    /**
     * Scenario 17. Guards against a job that, once rejected, cannot be registered with a valid configuration either.
     */
    @Test
    void badCronIsRejectedByTheBuilderAndASecondRegistrationToo() {
        begin();
        Job job = (SimpleJob) context -> runs.add("cron");
        JobConfiguration.Builder cron = JobConfiguration.newBuilder("cron", 1).schedule(Schedule.cron("61 * * * * ?"));
        assertThatThrownBy(cron::build)
                .isInstanceOf(JobConfigurationException.class)
                .hasMessageContainingAll("cron", "schedule", "61 * * * * ?", "accepted");
        JobConfiguration twice = every10Seconds("neighbour", 1).build();
        assertThatThrownBy(() -> cluster.instances().get(0).engine().register(job, twice))
                .isInstanceOf(JobConfigurationException.class)
                .hasMessageContainingAll("neighbour", "jobName", "does not host yet");

        JobConfiguration good = cron.schedule(Schedule.cron("0/10 * * * * ?")).build();
        cluster.schedule(job, good); // the corrected configuration is accepted
        cluster.advance(Duration.ofMinutes(1));
        assertThat(runs).hasSizeBetween(5, 6);
    }

    static Stream<Arguments> failures() {
        return Stream.of(
                thrown("an Error", () -> {
                    throw new AssertionError("on purpose");
                }),
                thrown("a stack overflow", HostileInputTest::recurse),
                thrown("no memory", () -> {
                    throw new OutOfMemoryError("on purpose");
                }),
                thrown("a class that can't be linked", () -> {
                    throw new NoClassDefFoundError("on/purpose");
                }),
                thrown("the death of a thread", () -> {
                    throw new Death();
                }),
                thrown("an interruption", () -> {
                    throw new InterruptedException("on purpose");
                }),
                thrown("an interrupted thread", () -> Thread.currentThread().interrupt()));
    }

    /** An Error without a message, like ThreadDeath, which the JDK is about to remove. */
    private static final class Death extends Error {
        private static final long serialVersionUID = 1L;
    }

    @SuppressWarnings("InfiniteRecursion")
    private static void recurse() {
        recurse();
    }

    private static Arguments thrown(String label, ThrowingCallable code) {
        return Arguments.of(label, Named.of(label, code));
    }

    /** Guards against an Error in a job that ends the scheduler's thread. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("failures")
    void anyThrowableOfUserCodeFailsOnlyItsItem(String label, ThrowingCallable code) {
        begin();
        cluster.schedule(
                context -> {
                    runs.add(context.shardingItem() + " " + context.fireTime());
                    if (context.shardingItem() == 0) {
                        run(code);
                    }
                },
                every10Seconds("failing", 2).build());
        cluster.advance(Duration.ofMinutes(1));

        assertThat(runs.stream().filter(run -> run.startsWith("0")).distinct()).hasSizeGreaterThanOrEqualTo(5);
        assertThat(runs.stream().filter(run -> run.startsWith("1")).distinct()).hasSizeGreaterThanOrEqualTo(5);
        assertThat(Thread.interrupted()).as("interrupt flag after the runs").isFalse();
    }

    private static void run(ThrowingCallable code) throws Exception {
        try {
            code.call();
        } catch (Error | Exception e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void failingInitIsRetriedAndFailingDestroyIsHarmless() {
        final class Fragile implements SimpleJob {
            private int inits;

            @Override
            public void init() {
                runs.add("init");
                if (++inits < 3) {
                    throw new IllegalStateException("not yet");
                }
            }

            @Override
            public void execute(ShardingContext context) {
                runs.add("run");
            }

            @Override
            public void destroy() {
                runs.add("destroy");
                throw new StackOverflowError("on purpose");
            }
        }
        begin();
        cluster.instances()
                .get(0)
                .engine()
                .register(new Fragile(), every10Seconds("fragile", 1).build());
        cluster.advance(Duration.ofMinutes(1));
        assertThat(runs).startsWith("init", "init", "init", "run", "run").doesNotContain("destroy");

        cluster.instances().get(0).engine().unregister("fragile");
        cluster.advance(Duration.ofMinutes(1));
        assertThat(runs).endsWith("destroy");
    }

    /** Guards against a job that silently continues after its session was lost. */
    @Test
    void codeThatIgnoresInterruptionIsReportedUntilItReturns() {
        begin();
        List<String> seen = new ArrayList<>();
        cluster.schedule(
                context -> {
                    runs.add(context.fireTime().toString());
                    if (seen.isEmpty()) {
                        var owner = cluster.instance(context.instanceId());
                        owner.expireSession();
                        Thread.interrupted();
                        cluster.advance(Duration.ofSeconds(40));
                        seen.add(owner.engine()
                                .health()
                                .jobs()
                                .get("deaf")
                                .reasons()
                                .toString());
                    }
                },
                every10Seconds("deaf", 1).build());
        cluster.advance(Duration.ofMinutes(3));

        assertThat(seen.get(0)).contains(Kind.STUCK_ITEMS.name(), "item 0", "still runs");
        assertThat(runs.stream().distinct()).hasSizeGreaterThan(10);
        assertThat(cluster.instances())
                .allMatch(instance -> instance.engine().health().good());
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                fault("throws", "in a bad mood", request -> {
                    throw new IllegalStateException("in a bad mood");
                }),
                fault("throws an Error", "StackOverflowError", request -> {
                    throw new StackOverflowError();
                }),
                fault("returns null", "returned null", request -> null),
                fault("gives null", "null instead of items", request -> {
                    Map<String, List<String>> answer = new HashMap<>();
                    answer.put(request.instances().get(0).id(), null);
                    return answer;
                }),
                fault(
                        "makes an item up",
                        "the job does not have it",
                        request -> Map.of(request.instances().get(0).id(), List.of("0", "1", "99"))),
                fault("names an unknown instance", "'nobody'", request -> Map.of("nobody", List.of("0", "1"))),
                fault(
                        "places an item twice",
                        "item '0' twice",
                        request -> Map.of(request.instances().get(0).id(), List.of("0", "0", "1"))),
                fault(
                        "forgets an item",
                        "did not place items [1]",
                        request -> Map.of(request.instances().get(0).id(), List.of("0"))));
    }

    private static Arguments fault(
            String label, String message, Function<JobShardingStrategy.Request, Map<String, List<String>>> fault) {
        return Arguments.of(label, message, Named.of(label, fault));
    }

    /** Guards against an exception in a strategy that costs a job all its assignments without any report. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void invalidAnswerOfAStrategyIsReportedAndThePlanStays(
            String label, String message, Function<JobShardingStrategy.Request, Map<String, List<String>>> fault) {
        begin();
        cluster.schedule(
                context -> runs.add(context.instanceId()),
                every10Seconds("moody", 2).shardingStrategy("MOODY").build());
        cluster.advance(Duration.ofMinutes(1));
        strategy.fault = fault;
        TestCluster.Instance newcomer = cluster.join();
        runs.clear();
        cluster.advance(Duration.ofMinutes(1));

        assertThat(runs).hasSizeGreaterThanOrEqualTo(10).doesNotContain(newcomer.id());
        assertThat(cluster.instances().stream()
                        .filter(one -> one.engine().leading())
                        .findFirst())
                .hasValueSatisfying(leader -> assertThat(leader.engine()
                                .health()
                                .jobs()
                                .get("moody")
                                .reason(Kind.PLAN_REFUSED)
                                .orElseThrow()
                                .text())
                        .contains("strategy MOODY", message, "the plan in force stays"));
        strategy.fault = Faulty::good;
        cluster.advance(Duration.ofMinutes(1));
        assertThat(cluster.instances())
                .allMatch(instance -> instance.engine().health().good());
    }

    /** Guards against a quarantine that is not reported, or whose report does not say how to release the item. */
    @Test
    void quarantinedItemIsReportedAndReleasedByOneCall() {
        List<String> killed = new ArrayList<>();
        cluster.join();
        cluster.join();
        begin();
        cluster.schedule(
                context -> {
                    runs.add(context.shardingItem() + " " + context.fireTime());
                    if (context.shardingItem() == 1 && killed.size() < 3) {
                        killed.add(context.instanceId());
                        cluster.instance(context.instanceId()).kill();
                    }
                },
                every10Seconds("poisonous", 2).build());
        cluster.advance(Duration.ofMinutes(4));
        TestCluster.Instance survivor = cluster.instances().stream()
                .filter(TestCluster.Instance::alive)
                .findFirst()
                .orElseThrow();
        assertThat(survivor.engine().health().jobs().get("poisonous").reason(Kind.QUARANTINED_ITEMS))
                .hasValueSatisfying(reason -> assertThat(reason.text())
                        .contains("item 1", "if instances died, disable the item first", "release it only after"));

        assertThat(survivor.commands()
                        .execute(new Command.ReleaseItem("poisonous", "0"), CommandOptions.by("test"))
                        .toCompletableFuture())
                .isNotCompleted();
        cluster.advance(Duration.ofSeconds(1));
        survivor.store().suspend();
        cluster.advance(Duration.ofSeconds(1));
        var released = survivor.commands()
                .execute(new Command.ReleaseItem("poisonous", "1"), CommandOptions.by("test"))
                .toCompletableFuture();
        cluster.advance(Duration.ofSeconds(5));
        assertThat(released).as("release requested without a connection").isNotDone();
        survivor.store().reconnect();
        cluster.advance(Duration.ofMinutes(3));
        assertThat(released).isCompleted();
        assertThat(survivor.engine().health().good()).isTrue();
        runs.clear();
        cluster.advance(Duration.ofSeconds(30));
        assertThat(runs.stream().filter(run -> run.startsWith("1"))).hasSize(3);
        otherJobsFires.clear(); // the other job ran on the killed instances
        cluster.advance(Duration.ofSeconds(30));
    }
}
