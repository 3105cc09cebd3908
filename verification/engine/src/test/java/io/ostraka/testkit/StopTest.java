package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.DataflowJob;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobRun;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SkipReason;
import io.ostraka.api.event.FiresSkipped;
import io.ostraka.api.event.RunEnded;
import io.ostraka.api.event.RunLost;
import io.ostraka.core.coordination.Fires;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.coordination.TransactionResult.About;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.time.SystemClock;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.fixtures.DeafListener;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests the stop of a fire by an operator. Its runs end as cancelled on all instances, and no other fire is affected.
 */
@ExtendWith(OstrakaExtension.class)
class StopTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final String JOB = "job";
    private static final Pattern FIRE = Pattern.compile("\"id\":\"([^\"]*)\".*?\"triggerZxid\":(\\d+)");
    private static final Pattern INCARNATION = Pattern.compile("\"incarnation\":(\\d+)");

    private final List<String> calls = new ArrayList<>();
    private final List<RunEnded> ends = new ArrayList<>();
    private final List<FiresSkipped> skips = new ArrayList<>();
    private final List<RunLost> lost = new ArrayList<>();

    private static JobConfiguration.Builder every10Seconds(int items) {
        return JobConfiguration.newBuilder(JOB, items).schedule(Schedule.fixedRate(Duration.ofSeconds(10)));
    }

    private static Fires operator(TestCluster cluster) {
        InMemoryNodeStore store = cluster.tree().connect("operator", Runnable::run);
        store.start(new DeafListener());
        return new TreeCoordination(store, new SystemClock()).fires();
    }

    private static TransactionResult request(Fires operator, String job, String item, String fire) {
        FireStop.Request request = new FireStop.Request("alice", "wrong data", Instant.parse("2026-01-01T00:00:00Z"));
        return operator.stop(new FireStop(job, item, fire, request))
                .toCompletableFuture()
                .join();
    }

    /** Stops the present fire of item 0, either for the given item or, if it is null, for all items. */
    private static void stop(TestCluster cluster, String item) {
        assertThat(request(operator(cluster), JOB, item, fire(cluster, "0")))
                .isInstanceOf(TransactionResult.Done.class);
    }

    private static String record(TestCluster cluster, String item) {
        return new ZkCli(cluster).text("/jobs/" + JOB + "/sharding/" + item);
    }

    private static String fire(TestCluster cluster, String item) {
        String record = record(cluster, item);
        Matcher fire = FIRE.matcher(record);
        Matcher incarnation = INCARNATION.matcher(record);
        assertThat(fire.find() && incarnation.find()).as(record).isTrue();
        return fire.group(2).equals("0") ? fire.group(1) + "." + incarnation.group(1) : fire.group(1);
    }

    private void subscribe(TestCluster cluster) {
        cluster.subscribe(event -> {
            if (event instanceof RunEnded ended) {
                ends.add(ended);
            } else if (event instanceof FiresSkipped skipped) {
                skips.add(skipped);
            } else if (event instanceof RunLost gone) {
                lost.add(gone);
            }
        });
    }

    private static void untilCancelled(ShardingContext context, TestCluster cluster) {
        for (int seconds = 0; seconds < 1_000 && !context.isCancelled(); seconds++) {
            cluster.advance(SECOND);
        }
    }

    private static void untilInterrupted(TestCluster cluster) throws InterruptedException {
        for (int steps = 0; steps < 10_000 && !Thread.currentThread().isInterrupted(); steps++) {
            cluster.advance(Duration.ofMillis(100));
        }
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted");
        }
    }

    private static List<JobHealth.Reason> reasons(TestCluster cluster, JobHealth.Kind kind) {
        return cluster.instances().stream()
                .flatMap(instance -> instance.health().jobs().values().stream())
                .flatMap(job -> job.reason(kind).stream())
                .toList();
    }

    private static List<String> stops(TestCluster cluster) {
        return cluster.tree().children("/stops");
    }

    @Test
    void stopReachesEveryOwnerAtOnceAndNamesItsOperator(TestCluster cluster) {
        subscribe(cluster);
        Set<String> owners = new HashSet<>();
        Map<String, Long> cancelledAfter = new TreeMap<>();
        cluster.schedule(
                context -> {
                    calls.add(context.itemKey());
                    owners.add(context.instanceId());
                    if (calls.size() <= 6) {
                        untilCancelled(context, cluster);
                        cancelledAfter.put(
                                context.itemKey(),
                                Duration.between(context.fireTime(), cluster.now())
                                        .toSeconds());
                    }
                },
                every10Seconds(6).build());
        cluster.time().after(Duration.ofSeconds(13), () -> stop(cluster, null));
        cluster.advance(Duration.ofSeconds(18));

        assertThat(owners).hasSize(3);
        assertThat(cancelledAfter).hasSize(6);
        assertThat(new HashSet<>(cancelledAfter.values())).as("seconds").hasSize(1);
        assertThat(ends).hasSize(6).allSatisfy(end -> {
            assertThat(end.outcome()).isEqualTo(ItemOutcome.CANCELLED);
            assertThat(end.error()).isEqualTo("stopped by alice: wrong data");
        });
        cluster.advance(Duration.ofSeconds(10));
        assertThat(calls).as("the next fire").hasSizeGreaterThanOrEqualTo(12);
        assertThat(ends.subList(6, ends.size()))
                .allSatisfy(end -> assertThat(end.outcome()).isEqualTo(ItemOutcome.SUCCEEDED));
        cluster.advance(Duration.ofMinutes(3));
        assertThat(stops(cluster)).as("stops of ended fires").isEmpty();
    }

    @Test
    void stopOfOneItemLeavesTheOthersRunning(TestCluster cluster) {
        subscribe(cluster);
        cluster.schedule(
                context -> {
                    calls.add(context.itemKey());
                    if (calls.size() <= 3) {
                        for (int seconds = 0; seconds < 6 && !context.isCancelled(); seconds++) {
                            cluster.advance(SECOND);
                        }
                    }
                },
                every10Seconds(3).build());
        cluster.time().after(Duration.ofSeconds(11), () -> stop(cluster, "1"));
        cluster.advance(Duration.ofSeconds(30));

        Instant fire = ends.get(0).claim().fireTime();
        assertThat(ends).hasSizeGreaterThan(6).allSatisfy(end -> {
            boolean stopped =
                    end.claim().fireTime().equals(fire) && end.claim().item().equals("1");
            assertThat(end.outcome()).isEqualTo(stopped ? ItemOutcome.CANCELLED : ItemOutcome.SUCCEEDED);
        });
        assertThat(skips).noneMatch(skip -> skip.reason() == SkipReason.STOPPED);
    }

    @Test
    void interruptibleCodeEndsAfterATenthOfASecond(@Instances(1) TestCluster cluster) {
        subscribe(cluster);
        cluster.schedule(
                context -> {
                    calls.add("begins");
                    untilInterrupted(cluster);
                },
                JobConfiguration.newBuilder(JOB, 1)
                        .retry(RetryPolicy.attempts(3))
                        .build());
        JobRun run = cluster.instances().get(0).engine().trigger(JOB, Map.of(), Set.of());
        cluster.time().after(Duration.ofSeconds(5), () -> stop(cluster, "0"));
        cluster.advance(Duration.ofSeconds(8));

        assertThat(calls).containsExactly("begins");
        assertThat(ends).singleElement().satisfies(end -> {
            assertThat(end.outcome()).isEqualTo(ItemOutcome.CANCELLED);
            assertThat(end.error()).startsWith("stopped by alice: wrong data; it ended with ");
            assertThat(Duration.between(end.startedAt(), end.at()))
                    .isBetween(Duration.ofSeconds(5), Duration.ofMillis(5_300));
        });
        assertThat(run.completion().toCompletableFuture()).isCompletedWithValue(Map.of("0", ItemOutcome.CANCELLED));
    }

    @Test
    void stopEndsThePauseBeforeTheNextAttempt(@Instances(1) TestCluster cluster) {
        subscribe(cluster);
        cluster.schedule(
                context -> {
                    calls.add("attempt " + context.attempt());
                    throw new IllegalStateException("not yet");
                },
                JobConfiguration.newBuilder(JOB, 1)
                        .retry(RetryPolicy.attempts(3).backoff(Duration.ofMinutes(5), 1, Duration.ofMinutes(5)))
                        .build());
        JobRun run = cluster.trigger(JOB, Map.of());
        stop(cluster, null);
        cluster.advance(SECOND);

        assertThat(run.completion().toCompletableFuture()).isCompletedWithValue(Map.of("0", ItemOutcome.CANCELLED));
        cluster.advance(Duration.ofMinutes(10));
        assertThat(calls).containsExactly("attempt 1");
    }

    @Test
    void codeThatIgnoresTheStopStaysRunningAndIsReported(TestCluster cluster) {
        subscribe(cluster);
        List<String> seen = new ArrayList<>();
        cluster.schedule(
                context -> {
                    calls.add(context.fireTime().toString());
                    if (calls.size() == 1) {
                        cluster.advance(SECOND);
                        stop(cluster, null);
                        cluster.advance(Duration.ofSeconds(9));
                        seen.add("before the grace: "
                                + reasons(cluster, JobHealth.Kind.STOP_IGNORED).size());
                        cluster.advance(Duration.ofMinutes(3));
                        Thread.interrupted(); // ignored
                        reasons(cluster, JobHealth.Kind.STOP_IGNORED).forEach(reason -> seen.add(reason.text()));
                        assertThat(reasons(cluster, JobHealth.Kind.STUCK_ITEMS)).isEmpty();
                        assertThat(record(cluster, "0")).contains("\"state\":\"RUNNING\"");
                        assertThat(cluster.tree().paths()).contains("/jobs/job/sharding/0/running");
                        assertThat(stops(cluster)).hasSize(1);
                        assertThat(calls).hasSize(1);
                    }
                },
                every10Seconds(1).build());
        cluster.advance(Duration.ofSeconds(11));

        assertThat(seen).hasSize(2);
        assertThat(seen.get(0)).isEqualTo("before the grace: 0");
        assertThat(seen.get(1))
                .contains(
                        "item 0 (stopped by alice: wrong data, at 2026-01-01T00:00:00Z)",
                        "isCancelled()",
                        "only a restart of this instance's process ends it");
        cluster.advance(Duration.ofMinutes(3));
        assertThat(ends.get(0).outcome()).isEqualTo(ItemOutcome.CANCELLED);
        assertThat(reasons(cluster, JobHealth.Kind.STOP_IGNORED)).isEmpty();
        assertThat(stops(cluster)).isEmpty();
        assertThat(calls).hasSizeGreaterThan(10);
    }

    @Test
    void stoppedFireOfADeadOwnerIsNotRunAgain(@Instances(2) TestCluster cluster) {
        subscribe(cluster);
        cluster.schedule(
                context -> {
                    calls.add(context.attempt() + " of " + context.fireTime());
                    if (calls.size() == 1) {
                        cluster.instance(context.instanceId()).kill();
                        stop(cluster, null);
                        throw new IllegalStateException("dead");
                    }
                },
                every10Seconds(1).build());
        cluster.advance(Duration.ofMinutes(1));

        assertThat(lost).singleElement().satisfies(each -> {
            assertThat(each.outcome()).isEqualTo(ItemOutcome.CANCELLED);
            assertThat(each.claim().attempt()).isEqualTo(1);
        });
        assertThat(calls).hasSizeGreaterThan(1).allMatch(call -> call.startsWith("1 of "));
        cluster.advance(Duration.ofMinutes(3));
        assertThat(stops(cluster)).isEmpty();
    }

    @Test
    void stoppedTriggerOfADeadOwnerEndsAsCancelled(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> {
                    calls.add(context.itemKey() + " attempt " + context.attempt());
                    if (context.itemKey().equals("0")) {
                        cluster.instance(context.instanceId()).kill();
                        stop(cluster, "0");
                        throw new IllegalStateException("dead");
                    }
                },
                JobConfiguration.newBuilder(JOB, 2).build());
        JobRun first = cluster.instances().get(0).engine().trigger(JOB, Map.of(), Set.of());
        JobRun second = cluster.instances().get(1).engine().trigger(JOB, Map.of(), Set.of("1"));
        cluster.advance(Duration.ofMinutes(1));

        assertThat(calls).doesNotContain("0 attempt 2");
        assertThat(cluster.tree().children("/triggers")).isEmpty();
        assertThat(record(cluster, "0")).contains("CANCELLED", "stopped by alice: wrong data; its owner ");
        assertThat(first.completion().toCompletableFuture().isDone()
                        || second.completion().toCompletableFuture().isDone())
                .isTrue();
    }

    @Test
    void stopAfterTheTakeoverCancelsTheNextOwner(@Instances(2) TestCluster cluster) {
        subscribe(cluster);
        cluster.schedule(
                context -> {
                    calls.add("attempt " + context.attempt());
                    if (calls.size() == 1) {
                        cluster.instance(context.instanceId()).kill();
                        throw new IllegalStateException("dead");
                    }
                    if (calls.size() == 2) {
                        cluster.time().after(Duration.ofSeconds(3), () -> stop(cluster, "0"));
                        untilCancelled(context, cluster);
                    }
                },
                every10Seconds(1).build());
        cluster.advance(Duration.ofMinutes(1));

        assertThat(calls).startsWith("attempt 1", "attempt 2", "attempt 1");
        assertThat(ends.stream().filter(end -> end.claim().attempt() == 2))
                .singleElement()
                .satisfies(end -> assertThat(end.outcome()).isEqualTo(ItemOutcome.CANCELLED));
    }

    @Test
    void stopSurvivesTheOwnersNextSession(@Instances(1) TestCluster cluster) {
        subscribe(cluster);
        cluster.schedule(
                context -> {
                    calls.add("attempt " + context.attempt());
                    if (calls.size() == 1) {
                        TestCluster.Instance self = cluster.instances().get(0);
                        self.store().suspend();
                        stop(cluster, null);
                        cluster.advance(SECOND);
                        assertThat(context.isCancelled())
                                .as("without a connection")
                                .isFalse();
                        self.expireSession();
                        cluster.advance(SECOND);
                        assertThat(context.isCancelled()).isTrue();
                    }
                },
                every10Seconds(1).build());
        cluster.advance(Duration.ofMinutes(1));

        assertThat(calls).hasSizeGreaterThan(1).allMatch("attempt 1"::equals);
        assertThat(ends.get(0).outcome()).isEqualTo(ItemOutcome.CANCELLED);
        assertThat(lost).isEmpty();
    }

    @Test
    void itemsThatHaveNotBegunLeaveTheFireOut(@Instances(1) TestCluster cluster) {
        subscribe(cluster);
        cluster.schedule(
                context -> {
                    calls.add(context.itemKey() + " of " + context.fireTime());
                    if (calls.size() == 1) {
                        cluster.time().after(Duration.ofSeconds(3), () -> stop(cluster, null));
                        untilCancelled(context, cluster);
                    }
                },
                every10Seconds(3).concurrency(1).build());
        cluster.advance(Duration.ofSeconds(18));

        assertThat(ends.get(0).outcome()).isEqualTo(ItemOutcome.CANCELLED);
        assertThat(skips).hasSize(2).allSatisfy(skip -> {
            assertThat(skip.reason()).isEqualTo(SkipReason.STOPPED);
            assertThat(skip.from()).isEqualTo(ends.get(0).claim().fireTime());
            assertThat(skip.count()).isEqualTo(1);
        });
        cluster.advance(Duration.ofSeconds(10));
        assertThat(calls).hasSizeGreaterThanOrEqualTo(4);
        assertThat(ends.subList(1, ends.size()))
                .allSatisfy(end -> assertThat(end.outcome()).isEqualTo(ItemOutcome.SUCCEEDED));
    }

    @Test
    void itemsThatHaveNotBegunSkipAStoppedTrigger(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> {
                    calls.add(context.itemKey());
                    if (calls.size() == 1) {
                        cluster.time().after(Duration.ofSeconds(3), () -> stopTrigger(cluster));
                        untilCancelled(context, cluster);
                    }
                },
                JobConfiguration.newBuilder(JOB, 3).concurrency(1).build());
        JobRun run = cluster.instances().get(0).engine().trigger(JOB, Map.of(), Set.of());
        cluster.advance(Duration.ofSeconds(10));

        assertThat(calls).hasSize(1);
        assertThat(run.completion().toCompletableFuture()).isCompleted();
        assertThat(run.completion().toCompletableFuture().join().values())
                .containsExactlyInAnyOrder(ItemOutcome.CANCELLED, ItemOutcome.SKIPPED, ItemOutcome.SKIPPED);
        assertThat(cluster.tree().children("/triggers")).isEmpty();
    }

    private static void stopTrigger(TestCluster cluster) {
        Matcher runId = Pattern.compile("\"runId\":\"([^\"]*)\"")
                .matcher(new ZkCli(cluster)
                        .text("/triggers/"
                                + cluster.tree().children("/triggers").get(0)));
        assertThat(runId.find()).isTrue();
        request(operator(cluster), JOB, null, runId.group(1));
    }

    @Test
    void streamingRunIsCancelledAndTheNextPassBegins(@Instances(1) TestCluster cluster) {
        subscribe(cluster);
        cluster.schedule(
                new DataflowJob<Integer>() {
                    @Override
                    public List<Integer> fetchData(ShardingContext context) {
                        calls.add(context.fireTime().toString());
                        cluster.advance(SECOND);
                        return List.of(1);
                    }

                    @Override
                    public void processData(ShardingContext context, List<Integer> data) {
                        if (calls.size() == 3) {
                            stop(cluster, "0");
                            cluster.advance(SECOND);
                        }
                        if (calls.size() > 20) {
                            throw new IllegalStateException("enough");
                        }
                    }
                },
                JobConfiguration.newBuilder(JOB, 1)
                        .schedule(Schedule.continuous(Duration.ofSeconds(4)))
                        .streaming(true)
                        .build());
        cluster.advance(Duration.ofMinutes(1));

        assertThat(ends.get(0).outcome()).isEqualTo(ItemOutcome.CANCELLED);
        assertThat(calls.subList(0, 3)).containsOnly(calls.get(0));
        assertThat(calls.get(3)).isNotEqualTo(calls.get(0));
        assertThat(ends.get(1).outcome()).isEqualTo(ItemOutcome.FAILED);
    }

    @Test
    void tasksOfTheRunAreCancelledToo(@Instances(1) TestCluster cluster) {
        subscribe(cluster);
        cluster.schedule(
                context -> {
                    calls.add("run");
                    context.tasks().inOrder("key").submit(() -> {
                        calls.add("task");
                        untilInterrupted(cluster);
                        return "";
                    });
                    context.tasks().inOrder("key").submit(() -> calls.add("second task"));
                },
                JobConfiguration.newBuilder(JOB, 1).build());
        JobRun run = cluster.instances().get(0).engine().trigger(JOB, Map.of(), Set.of());
        cluster.time().after(Duration.ofSeconds(5), () -> stop(cluster, null));
        cluster.advance(Duration.ofSeconds(8));

        assertThat(calls).containsExactly("run", "task");
        assertThat(run.completion().toCompletableFuture()).isCompletedWithValue(Map.of("0", ItemOutcome.CANCELLED));
        assertThat(ends.get(0).error()).startsWith("stopped by alice: wrong data");
    }

    @Test
    void stoppedRunIsNotHandedOverByAClosingInstance(@Instances(2) TestCluster cluster) {
        subscribe(cluster);
        List<String> records = new ArrayList<>();
        cluster.tree().onCommit(transaction -> transaction.operations().forEach(operation -> {
            if (operation.path().equals("/jobs/job/sharding/0") && operation instanceof NodeOp.Set set) {
                records.add(new String(set.data(), StandardCharsets.UTF_8));
            }
        }));
        cluster.schedule(
                context -> {
                    calls.add("attempt " + context.attempt());
                    if (calls.size() == 1) {
                        TestCluster.Instance self = cluster.instance(context.instanceId());
                        self.engine().unregister(JOB); // gives the run up without a grace
                        cluster.advance(SECOND);
                        assertThat(context.isCancelled()).isTrue();
                        stop(cluster, null);
                        cluster.advance(SECOND);
                        Thread.interrupted();
                    }
                },
                every10Seconds(1).shutdownGrace(Duration.ZERO).build());
        cluster.advance(Duration.ofMinutes(1));

        assertThat(records).noneMatch(record -> record.contains("HANDED_OVER"));
        assertThat(ends.get(0).outcome()).isEqualTo(ItemOutcome.CANCELLED);
        assertThat(calls).hasSizeGreaterThan(1).doesNotContain("attempt 2");
    }

    @Test
    void repeatedStopChangesNothingAndUnknownJobIsRefused(@Instances(1) TestCluster cluster) {
        cluster.schedule(context -> {}, every10Seconds(1).build());
        cluster.advance(Duration.ofSeconds(12));
        Fires operator = operator(cluster);

        assertThat(request(operator, JOB, null, "1.1")).isInstanceOf(TransactionResult.Done.class);
        assertThat(request(operator, JOB, null, "1.1")).isEqualTo(new TransactionResult.Outdated(About.STOP, null));
        assertThat(request(operator, "other", null, "1.1"))
                .isEqualTo(new TransactionResult.Outdated(About.DEFINITION, null));
        assertThat(stops(cluster)).containsExactly("job~*~1.1");
    }

    @Test
    void stopOfUnknownOutcomeIsRepeatedSafely(@Instances(1) TestCluster cluster) {
        cluster.schedule(context -> {}, every10Seconds(1).build());
        InMemoryNodeStore store = cluster.tree().connect("operator", Runnable::run);
        store.start(new DeafListener());
        Fires operator = new TreeCoordination(store, new SystemClock()).fires();
        store.loseNextReply();

        assertThat(request(operator, JOB, "0", "99.1")).isInstanceOf(TransactionResult.Unknown.class);
        store.reconnect();
        assertThat(request(operator, JOB, "0", "99.1")).isEqualTo(new TransactionResult.Outdated(About.STOP, null));
    }

    /** The parent is missing if an older version has created the namespace, or if a person has deleted the node. */
    @Test
    void stopCreatesItsMissingParent(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> {
                    calls.add("begins");
                    if (calls.size() == 1) {
                        new ZkCli(cluster).delete("/stops");
                        cluster.time().after(Duration.ofSeconds(2), () -> stop(cluster, null));
                        untilCancelled(context, cluster);
                        calls.add("cancelled");
                    }
                },
                every10Seconds(1).build());
        cluster.advance(Duration.ofSeconds(18));

        assertThat(calls).startsWith("begins", "cancelled");
    }

    @Test
    void unreadableStopHasItsEffect(@Instances(1) TestCluster cluster) {
        subscribe(cluster);
        cluster.schedule(
                context -> {
                    if (calls.isEmpty()) {
                        calls.add("begins");
                        ZkCli zkCli = new ZkCli(cluster);
                        zkCli.write("/stops/no stop", "");
                        zkCli.write("/stops/job~*~" + fire(cluster, "0"), "{\"format\":5}");
                        cluster.advance(SECOND);
                        calls.add(context.isCancelled() ? "cancelled" : "not cancelled");
                    }
                },
                every10Seconds(1).build());
        cluster.advance(Duration.ofSeconds(12));

        assertThat(calls).containsExactly("begins", "cancelled");
        assertThat(ends.get(0).error()).isEqualTo("stopped by an operator");
        cluster.advance(Duration.ofMinutes(3));
        assertThat(stops(cluster)).containsExactly("no stop");
    }

    @Test
    void leaderDeletesStopsOfJobsAndItemsThatDoNotExist(TestCluster cluster) {
        cluster.schedule(context -> {}, every10Seconds(1).build());
        ZkCli zkCli = new ZkCli(cluster);
        zkCli.write("/stops/gone~*~1.1", "{}");
        zkCli.write("/stops/job~7~99999999999999.1", "{}");
        zkCli.write("/stops/job~0~99999999999999.1", "{}");
        zkCli.write("/stops/job~*~no-such-run", "{}");
        cluster.advance(Duration.ofMinutes(3));

        assertThat(stops(cluster)).containsExactly("job~0~99999999999999.1");
    }

    @Test
    void stopCostsEachInstanceOneListingAndOneReadAndAFireNothing(@Instances(1) TestCluster cluster) {
        List<Instant> fires = new ArrayList<>();
        cluster.schedule(
                context -> fires.add(context.fireTime()), every10Seconds(1).build());
        cluster.advance(Duration.ofSeconds(30));
        InMemoryNodeStore store = cluster.instances().get(0).store();
        Map<String, Long> before = requestsOfAFire(cluster, store, fires);
        request(operator(cluster), JOB, null, "99999999999999.1");
        InMemoryNodeStore.Operations start = store.operations();
        cluster.advance(Duration.ofMillis(1));
        InMemoryNodeStore.Operations end = store.operations();

        assertThat(end.children() - start.children()).isEqualTo(1);
        assertThat(end.reads() - start.reads()).isEqualTo(1);
        assertThat(end.commits()).isEqualTo(start.commits());
        assertThat(requestsOfAFire(cluster, store, fires)).isEqualTo(before).containsEntry("transactions", 2L);
    }

    /** Counts the requests around one fire, between two periodic checks. */
    private static Map<String, Long> requestsOfAFire(
            TestCluster cluster, InMemoryNodeStore store, List<Instant> fires) {
        Instant next = fires.get(fires.size() - 1).plusSeconds(10);
        cluster.advance(Duration.between(cluster.now(), next).minusMillis(500));
        InMemoryNodeStore.Operations before = store.operations();
        cluster.advance(SECOND);
        InMemoryNodeStore.Operations after = store.operations();
        return Map.of(
                "transactions", after.commits() - before.commits(),
                "reads", after.reads() + after.children() - before.reads() - before.children());
    }
}
