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
import io.ostraka.core.model.JobOverride;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whole fires, told of once for the cluster: to begin before any item starts, to have ended once the last has. */
@ExtendWith(OstrakaExtension.class)
class OnceListenersTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private record Told(String what, JobFire fire, Map<String, ItemOutcome> outcomes) {}

    /** What happened, in order: {@code before}, an item, {@code after}. */
    private final List<Told> story = new ArrayList<>();

    private Consumer<JobFire> insideBefore = fire -> {};
    private Consumer<JobFire> insideAfter = fire -> {};

    private final OnceListener listener = new OnceListener() {
        @Override
        public void beforeFirst(JobFire fire) {
            insideBefore.accept(fire);
            story.add(new Told("before", fire, Map.of()));
        }

        @Override
        public void afterLast(JobFire fire, Map<String, ItemOutcome> outcomes) {
            insideAfter.accept(fire);
            story.add(new Told("after", fire, new TreeMap<>(outcomes)));
        }
    };

    private void works(ShardingContext context) {
        story.add(new Told(
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
        story.forEach(told -> fires.add(told.fire.runId()));
        return fires;
    }

    private List<String> storyOf(String fire) {
        return story.stream()
                .filter(told -> told.fire.runId().equals(fire))
                .map(told -> told.what)
                .toList();
    }

    private static Optional<JobHealth.Reason> listenerMissing(TestCluster.Instance leader) {
        return Optional.ofNullable(leader.engine().health().jobs().get("job"))
                .flatMap(health -> health.reason(JobHealth.Kind.ONCE_LISTENER_MISSING));
    }

    private List<String> whole() {
        return story.stream().map(told -> told.what).toList();
    }

    private Map<String, ItemOutcome> outcomes() {
        return story.stream()
                .filter(told -> told.what.equals("after"))
                .findFirst()
                .orElseThrow()
                .outcomes;
    }

    /** Each fire's story is whole: it begins once, its items run between, and it ends once. */
    private void assertWhole(int items) {
        assertThat(fires()).isNotEmpty();
        for (String fire : fires()) {
            List<String> told = storyOf(fire);
            assertThat(told.get(0)).as("%s", told).isEqualTo("before");
            assertThat(told.get(told.size() - 1)).as("%s", told).isEqualTo("after");
            assertThat(told).as(fire).hasSize(items + 2).doesNotHaveDuplicates();
        }
    }

    private static void assertNothingIsLeft(TestCluster cluster) {
        assertThat(cluster.tree().paths().stream().filter(path -> path.startsWith("/jobs/job/fires/")))
                .isEmpty();
    }

    @Test
    void callerWhosePlaceWasTakenCallsAgainWhenItTakesItBack() {
        TestCluster cluster = new TestCluster(2, START, 0);
        List<TestCluster.Instance> callers = new ArrayList<>();
        insideBefore = fire -> {
            TestCluster.Instance caller = cluster.instance(fire.instanceId());
            callers.add(caller);
            if (callers.size() == 1) {
                caller.store().expire(); // it has called, and can't write so
            } else if (callers.size() == 2) {
                caller.kill(); // inside of its call
            }
        };
        host(cluster, this::works, everyMinute(2));
        cluster.advance(MINUTE.plusSeconds(10));
        assertThat(callers).hasSize(2).doesNotHaveDuplicates();
        callers.get(0).store().reconnect();
        cluster.advance(Duration.ofSeconds(40));
        cluster.close();

        assertThat(callers).hasSize(3);
        assertThat(callers.get(2)).isSameAs(callers.get(0));
        assertThat(whole()).hasSize(6).startsWith("before", "before", "before").endsWith("after");
    }

    @Test
    void callerWhoseInstanceNodeIsUnreadableIsNotReplaced(TestCluster cluster) {
        Hand hand = new Hand(cluster);
        insideBefore = fire -> {
            hand.write("/instances/" + fire.instanceId(), "garbage");
            insideBefore = again -> {};
            cluster.advance(Duration.ofSeconds(5)); // less than its time limit
        };
        host(cluster, this::works, everyMinute(3));
        cluster.advance(MINUTE.multipliedBy(2));
        cluster.close();
        assertWhole(3);
    }

    @Test
    void oneOfThreeInstancesIsToldOfEachFireForAll() {
        try (TestCluster cluster = new TestCluster(3, START, 1)) {
            host(cluster, this::works, everyMinute(7).jobParameter("p"));
            cluster.advance(MINUTE.multipliedBy(5));

            assertWhole(7);
            assertThat(fires()).hasSize(5);
            Told before = story.get(0);
            assertThat(before.fire.shardingTotalCount()).isEqualTo(7);
            assertThat(before.fire.items()).hasSize(7);
            assertThat(before.fire.jobParameter()).isEqualTo("p");
            assertThat(before.fire.runId()).isEqualTo("job@" + before.fire.fireTime());
            assertThat(outcomes()).hasSize(7).containsValue(ItemOutcome.SUCCEEDED);
            assertThat(new HashSet<>(story.stream()
                            .filter(told -> told.fire.items().isEmpty())
                            .map(told -> told.fire.instanceId())
                            .toList()))
                    .hasSize(3);
            assertNothingIsLeft(cluster);
        }
    }

    @Test
    void itemsOfAllInstancesWaitUntilTheFireHasBeenToldToBegin() {
        try (TestCluster cluster = new TestCluster(3, START, 1)) {
            insideBefore = fire -> {
                cluster.advance(Duration.ofSeconds(5));
                assertThat(story).isEmpty();
                insideBefore = later -> {};
            };
            host(cluster, this::works, everyMinute(6));
            cluster.advance(MINUTE);

            assertWhole(6);
        }
    }

    static List<Long> seeds() {
        return List.of(1L, 2L, 3L, 4L, 5L);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void whoDiesWhileItTellsOfTheBeginningIsReplaced(long seed) {
        try (TestCluster cluster = new TestCluster(3, START, seed)) {
            List<String> callers = new ArrayList<>();
            insideBefore = fire -> {
                callers.add(fire.instanceId());
                if (callers.size() == 1) {
                    cluster.instance(fire.instanceId()).kill();
                    throw new IllegalStateException("dead");
                }
            };
            host(cluster, this::works, everyMinute(6).overlap(OverlapPolicy.skip()));
            cluster.advance(MINUTE.multipliedBy(2));

            assertWhole(6);
            assertThat(callers.get(1)).isNotEqualTo(callers.get(0));
            assertNothingIsLeft(cluster);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void whoDiesWhileItTellsOfTheEndIsReplaced(long seed) {
        try (TestCluster cluster = new TestCluster(3, START, seed)) {
            List<String> callers = new ArrayList<>();
            insideAfter = fire -> {
                callers.add(fire.instanceId());
                if (callers.size() == 1) {
                    cluster.instance(fire.instanceId()).kill();
                    throw new IllegalStateException("dead");
                }
            };
            host(cluster, this::works, everyMinute(6));
            cluster.advance(MINUTE.multipliedBy(2));

            assertWhole(6);
            assertThat(callers.get(1)).isNotEqualTo(callers.get(0));
            assertNothingIsLeft(cluster);
        }
    }

    @Test
    void anEndIsToldThoughTheItemCountChangesAndThenItsTellerDies() {
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
            host(cluster, this::works, everyMinute(2));
            cluster.advance(MINUTE.multipliedBy(3));

            assertThat(callers).hasSize(2);
            String first = fires().iterator().next();
            assertThat(storyOf(first)).containsOnlyOnce("before").containsOnlyOnce("after");
            assertNothingIsLeft(cluster);
        }
    }

    @Test
    void aListenerThatKillsItsProcessesIsGivenUp() throws Exception {
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
                    this::works,
                    JobConfiguration.newBuilder("job", 5).schedule(Schedule.cron("0 * * * * ?", ZoneOffset.UTC)));
            cluster.advance(MINUTE.multipliedBy(3));

            assertThat(callers).hasSize(3);
            assertThat(storyOf("job@" + START.plus(MINUTE))).contains("0", "1", "2", "3", "4", "after");
            assertThat(log.lines("3 instances ended during the calls")).hasSize(1);
        }
    }

    @Test
    void whoLosesItsSessionInsideButLivesIsNotMadeToCallAgain() {
        try (TestCluster cluster = new TestCluster(1, START, 1)) {
            List<String> callers = new ArrayList<>();
            insideBefore = fire -> {
                callers.add(fire.instanceId());
                if (callers.size() == 1) {
                    cluster.instances().get(0).expireSession();
                    cluster.advance(Duration.ofSeconds(5));
                }
            };
            host(cluster, this::works, everyMinute(2));
            cluster.advance(MINUTE.multipliedBy(2));

            assertThat(callers).hasSize(fires().size());
            assertThat(storyOf(fires().iterator().next()))
                    .containsOnlyOnce("before")
                    .contains("0", "1")
                    .containsOnlyOnce("after");
        }
    }

    @Test
    void aSessionLostInsideLetsAnotherInstanceCallAndWhatTheFirstComesToCountsNoMore() {
        try (TestCluster cluster = new TestCluster(2, START, 1)) {
            List<String> callers = new ArrayList<>();
            insideBefore = fire -> {
                callers.add(fire.instanceId());
                if (callers.size() == 1) {
                    TestCluster.Instance first = cluster.instance(fire.instanceId());
                    first.store().suspend();
                    first.store().expire();
                    cluster.advance(Duration.ofSeconds(
                            5)); // less than its time limit // the other one takes its place, and goes on
                    first.store().reconnect();
                    cluster.advance(Duration.ofSeconds(5));
                }
            };
            host(cluster, this::works, everyMinute(2));
            cluster.advance(MINUTE.multipliedBy(2));

            assertThat(callers.get(1)).isNotEqualTo(callers.get(0));
            String first = fires().iterator().next();
            assertThat(storyOf(first).stream().filter("after"::equals)).hasSize(1);
            assertThat(storyOf(first).stream().filter("before"::equals)).hasSize(2);
            assertNothingIsLeft(cluster);
        }
    }

    @Test
    void itemsThatAreDisabledEndTheirFireAsSkippedAndAreNotRunForItLater() {
        try (TestCluster cluster = new TestCluster(2, START, 1)) {
            host(cluster, this::works, everyMinute(3));
            cluster.amend("job", override -> override.withDisabledItems(Set.of("1")));
            cluster.advance(MINUTE.plusSeconds(20));

            assertWhole(2);
            assertThat(outcomes()).containsEntry("1", ItemOutcome.SKIPPED).containsEntry("0", ItemOutcome.SUCCEEDED);
            assertNothingIsLeft(cluster);

            cluster.amend("job", override -> override.withDisabledItems(Set.of()));
            cluster.advance(Duration.ofSeconds(5)); // less than its time limit
            assertWhole(2);
        }
    }

    @Test
    void aPauseEndsItsFireForItemsThatHaveNotBegunIt() {
        try (TestCluster cluster = new TestCluster(2, START, 1)) {
            SimpleJob code = context -> {
                works(context);
                cluster.advance(Duration.ofSeconds(8));
            };
            host(cluster, code, everyMinute(6).concurrency(1)); // two at once in the cluster
            insideBefore = fire -> {
                insideBefore = next -> {};
                cluster.time().after(Duration.ofSeconds(10), () -> cluster.instances()
                        .get(1)
                        .engine()
                        .amend("job", override -> override.withPaused(true)));
            };
            cluster.advance(MINUTE.plusSeconds(50));

            assertThat(fires()).hasSize(1);
            String fire = fires().iterator().next();
            assertThat(storyOf(fire)).startsWith("before").endsWith("after").doesNotHaveDuplicates();
            assertThat(outcomes()).hasSize(6).containsValues(ItemOutcome.SUCCEEDED, ItemOutcome.SKIPPED);
            assertThat(outcomes().values().stream().filter(ItemOutcome.SUCCEEDED::equals))
                    .hasSize(storyOf(fire).size() - 2);
            assertNothingIsLeft(cluster);

            List<Told> paused = List.copyOf(story);
            cluster.amend("job", override -> override.withPaused(false));
            cluster.advance(MINUTE);
            assertThat(story.subList(paused.size(), story.size()))
                    .noneMatch(told -> told.fire.runId().equals(fire));
            assertThat(fires()).hasSizeGreaterThan(1);
        }
    }

    /** Code whose item 0 takes 90 seconds when it runs for the first time. */
    private SimpleJob longAtFirst(TestCluster cluster) {
        AtomicBoolean ran = new AtomicBoolean();
        return context -> {
            if (context.shardingItem() == 0 && !ran.getAndSet(true)) {
                cluster.advance(Duration.ofSeconds(90));
            }
            works(context);
        };
    }

    @Test
    void anItemThatStillRunsAnotherFireEndsTheNextAsLeftOut() {
        try (TestCluster cluster = new TestCluster(2, START, 1)) {
            host(cluster, longAtFirst(cluster), everyMinute(2));
            cluster.advance(MINUTE.multipliedBy(4));

            List<String> all = List.copyOf(fires());
            assertThat(all.size()).isGreaterThan(2);
            for (String fire : all.subList(0, 3)) {
                assertThat(storyOf(fire)).containsOnlyOnce("before").containsOnlyOnce("after");
            }
            assertThat(story.stream().filter(told -> told.what.equals("after")).map(told -> told.outcomes.get("0")))
                    .contains(ItemOutcome.SKIPPED, ItemOutcome.SUCCEEDED);
        }
    }

    /** They wait for that item alone, and are all looked at together. */
    @Test
    void manyFiresThatAnItemLeavesOutEndSoonAfterIt() {
        try (TestCluster cluster = new TestCluster(2, START, 1)) {
            host(
                    cluster,
                    longAtFirst(cluster),
                    JobConfiguration.newBuilder("job", 2).schedule(Schedule.fixedRate(Duration.ofSeconds(5))));
            cluster.advance(Duration.ofSeconds(5));
            long waiting = whole().stream().filter("before"::equals).count()
                    - whole().stream().filter("after"::equals).count();
            assertThat(waiting).isGreaterThan(15);
            Set<String> then = fires();
            cluster.advance(MINUTE.plusSeconds(10));

            for (String fire : then) {
                assertThat(storyOf(fire)).as(fire).containsOnlyOnce("before").containsOnlyOnce("after");
            }
        }
    }

    @Test
    void anItemWhoseInstanceDiesWithoutFailoverEndsItsFireAsInterrupted() {
        try (TestCluster cluster = new TestCluster(2, START, 1)) {
            List<String> dead = new ArrayList<>();
            SimpleJob code = context -> {
                if (context.shardingItem() == 1 && dead.isEmpty()) {
                    dead.add(context.instanceId());
                    cluster.instance(context.instanceId()).kill();
                    throw new IllegalStateException("dead");
                }
                works(context);
            };
            host(cluster, code, everyMinute(2).failover(false));
            cluster.advance(MINUTE.multipliedBy(2));

            assertThat(outcomes())
                    .containsEntry("1", ItemOutcome.INTERRUPTED)
                    .containsEntry("0", ItemOutcome.SUCCEEDED);
            assertThat(storyOf(fires().iterator().next())).containsExactly("before", "0", "after");
            assertNothingIsLeft(cluster);
        }
    }

    @Test
    void aSurvivorThatRunsTheLastItemTellsOfTheEnd() {
        try (TestCluster cluster = new TestCluster(2, START, 1)) {
            List<String> dead = new ArrayList<>();
            SimpleJob code = context -> {
                if (context.shardingItem() == 1 && dead.isEmpty()) {
                    dead.add(context.instanceId());
                    cluster.instance(context.instanceId()).kill();
                    throw new IllegalStateException("dead");
                }
                works(context);
            };
            host(cluster, code, everyMinute(2));
            cluster.advance(MINUTE.plusSeconds(40));

            assertWhole(2);
            assertNothingIsLeft(cluster);
        }
    }

    @Test
    void aTriggerEndsOnceItsEndHasBeenTold() {
        try (TestCluster cluster = new TestCluster(3, START, 1)) {
            host(cluster, this::works, JobConfiguration.newBuilder("job", 5));
            List<JobRun> run = new ArrayList<>();
            insideAfter = fire -> {
                cluster.advance(Duration.ofSeconds(2));
                assertThat(run.get(0).completion().toCompletableFuture()).isNotDone();
            };
            run.add(cluster.instances().get(0).engine().trigger("job", Map.of("k", "v"), Set.of()));
            cluster.advance(Duration.ofSeconds(10));

            assertWhole(5);
            assertThat(fires()).containsExactly(run.get(0).runId());
            assertThat(story.get(0).fire.triggerParameters()).isEqualTo(Map.of("k", "v"));
            assertThat(run.get(0).completion().toCompletableFuture()).isCompletedWithValue(outcomes());
            assertThat(cluster.tree().paths().stream().filter(path -> path.startsWith("/triggers/")))
                    .isEmpty();
        }
    }

    @Test
    void aTriggerWhoseTellerDiesEndsToo() {
        try (TestCluster cluster = new TestCluster(3, START, 1)) {
            host(cluster, this::works, JobConfiguration.newBuilder("job", 5));
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
    void whoWasReplacedInTellingOfATriggerHasNothingLeftToTellWhenItLeaves() {
        try (TestCluster cluster = new TestCluster(2, START, 1)) {
            host(cluster, this::works, JobConfiguration.newBuilder("job", 2).shutdownGrace(MINUTE));
            List<TestCluster.Instance> callers = new ArrayList<>();
            insideAfter = fire -> {
                callers.add(cluster.instance(fire.instanceId()));
                if (callers.size() == 1) {
                    callers.get(0).store().suspend();
                    callers.get(0).store().expire();
                    cluster.advance(Duration.ofSeconds(
                            5)); // less than its time limit // the other one takes its place, and goes on
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
    void aFailureIsLoggedWithJobAndFireAndChangesNothing() throws Exception {
        try (InfoLog log = new InfoLog("io.ostraka.core.job.ListenerCalls");
                TestCluster cluster = new TestCluster(2, START, 1)) {
            insideBefore = fire -> {
                story.add(new Told("before", fire, Map.of()));
                throw new IllegalStateException("no");
            };
            insideAfter = insideBefore.andThen(fire -> {});
            host(cluster, this::works, everyMinute(2));
            cluster.advance(MINUTE);

            String fire = fires().iterator().next();
            assertThat(storyOf(fire)).containsExactlyInAnyOrder("before", "0", "1", "before");
            assertThat(log.lines("job 'job': listener")).hasSize(2).allMatch(line -> line.contains(fire));
            assertNothingIsLeft(cluster);
        }
    }

    @Test
    void aCallThatDoesNotReturnHoldsItsFireUpForItsTimeLimitAndNoOtherFire() {
        try (TestCluster cluster = new TestCluster(2, START, 1)) {
            host(cluster, this::works, everyMinute(2));
            insideBefore = fire -> {
                insideBefore = later -> {};
                cluster.advance(Duration.ofSeconds(9));
                assertThat(story).isEmpty();
                cluster.advance(Duration.ofSeconds(2));
                assertThat(storyOf(fire.runId())).containsExactlyInAnyOrder("0", "1", "after");
            };
            cluster.advance(MINUTE.plusSeconds(20));
            story.clear();
            insideAfter = fire -> {
                insideAfter = later -> {};
                cluster.advance(MINUTE.plusSeconds(5)); // the next fire goes its way
                assertThat(fires()).hasSize(2);
            };
            cluster.advance(MINUTE.multipliedBy(3));
            for (String fire : fires()) {
                assertThat(storyOf(fire)).contains("before", "0", "1");
            }
            assertNothingIsLeft(cluster);
        }
    }

    @Test
    void instancesWithoutTheListenerLeaveItToThoseThatHaveIt() {
        for (int with = 0; with < 3; with++) {
            story.clear();
            try (TestCluster cluster = new TestCluster(3, START, with)) {
                for (int i = 0; i < 3; i++) {
                    if (i != with) {
                        host(cluster.instances().get(i), this::works, everyMinute(6));
                    }
                }
                cluster.advance(Duration.ofSeconds(2));
                host(cluster.instances().get(with), this::works, everyMinute(6).revision(1), listener);
                cluster.advance(MINUTE.multipliedBy(3));

                assertWhole(6);
                assertNothingIsLeft(cluster);
            }
        }
    }

    @Test
    void firesGoOnWithoutTheListenerWhenNobodyWhoLivesHasIt() throws Exception {
        try (InfoLog log = new InfoLog("io.ostraka.core.leader.JobCleanup");
                TestCluster cluster = new TestCluster(2, START, 1)) {
            host(cluster.instances().get(0), this::works, everyMinute(2).revision(1), listener);
            host(cluster.instances().get(1), this::works, everyMinute(2));
            cluster.advance(Duration.ofSeconds(5));
            cluster.instances().get(0).close();
            story.clear();
            cluster.advance(MINUTE.multipliedBy(3).plusSeconds(20));

            assertThat(fires()).hasSizeGreaterThanOrEqualTo(2);
            assertThat(story).extracting(Told::what).containsOnly("0", "1");
            assertThat(log.lines("no registered instance has")).hasSize(1).allMatch(line -> line.contains("'job'"));
            assertNothingIsLeft(cluster);
        }
    }

    @Test
    void theLeaderSaysInItsHealthThatNobodyWhoLivesHasTheListener() {
        try (TestCluster cluster = new TestCluster(3, START, 1)) {
            JobConfiguration.Builder job = everyMinute(2).revision(1);
            TestCluster.Instance leader = cluster.instances().get(0); // and hosts nothing
            host(cluster.instances().get(1), this::works, job, listener);
            host(cluster.instances().get(2), this::works, everyMinute(2));
            cluster.advance(Duration.ofSeconds(5));
            assertThat(leader.engine().leading()).isTrue();
            assertThat(listenerMissing(leader)).isEmpty();

            cluster.instances().get(1).close();
            cluster.advance(Duration.ofSeconds(1));
            assertThat(listenerMissing(leader))
                    .hasValueSatisfying(reason -> assertThat(reason.text()).contains("OnceListener", "no instance"));
            cluster.advance(MINUTE.multipliedBy(2));
            assertThat(listenerMissing(leader)).isPresent();

            host(cluster.join(), this::works, job, listener);
            cluster.advance(Duration.ofSeconds(1));
            assertThat(listenerMissing(leader)).isEmpty();
        }
    }

    @Test
    void aChangeOfTheItemCountIsNotHeldUpByWhoTellsOfAnEnd() {
        try (TestCluster cluster = new TestCluster(2, START, 1)) {
            host(cluster, this::works, JobConfiguration.newBuilder("job", 2));
            insideAfter = fire -> {
                insideAfter = later -> {};
                cluster.amend("job", override -> override.withShardingTotalCount(3));
                cluster.advance(Duration.ofSeconds(3));
                JobRun next = cluster.trigger("job", Map.of());
                cluster.advance(Duration.ofSeconds(2));
                // its end may have been told by now, too
                assertThat(storyOf(next.runId()))
                        .contains("before", "0", "1", "2")
                        .doesNotHaveDuplicates();
            };
            cluster.trigger("job", Map.of());
            cluster.advance(Duration.ofSeconds(30));

            assertThat(fires()).hasSize(2);
            for (String fire : fires()) {
                assertThat(storyOf(fire)).containsOnlyOnce("before").containsOnlyOnce("after");
            }
        }
    }

    private long transactionsOfTenFires(int instances, OnceListener... listeners) {
        try (TestCluster cluster = new TestCluster(instances, START, 1)) {
            cluster.instances().forEach(instance -> host(instance, this::works, everyMinute(6), listeners));
            cluster.advance(MINUTE.multipliedBy(3).plusSeconds(30)); // in between two fires
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
    void aFireCostsTheClusterTwoTransactionsMoreAndEachFurtherInstanceOneThatIsRefused() {
        assertThat(transactionsOfTenFires(1)).isEqualTo(10 * 2);
        assertThat(transactionsOfTenFires(1, listener)).isEqualTo(10 * 4);
        assertThat(transactionsOfTenFires(3)).isEqualTo(10 * 3 * 2);
        // ends that meet at the fire's node are sent again too
        assertThat(transactionsOfTenFires(3, listener)).isBetween(10L * (3 * 2 + 2), 10L * (3 * 2 + 2 + 2 * 3));
    }

    @Test
    void jobsWhoseItemsFireByThemselvesCanNotHaveOne() {
        try (TestCluster cluster = new TestCluster(1, START, 1)) {
            TestCluster.Instance instance = cluster.instances().get(0);
            for (Schedule schedule :
                    List.of(Schedule.fixedDelay(MINUTE), Schedule.adaptive(MINUTE, 4), Schedule.continuous(MINUTE))) {
                assertThatThrownBy(() -> host(
                                instance,
                                this::works,
                                JobConfiguration.newBuilder("job", 1).schedule(schedule),
                                listener))
                        .isInstanceOf(JobConfigurationException.class)
                        .hasMessageContaining("'job'")
                        .hasMessageContaining("schedule")
                        .hasMessageContaining("OnceListener");
            }
            host(instance, this::works, everyMinute(1), listener);
            cluster.advance(Duration.ofSeconds(2));
            assertThatThrownBy(() -> cluster.amend(
                            "job", (JobOverride override) -> override.withSchedule(Schedule.fixedDelay(MINUTE))))
                    .rootCause()
                    .hasMessageContaining("OnceListener");
        }
    }
}
