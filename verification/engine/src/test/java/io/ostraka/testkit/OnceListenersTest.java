package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobFire;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobOptions;
import io.ostraka.api.JobRun;
import io.ostraka.api.OnceListener;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.SkipReason;
import io.ostraka.api.event.FiresSkipped;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.instance.EngineSettings;
import io.ostraka.core.instance.Extensions;
import io.ostraka.core.instance.JobEngine;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.placement.StickyBalancedStrategy;
import io.ostraka.core.time.Platform;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeStore;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.fixtures.ForwardingStore;
import io.ostraka.fixtures.InfoLog;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests listeners that the cluster calls once before the first item of a fire starts, and once after its last item has
 * ended.
 */
@ExtendWith(OstrakaExtension.class)
class OnceListenersTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private record Call(String name, JobFire fire, Map<String, ItemOutcome> outcomes) {}

    /** Calls in order: {@code before}, the number of an item, or {@code after}. */
    private final List<Call> calls = new ArrayList<>();

    private Consumer<JobFire> insideBefore = fire -> {};
    private Consumer<JobFire> insideAfter = fire -> {};

    private final OnceListener listener = new OnceListener() {
        @Override
        public void beforeFirst(JobFire fire) {
            insideBefore.accept(fire);
            calls.add(new Call("before", fire, Map.of()));
        }

        @Override
        public void afterLast(JobFire fire, Map<String, ItemOutcome> outcomes) {
            insideAfter.accept(fire);
            calls.add(new Call("after", fire, new TreeMap<>(outcomes)));
        }
    };

    private void work(ShardingContext context) {
        calls.add(new Call(
                Integer.toString(context.shardingItem()),
                new JobFire(
                        context.jobName(),
                        context.runId(),
                        context.fireTime(),
                        context.instanceId(),
                        context.shardingTotalCount(),
                        Set.of(),
                        "",
                        Map.of()),
                Map.of()));
    }

    private static JobConfiguration.Builder everyMinute(int items) {
        return JobConfiguration.newBuilder("job", items).schedule(Schedule.fixedRate(MINUTE));
    }

    private void host(TestCluster cluster, SimpleJob code, JobConfiguration.Builder job) {
        cluster.instances().forEach(instance -> host(instance, code, job, listener));
        cluster.advance(Duration.ofSeconds(5));
    }

    private static void host(
            TestCluster.Instance instance, SimpleJob code, JobConfiguration.Builder job, OnceListener... listeners) {
        instance.engine().register(code, job.build(), JobOptions.none().listeners(listeners));
    }

    private Set<String> fires() {
        Set<String> fires = new LinkedHashSet<>();
        calls.forEach(call -> fires.add(call.fire.runId()));
        return fires;
    }

    private List<String> callsOf(String fire) {
        return calls.stream()
                .filter(call -> call.fire.runId().equals(fire))
                .map(call -> call.name)
                .toList();
    }

    private static Optional<JobHealth.Reason> listenerMissing(TestCluster.Instance leader) {
        return Optional.ofNullable(leader.engine().health().jobs().get("job"))
                .flatMap(health -> health.reason(JobHealth.Kind.ONCE_LISTENER_MISSING));
    }

    private List<String> names() {
        return calls.stream().map(call -> call.name).toList();
    }

    private Map<String, ItemOutcome> outcomes() {
        return calls.stream()
                .filter(call -> call.name.equals("after"))
                .findFirst()
                .orElseThrow()
                .outcomes;
    }

    /** Asserts that each fire has one call before its items, one run of each item, and one call after the items. */
    private void assertWhole(int items) {
        assertThat(fires()).isNotEmpty();
        for (String fire : fires()) {
            List<String> call = callsOf(fire);
            assertThat(call.get(0)).as("%s", call).isEqualTo("before");
            assertThat(call.get(call.size() - 1)).as("%s", call).isEqualTo("after");
            assertThat(call).as(fire).hasSize(items + 2).doesNotHaveDuplicates();
        }
    }

    private static void assertNothingIsLeft(TestCluster cluster) {
        assertThat(cluster.tree().paths().stream().filter(path -> path.startsWith("/jobs/job/fires/")))
                .isEmpty();
    }

    @Test
    void replacedCallerCallsAgainWhenItIsTheCallerAgain() {
        TestCluster cluster = new TestCluster(2, START, 0);
        List<TestCluster.Instance> callers = new ArrayList<>();
        insideBefore = fire -> {
            TestCluster.Instance caller = cluster.instance(fire.instanceId());
            callers.add(caller);
            if (callers.size() == 1) {
                caller.store().expire(); // the call has returned, but the caller cannot record it
            } else if (callers.size() == 2) {
                caller.kill(); // during its call
            }
        };
        host(cluster, this::work, everyMinute(2));
        cluster.advance(MINUTE.plusSeconds(10));
        assertThat(callers).hasSize(2).doesNotHaveDuplicates();
        callers.get(0).store().reconnect();
        cluster.advance(Duration.ofSeconds(40));
        cluster.close();

        assertThat(callers).hasSize(3);
        assertThat(callers.get(2)).isSameAs(callers.get(0));
        assertThat(names()).hasSize(6).startsWith("before", "before", "before").endsWith("after");
    }

    @Test
    void callerWithAnUnreadableInstanceNodeIsNotReplaced(TestCluster cluster) {
        ZkCli zkCli = new ZkCli(cluster);
        insideBefore = fire -> {
            zkCli.write("/instances/" + fire.instanceId(), "garbage");
            insideBefore = again -> {};
            cluster.advance(Duration.ofSeconds(5)); // less than the listener's time limit
        };
        host(cluster, this::work, everyMinute(3));
        cluster.advance(MINUTE.multipliedBy(2));
        cluster.close();
        assertWhole(3);
    }

    @Test
    void oneOfThreeInstancesIsCalledForEachFire() {
        try (TestCluster cluster = new TestCluster(3, START, 1)) {
            host(cluster, this::work, everyMinute(7).jobParameter("p"));
            cluster.advance(MINUTE.multipliedBy(5));

            assertWhole(7);
            assertThat(fires()).hasSize(5);
            Call before = calls.get(0);
            assertThat(before.fire.shardingTotalCount()).isEqualTo(7);
            assertThat(before.fire.items()).hasSize(7);
            assertThat(before.fire.jobParameter()).isEqualTo("p");
            assertThat(before.fire.runId()).isEqualTo("job@" + before.fire.fireTime());
            assertThat(outcomes()).hasSize(7).containsValue(ItemOutcome.SUCCEEDED);
            assertThat(new HashSet<>(calls.stream()
                            .filter(call -> call.fire.items().isEmpty())
                            .map(call -> call.fire.instanceId())
                            .toList()))
                    .hasSize(3);
            assertNothingIsLeft(cluster);
        }
    }

    @Test
    void itemsOfAllInstancesWaitForBeforeFirst() {
        try (TestCluster cluster = new TestCluster(3, START, 1)) {
            insideBefore = fire -> {
                cluster.advance(Duration.ofSeconds(5));
                assertThat(calls).isEmpty();
                insideBefore = later -> {};
            };
            host(cluster, this::work, everyMinute(6));
            cluster.advance(MINUTE);

            assertWhole(6);
        }
    }

    static List<Long> seeds() {
        return List.of(1L, 2L, 3L, 4L, 5L);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void callerThatDiesInBeforeFirstIsReplaced(long seed) {
        try (TestCluster cluster = new TestCluster(3, START, seed)) {
            List<String> callers = new ArrayList<>();
            insideBefore = fire -> {
                callers.add(fire.instanceId());
                if (callers.size() == 1) {
                    cluster.instance(fire.instanceId()).kill();
                    throw new IllegalStateException("dead");
                }
            };
            host(cluster, this::work, everyMinute(6).overlap(OverlapPolicy.skip()));
            cluster.advance(MINUTE.multipliedBy(2));

            assertWhole(6);
            assertThat(callers.get(1)).isNotEqualTo(callers.get(0));
            assertNothingIsLeft(cluster);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void callerThatDiesInAfterLastIsReplaced(long seed) {
        try (TestCluster cluster = new TestCluster(3, START, seed)) {
            List<String> callers = new ArrayList<>();
            insideAfter = fire -> {
                callers.add(fire.instanceId());
                if (callers.size() == 1) {
                    cluster.instance(fire.instanceId()).kill();
                    throw new IllegalStateException("dead");
                }
            };
            host(cluster, this::work, everyMinute(6));
            cluster.advance(MINUTE.multipliedBy(2));

            assertWhole(6);
            assertThat(callers.get(1)).isNotEqualTo(callers.get(0));
            assertNothingIsLeft(cluster);
        }
    }

    @Test
    void afterLastIsCalledDespiteCountChangeAndDeadCaller() {
        try (TestCluster cluster = new TestCluster(2, START, 3)) {
            Set<String> callers = new LinkedHashSet<>();
            insideAfter = fire -> {
                if (callers.add(fire.instanceId()) && callers.size() == 1) {
                    TestCluster.Instance caller = cluster.instance(fire.instanceId());
                    cluster.amend("job", override -> override.withShardingTotalCount(1));
                    cluster.advance(Duration.ofSeconds(5));
                    caller.kill();
                    throw new IllegalStateException("dead");
                }
            };
            host(cluster, this::work, everyMinute(2));
            cluster.advance(MINUTE.multipliedBy(3));

            assertThat(callers).hasSize(2);
            String first = fires().iterator().next();
            assertThat(callsOf(first)).containsOnlyOnce("before").containsOnlyOnce("after");
            assertNothingIsLeft(cluster);
        }
    }

    @Test
    void listenerThatKillsItsProcessesIsAbandoned() throws Exception {
        try (InfoLog log = new InfoLog("io.ostraka.core.job.OnceListenerGate");
                TestCluster cluster = new TestCluster(5, START, 1)) {
            List<String> callers = new ArrayList<>();
            insideBefore = fire -> {
                if (fire.fireTime().equals(START.plus(MINUTE))) {
                    callers.add(fire.instanceId());
                    cluster.instance(fire.instanceId()).kill();
                    throw new IllegalStateException("dead");
                }
            };
            host(
                    cluster,
                    this::work,
                    JobConfiguration.newBuilder("job", 5).schedule(Schedule.cron("0 * * * * ?", ZoneOffset.UTC)));
            cluster.advance(MINUTE.multipliedBy(3));

            assertThat(callers).hasSize(3);
            assertThat(callsOf("job@" + START.plus(MINUTE))).contains("0", "1", "2", "3", "4", "after");
            assertThat(log.lines("3 instances ended during the calls")).hasSize(1);
        }
    }

    @Test
    void callerThatLosesItsSessionDoesNotCallAgain() {
        try (TestCluster cluster = new TestCluster(1, START, 1)) {
            List<String> callers = new ArrayList<>();
            insideBefore = fire -> {
                callers.add(fire.instanceId());
                if (callers.size() == 1) {
                    cluster.instances().get(0).expireSession();
                    cluster.advance(Duration.ofSeconds(5));
                }
            };
            host(cluster, this::work, everyMinute(2));
            cluster.advance(MINUTE.multipliedBy(2));

            assertThat(callers).hasSize(fires().size());
            assertThat(callsOf(fires().iterator().next()))
                    .containsOnlyOnce("before")
                    .contains("0", "1")
                    .containsOnlyOnce("after");
        }
    }

    @Test
    void resultOfAReplacedCallerIsDiscarded() {
        try (TestCluster cluster = new TestCluster(2, START, 1)) {
            List<String> callers = new ArrayList<>();
            insideBefore = fire -> {
                callers.add(fire.instanceId());
                if (callers.size() == 1) {
                    TestCluster.Instance first = cluster.instance(fire.instanceId());
                    first.store().suspend();
                    first.store().expire();
                    // less than the time limit; the other instance becomes the caller and makes the call
                    cluster.advance(Duration.ofSeconds(5));
                    first.store().reconnect();
                    cluster.advance(Duration.ofSeconds(5));
                }
            };
            host(cluster, this::work, everyMinute(2));
            cluster.advance(MINUTE.multipliedBy(2));

            assertThat(callers.get(1)).isNotEqualTo(callers.get(0));
            String first = fires().iterator().next();
            assertThat(callsOf(first).stream().filter("after"::equals)).hasSize(1);
            assertThat(callsOf(first).stream().filter("before"::equals)).hasSize(2);
            assertNothingIsLeft(cluster);
        }
    }

    @Test
    void disabledItemsAreSkippedAndNeverRunForThatFire() {
        try (TestCluster cluster = new TestCluster(2, START, 1)) {
            host(cluster, this::work, everyMinute(3));
            cluster.amend("job", override -> override.withDisabledItems(Set.of("1")));
            cluster.advance(MINUTE.plusSeconds(20));

            assertWhole(2);
            assertThat(outcomes()).containsEntry("1", ItemOutcome.SKIPPED).containsEntry("0", ItemOutcome.SUCCEEDED);
            assertNothingIsLeft(cluster);

            cluster.amend("job", override -> override.withDisabledItems(Set.of()));
            cluster.advance(Duration.ofSeconds(5)); // less than the listener's time limit
            assertWhole(2);
        }
    }

    @Test
    void pauseSkipsTheItemsThatHaveNotStarted() {
        try (TestCluster cluster = new TestCluster(2, START, 1)) {
            SimpleJob code = context -> {
                work(context);
                cluster.advance(Duration.ofSeconds(8));
            };
            host(cluster, code, everyMinute(6).concurrency(1)); // one item at a time on each of the two instances
            insideBefore = fire -> {
                insideBefore = next -> {};
                cluster.time().after(Duration.ofSeconds(10), () -> cluster.instances()
                        .get(1)
                        .commands()
                        .amend("job", override -> override.withPaused(true)));
            };
            cluster.advance(MINUTE.plusSeconds(50));

            assertThat(fires()).hasSize(1);
            String fire = fires().iterator().next();
            assertThat(callsOf(fire)).startsWith("before").endsWith("after").doesNotHaveDuplicates();
            assertThat(outcomes()).hasSize(6).containsValues(ItemOutcome.SUCCEEDED, ItemOutcome.SKIPPED);
            assertThat(outcomes().values().stream().filter(ItemOutcome.SUCCEEDED::equals))
                    .hasSize(callsOf(fire).size() - 2);
            assertNothingIsLeft(cluster);

            List<Call> paused = List.copyOf(calls);
            cluster.amend("job", override -> override.withPaused(false));
            cluster.advance(MINUTE);
            assertThat(calls.subList(paused.size(), calls.size()))
                    .noneMatch(call -> call.fire.runId().equals(fire));
            assertThat(fires()).hasSizeGreaterThan(1);
        }
    }

    /** Returns a job whose first run of item 0 takes 90 seconds. */
    private SimpleJob longAtFirst(TestCluster cluster) {
        AtomicBoolean ran = new AtomicBoolean();
        return context -> {
            if (context.shardingItem() == 0 && !ran.getAndSet(true)) {
                cluster.advance(Duration.ofSeconds(90));
            }
            work(context);
        };
    }

    @Test
    void itemThatStillRunsIsSkippedInTheNextFire() {
        try (TestCluster cluster = new TestCluster(2, START, 1)) {
            host(cluster, longAtFirst(cluster), everyMinute(2));
            cluster.advance(MINUTE.multipliedBy(4));

            List<String> all = List.copyOf(fires());
            assertThat(all.size()).isGreaterThan(2);
            for (String fire : all.subList(0, 3)) {
                assertThat(callsOf(fire)).containsOnlyOnce("before").containsOnlyOnce("after");
            }
            assertThat(calls.stream().filter(call -> call.name.equals("after")).map(call -> call.outcomes.get("0")))
                    .contains(ItemOutcome.SKIPPED, ItemOutcome.SUCCEEDED);
        }
    }

    /** Returns the engine of another instance, which has one slot and whose writes take longer than its reads. */
    private static JobEngine withOneSlot(TestCluster cluster) {
        NodeStore store = new ForwardingStore(
                cluster.tree().connect("small", cluster.time().executor())) {
            @Override
            public CompletionStage<Outcome> commit(List<NodeOp> operations) {
                CompletableFuture<Void> arrived = new CompletableFuture<>();
                cluster.time().after(Duration.ofMillis(10), () -> arrived.complete(null));
                return arrived.thenCompose(there -> super.commit(operations));
            }
        };
        Platform platform = cluster.time().platform(Duration.ZERO);
        StickyBalancedStrategy strategy = new StickyBalancedStrategy();
        JobEngine engine = new JobEngine(
                EngineSettings.of("small", 7).withRuns(1, 1),
                new TreeCoordination(store, platform.clock()),
                platform,
                Extensions.of(Map.of(strategy.type(), strategy)));
        engine.start();
        return engine;
    }

    /**
     * The other instance begins both fires while the slot of this one is taken. Each refused claim passes the slot to
     * the other job; what the job learns from the refusal must last until it gets the slot again.
     */
    @Test
    void jobsThatShareASlotStartTheirItemsOfBegunFires() {
        try (TestCluster cluster = new TestCluster(1, START, 1)) {
            JobEngine small = withOneSlot(cluster);
            small.register(
                    (SimpleJob) context -> cluster.advance(Duration.ofSeconds(20)),
                    JobConfiguration.newBuilder("blocker", 1)
                            .schedule(Schedule.once(START.plusSeconds(50)))
                            .build());
            for (String job : List.of("one", "two")) {
                for (JobEngine engine : List.of(cluster.instances().get(0).engine(), small)) {
                    engine.register(
                            (SimpleJob) this::work,
                            JobConfiguration.newBuilder(job, 4)
                                    .schedule(Schedule.cron("0 * * * * ?", ZoneOffset.UTC))
                                    .build(),
                            JobOptions.none().listeners(listener));
                }
            }
            cluster.advance(Duration.ofSeconds(80));

            assertThat(fires()).hasSize(2);
            assertWhole(4);
            small.close();
        }
    }

    private List<FiresSkipped> skipped(TestCluster cluster) {
        List<FiresSkipped> skipped = new ArrayList<>();
        cluster.subscribe(event -> {
            if (event instanceof FiresSkipped skip) {
                skipped.add(skip);
            }
        });
        return skipped;
    }

    /** The next claim of item 0 is two years away. */
    @Test
    void fireOfAReplacedScheduleEndsWithoutTheNextClaim() {
        try (TestCluster cluster = new TestCluster(2, START, 1)) {
            List<FiresSkipped> skipped = skipped(cluster);
            Schedule far = Schedule.cron("0 0 0 1 1 ? 2028", ZoneOffset.UTC);
            cluster.time().after(Duration.ofSeconds(130), () -> cluster.instances()
                    .get(1)
                    .commands()
                    .amend("job", override -> override.withSchedule(far)));
            host(cluster, longAtFirst(cluster), everyMinute(2));
            cluster.advance(MINUTE.multipliedBy(4));

            assertThat(fires()).hasSize(2);
            fires().forEach(fire ->
                    assertThat(callsOf(fire)).containsOnlyOnce("before").containsOnlyOnce("after"));
            assertThat(skipped).singleElement().satisfies(skip -> {
                assertThat(skip.item()).isEqualTo("0");
                assertThat(skip.reason()).isEqualTo(SkipReason.SCHEDULE_CHANGED);
                assertThat(skip.count()).isEqualTo(1);
            });
            assertNothingIsLeft(cluster);
        }
    }

    static List<Arguments> ordersAfterAnEarlyFire() {
        UnaryOperator<JobOverride> skip = override -> override.withSkipTo(START.plus(MINUTE.multipliedBy(3)));
        UnaryOperator<JobOverride> pause = override -> override.withPaused(true);
        UnaryOperator<JobOverride> none = override -> override;
        Schedule other = Schedule.fixedRate(Duration.ofSeconds(50));
        return List.of(
                Arguments.of(Schedule.onDemand(), none),
                Arguments.of(other, none),
                Arguments.of(other, skip),
                Arguments.of(other, pause));
    }

    /** A clock that is 6 s ahead begins a fire of a schedule that is replaced before the fire is due. */
    @ParameterizedTest
    @MethodSource("ordersAfterAnEarlyFire")
    void earlyFireOfAReplacedScheduleLeavesARecord(Schedule other, UnaryOperator<JobOverride> order) {
        try (TestCluster cluster = new TestCluster(1, START, 1)) {
            List<FiresSkipped> skipped = skipped(cluster);
            cluster.join(Duration.ofSeconds(6));
            host(cluster, this::work, everyMinute(2).schedule(Schedule.cron("0 * * * * ?", ZoneOffset.UTC)));
            cluster.advance(Duration.between(cluster.now(), START.plusSeconds(55)));
            assertThat(names()).hasSize(2).startsWith("before");
            String late = names().contains("0") ? "1" : "0";

            cluster.amend("job", override -> override.withSchedule(other));
            cluster.amend("job", order);
            cluster.advance(MINUTE.multipliedBy(4));

            Instant early = START.plus(MINUTE);
            assertThat(calls)
                    .filteredOn(call ->
                            call.name.equals("after") && call.fire.fireTime().equals(early))
                    .singleElement()
                    .satisfies(call -> assertThat(call.outcomes)
                            .containsEntry(late, ItemOutcome.SKIPPED)
                            .containsValue(ItemOutcome.SUCCEEDED));
            assertThat(skipped)
                    .filteredOn(skip -> skip.item().equals(late)
                            && !skip.from().isAfter(early)
                            && !skip.to().isBefore(early))
                    .singleElement()
                    .satisfies(skip -> {
                        assertThat(skip.reason()).isEqualTo(SkipReason.SCHEDULE_CHANGED);
                        assertThat(skip.count()).isEqualTo(1);
                    });
        }
    }

    /** All these fires wait for the same item, so the engine checks them together. */
    @Test
    void manyFiresThatWaitForOneItemEndSoonAfterIt() {
        try (TestCluster cluster = new TestCluster(2, START, 1)) {
            host(
                    cluster,
                    longAtFirst(cluster),
                    JobConfiguration.newBuilder("job", 2).schedule(Schedule.fixedRate(Duration.ofSeconds(5))));
            cluster.advance(Duration.ofSeconds(5));
            long waiting = names().stream().filter("before"::equals).count()
                    - names().stream().filter("after"::equals).count();
            assertThat(waiting).isGreaterThan(15);
            Set<String> then = fires();
            cluster.advance(MINUTE.plusSeconds(10));

            for (String fire : then) {
                assertThat(callsOf(fire)).as(fire).containsOnlyOnce("before").containsOnlyOnce("after");
            }
        }
    }

    @Test
    void itemOfADeadInstanceWithoutFailoverIsInterrupted() {
        try (TestCluster cluster = new TestCluster(2, START, 1)) {
            List<String> dead = new ArrayList<>();
            SimpleJob code = context -> {
                if (context.shardingItem() == 1 && dead.isEmpty()) {
                    dead.add(context.instanceId());
                    cluster.instance(context.instanceId()).kill();
                    throw new IllegalStateException("dead");
                }
                work(context);
            };
            host(cluster, code, everyMinute(2).failover(false));
            cluster.advance(MINUTE.multipliedBy(2));

            assertThat(outcomes())
                    .containsEntry("1", ItemOutcome.INTERRUPTED)
                    .containsEntry("0", ItemOutcome.SUCCEEDED);
            assertThat(callsOf(fires().iterator().next())).containsExactly("before", "0", "after");
            assertNothingIsLeft(cluster);
        }
    }

    @Test
    void survivorThatRunsTheLastItemCallsAfterLast() {
        try (TestCluster cluster = new TestCluster(2, START, 1)) {
            List<String> dead = new ArrayList<>();
            SimpleJob code = context -> {
                if (context.shardingItem() == 1 && dead.isEmpty()) {
                    dead.add(context.instanceId());
                    cluster.instance(context.instanceId()).kill();
                    throw new IllegalStateException("dead");
                }
                work(context);
            };
            host(cluster, code, everyMinute(2));
            cluster.advance(MINUTE.plusSeconds(40));

            assertWhole(2);
            assertNothingIsLeft(cluster);
        }
    }

    @Test
    void triggerCompletesOnceAfterLastHasReturned() {
        try (TestCluster cluster = new TestCluster(3, START, 1)) {
            host(cluster, this::work, JobConfiguration.newBuilder("job", 5));
            List<JobRun> run = new ArrayList<>();
            insideAfter = fire -> {
                cluster.advance(Duration.ofSeconds(2));
                assertThat(run.get(0).completion().toCompletableFuture()).isNotDone();
            };
            run.add(cluster.instances().get(0).engine().trigger("job", Map.of("k", "v"), Set.of()));
            cluster.advance(Duration.ofSeconds(10));

            assertWhole(5);
            assertThat(fires()).containsExactly(run.get(0).runId());
            assertThat(calls.get(0).fire.triggerParameters()).isEqualTo(Map.of("k", "v"));
            assertThat(run.get(0).completion().toCompletableFuture()).isCompletedWithValue(outcomes());
            assertThat(cluster.tree().paths().stream().filter(path -> path.startsWith("/triggers/")))
                    .isEmpty();
        }
    }

    @Test
    void triggerCompletesAlthoughTheCallerDies() {
        try (TestCluster cluster = new TestCluster(3, START, 1)) {
            host(cluster, this::work, JobConfiguration.newBuilder("job", 5));
            List<String> callers = new ArrayList<>();
            insideAfter = fire -> {
                callers.add(fire.instanceId());
                if (callers.size() == 1) {
                    cluster.instance(fire.instanceId()).kill();
                    throw new IllegalStateException("dead");
                }
            };
            JobRun run = cluster.trigger("job", Map.of());
            cluster.advance(Duration.ofSeconds(40));

            assertThat(callers).hasSize(2);
            assertWhole(5);
            assertThat(cluster.tree().paths().stream().filter(path -> path.startsWith("/triggers/")))
                    .isEmpty();
            assertThat(run.runId()).isEqualTo(fires().iterator().next());
        }
    }

    @Test
    void replacedCallerOfATriggerShutsDownAtOnce() {
        try (TestCluster cluster = new TestCluster(2, START, 1)) {
            host(cluster, this::work, JobConfiguration.newBuilder("job", 2).shutdownGrace(MINUTE));
            List<TestCluster.Instance> callers = new ArrayList<>();
            insideAfter = fire -> {
                callers.add(cluster.instance(fire.instanceId()));
                if (callers.size() == 1) {
                    callers.get(0).store().suspend();
                    callers.get(0).store().expire();
                    // less than the time limit; the other instance becomes the caller and makes the call
                    cluster.advance(Duration.ofSeconds(5));
                    callers.get(0).store().reconnect();
                    cluster.advance(Duration.ofSeconds(5));
                }
            };
            cluster.trigger("job", Map.of());
            cluster.advance(Duration.ofSeconds(10));
            assertThat(callers).hasSize(2);

            callers.get(0).close();
            cluster.advance(Duration.ofSeconds(2));
            assertThat(cluster.tree().paths().stream().filter(path -> path.startsWith("/instances/")))
                    .hasSize(1);
        }
    }

    @Test
    void failingListenerIsLoggedAndChangesNothing() throws Exception {
        try (InfoLog log = new InfoLog("io.ostraka.core.job.ListenerCalls");
                TestCluster cluster = new TestCluster(2, START, 1)) {
            insideBefore = fire -> {
                calls.add(new Call("before", fire, Map.of()));
                throw new IllegalStateException("no");
            };
            insideAfter = insideBefore.andThen(fire -> {});
            host(cluster, this::work, everyMinute(2));
            cluster.advance(MINUTE);

            String fire = fires().iterator().next();
            assertThat(callsOf(fire)).containsExactlyInAnyOrder("before", "0", "1", "before");
            assertThat(log.lines("job 'job': listener")).hasSize(2).allMatch(line -> line.contains(fire));
            assertNothingIsLeft(cluster);
        }
    }

    @Test
    void hangingCallDelaysOnlyItsFireByItsTimeLimit() {
        try (TestCluster cluster = new TestCluster(2, START, 1)) {
            host(cluster, this::work, everyMinute(2));
            insideBefore = fire -> {
                insideBefore = later -> {};
                cluster.advance(Duration.ofSeconds(9));
                assertThat(calls).isEmpty();
                cluster.advance(Duration.ofSeconds(2));
                assertThat(callsOf(fire.runId())).containsExactlyInAnyOrder("0", "1", "after");
            };
            cluster.advance(MINUTE.plusSeconds(20));
            calls.clear();
            insideAfter = fire -> {
                insideAfter = later -> {};
                cluster.advance(MINUTE.plusSeconds(5)); // the next fire runs meanwhile
                assertThat(fires()).hasSize(2);
            };
            cluster.advance(MINUTE.multipliedBy(3));
            for (String fire : fires()) {
                assertThat(callsOf(fire)).contains("before", "0", "1");
            }
            assertNothingIsLeft(cluster);
        }
    }

    @Test
    void onlyInstancesWithTheListenerCallIt() {
        for (int with = 0; with < 3; with++) {
            calls.clear();
            try (TestCluster cluster = new TestCluster(3, START, with)) {
                for (int i = 0; i < 3; i++) {
                    if (i != with) {
                        host(cluster.instances().get(i), this::work, everyMinute(6));
                    }
                }
                cluster.advance(Duration.ofSeconds(2));
                host(cluster.instances().get(with), this::work, everyMinute(6).revision(1), listener);
                cluster.advance(MINUTE.multipliedBy(3));

                assertWhole(6);
                assertNothingIsLeft(cluster);
            }
        }
    }

    @Test
    void firesContinueWhenNoLivingInstanceHasTheListener() throws Exception {
        try (InfoLog log = new InfoLog("io.ostraka.core.leader.JobCleanup");
                TestCluster cluster = new TestCluster(2, START, 1)) {
            host(cluster.instances().get(0), this::work, everyMinute(2).revision(1), listener);
            host(cluster.instances().get(1), this::work, everyMinute(2));
            cluster.advance(Duration.ofSeconds(5));
            cluster.instances().get(0).close();
            calls.clear();
            cluster.advance(MINUTE.multipliedBy(3).plusSeconds(20));

            assertThat(fires()).hasSizeGreaterThanOrEqualTo(2);
            assertThat(calls).extracting(Call::name).containsOnly("0", "1");
            assertThat(log.lines("no registered instance has")).hasSize(1).allMatch(line -> line.contains("'job'"));
            assertNothingIsLeft(cluster);
        }
    }

    @Test
    void leaderReportsThatNoLivingInstanceHasTheListener() {
        try (TestCluster cluster = new TestCluster(3, START, 1)) {
            JobConfiguration.Builder job = everyMinute(2).revision(1);
            TestCluster.Instance leader = cluster.instances().get(0); // the leader hosts no job
            host(cluster.instances().get(1), this::work, job, listener);
            host(cluster.instances().get(2), this::work, everyMinute(2));
            cluster.advance(Duration.ofSeconds(5));
            assertThat(leader.engine().leading()).isTrue();
            assertThat(listenerMissing(leader)).isEmpty();

            cluster.instances().get(1).close();
            cluster.advance(Duration.ofSeconds(1));
            assertThat(listenerMissing(leader))
                    .hasValueSatisfying(reason -> assertThat(reason.text()).contains("OnceListener", "no instance"));
            cluster.advance(MINUTE.multipliedBy(2));
            assertThat(listenerMissing(leader)).isPresent();

            host(cluster.join(), this::work, job, listener);
            cluster.advance(Duration.ofSeconds(1));
            assertThat(listenerMissing(leader)).isEmpty();
        }
    }

    @Test
    void itemCountChangeDoesNotWaitForAfterLast() {
        try (TestCluster cluster = new TestCluster(2, START, 1)) {
            host(cluster, this::work, JobConfiguration.newBuilder("job", 2));
            insideAfter = fire -> {
                insideAfter = later -> {};
                cluster.amend("job", override -> override.withShardingTotalCount(3));
                cluster.advance(Duration.ofSeconds(3));
                JobRun next = cluster.trigger("job", Map.of());
                cluster.advance(Duration.ofSeconds(2));
                // afterLast may have been called by now, too
                assertThat(callsOf(next.runId()))
                        .contains("before", "0", "1", "2")
                        .doesNotHaveDuplicates();
            };
            cluster.trigger("job", Map.of());
            cluster.advance(Duration.ofSeconds(30));

            assertThat(fires()).hasSize(2);
            for (String fire : fires()) {
                assertThat(callsOf(fire)).containsOnlyOnce("before").containsOnlyOnce("after");
            }
        }
    }

    private long transactionsOfTenFires(int instances, OnceListener... listeners) {
        try (TestCluster cluster = new TestCluster(instances, START, 1)) {
            cluster.instances().forEach(instance -> host(instance, this::work, everyMinute(6), listeners));
            cluster.advance(MINUTE.multipliedBy(3).plusSeconds(30)); // between two fires
            long before = commits(cluster);
            cluster.advance(MINUTE.multipliedBy(10));
            return commits(cluster) - before;
        }
    }

    private static long commits(TestCluster cluster) {
        return cluster.instances().stream()
                .mapToLong(instance -> instance.store().operations().commits())
                .sum();
    }

    @Test
    void listenerCostsTwoTransactionsAndARefusedOnePerInstance() {
        assertThat(transactionsOfTenFires(1)).isEqualTo(10 * 2);
        assertThat(transactionsOfTenFires(1, listener)).isEqualTo(10 * 4);
        assertThat(transactionsOfTenFires(3)).isEqualTo(10 * 3 * 2);
        // completions that conflict at the fire's node are sent again, too
        assertThat(transactionsOfTenFires(3, listener)).isBetween(10L * (3 * 2 + 2), 10L * (3 * 2 + 2 + 2 * 3));
    }

    @Test
    void onceListenerOfAScheduleByItemIsRejected() {
        try (TestCluster cluster = new TestCluster(1, START, 1)) {
            TestCluster.Instance instance = cluster.instances().get(0);
            for (Schedule schedule :
                    List.of(Schedule.fixedDelay(MINUTE), Schedule.adaptive(MINUTE, 4), Schedule.continuous(MINUTE))) {
                assertThatThrownBy(() -> host(
                                instance,
                                this::work,
                                JobConfiguration.newBuilder("job", 1).schedule(schedule),
                                listener))
                        .isInstanceOf(JobConfigurationException.class)
                        .hasMessageContaining("'job'")
                        .hasMessageContaining("schedule")
                        .hasMessageContaining("OnceListener");
            }
            host(instance, this::work, everyMinute(1), listener);
            cluster.advance(Duration.ofSeconds(2));
            assertThatThrownBy(() -> cluster.amend(
                            "job", (JobOverride override) -> override.withSchedule(Schedule.fixedDelay(MINUTE))))
                    .rootCause()
                    .hasMessageContaining("OnceListener");
        }
    }
}
