package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.FailoverReason;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.SkipReason;
import io.ostraka.api.event.Claim;
import io.ostraka.api.event.CursorSetBack;
import io.ostraka.api.event.Event;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.api.event.FiresSkipped;
import io.ostraka.api.event.ItemClaimed;
import io.ostraka.api.event.ItemReleased;
import io.ostraka.api.event.ItemTakenOver;
import io.ostraka.api.event.JobPurged;
import io.ostraka.api.event.LeaderChanged;
import io.ostraka.api.event.OverrideChanged;
import io.ostraka.api.event.PlanChanged;
import io.ostraka.api.event.RunEnded;
import io.ostraka.api.event.RunFenced;
import io.ostraka.api.event.RunLost;
import io.ostraka.api.event.RunRetried;
import io.ostraka.api.event.RunStarted;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.core.instance.EngineSettings;
import io.ostraka.core.instance.Extensions;
import io.ostraka.core.instance.JobEngine;
import io.ostraka.core.placement.StickyBalancedStrategy;
import io.ostraka.core.time.Platform;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.fixtures.InfoLog;
import io.ostraka.operations.Commands;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests the events of a cluster, from which a subscriber can write the history of every run. */
@ExtendWith(OstrakaExtension.class)
class EventsTest {
    private static final String JOB = "observed";

    private final List<Event> events = new ArrayList<>();

    private static JobConfiguration.Builder every10Seconds(int items) {
        return JobConfiguration.newBuilder(JOB, items).schedule(Schedule.fixedRate(Duration.ofSeconds(10)));
    }

    private <E extends Event> List<E> all(Class<E> kind) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    @Test
    void reportsARunFromClaimToEndWithItsFullIdentity(@Instances(1) TestCluster cluster) {
        cluster.subscribe(events::add);
        List<Long> tokens = new ArrayList<>();
        cluster.schedule(
                context -> {
                    tokens.add(context.fencingToken());
                    if (context.attempt() == 1) {
                        throw new IllegalStateException("not yet");
                    }
                },
                every10Seconds(1)
                        .retry(RetryPolicy.attempts(2)
                                .backoff(Duration.ofSeconds(1), 1, Duration.ofSeconds(1))
                                .jitter(0))
                        .build());
        cluster.advance(Duration.ofSeconds(15));

        ItemClaimed claimed = all(ItemClaimed.class).get(0);
        Claim claim = claimed.claim();
        String self = cluster.instances().get(0).id();
        assertThat(claim.job()).isEqualTo(JOB);
        assertThat(claim.item()).isEqualTo("0");
        assertThat(claim.runId()).isEqualTo(JOB + "@" + claim.fireTime());
        assertThat(claim.triggered()).isFalse();
        assertThat(claim.attempt()).isEqualTo(1);
        assertThat(claim.runNumber()).isEqualTo(1);
        assertThat(claim.fencingToken()).isEqualTo(tokens.get(0));
        assertThat(claim.instanceId()).isEqualTo(self);
        assertThat(claim.cursor()).isEqualTo(claimed.cursorBefore()).isBefore(claim.fireTime());
        assertThat(all(RunStarted.class)).singleElement().satisfies(started -> {
            assertThat(started.claim()).isEqualTo(claim);
            assertThat(started.delay()).isNotNull();
        });
        assertThat(all(RunRetried.class)).singleElement().satisfies(retried -> {
            assertThat(retried.claim()).isEqualTo(claim);
            assertThat(retried.attempt()).isEqualTo(2);
        });
        assertThat(all(RunEnded.class)).singleElement().satisfies(ended -> {
            assertThat(ended.claim()).isEqualTo(claim);
            assertThat(ended.attempt()).isEqualTo(2);
            assertThat(ended.outcome()).isEqualTo(ItemOutcome.SUCCEEDED);
            assertThat(ended.cursor()).isEqualTo(claim.fireTime());
            assertThat(Duration.between(ended.startedAt(), ended.at())).isEqualTo(Duration.ofSeconds(1));
        });
        assertThat(all(LeaderChanged.class)).isEmpty(); // the instance led before the subscription
        assertThat(all(PlanChanged.class)).last().satisfies(plan -> {
            assertThat(plan.items()).containsExactly(Map.entry(self, 1));
            assertThat(plan.instanceId()).isEqualTo(self);
            assertThat(plan.version()).isEqualTo(plan(cluster));
        });
    }

    private static int plan(TestCluster cluster) {
        return cluster.tree().read("/jobs/" + JOB + "/sharding").orElseThrow().version();
    }

    @Test
    void reportsWhichRunASurvivorTookOver(@Instances(3) TestCluster cluster) {
        cluster.subscribe(events::add);
        String[] killed = {null};
        Map<String, Long> dead = new HashMap<>();
        cluster.schedule(
                context -> {
                    if (context.shardingItem() == 0 && killed[0] == null) {
                        killed[0] = context.instanceId();
                        dead.put("token", context.fencingToken());
                        cluster.instance(context.instanceId()).kill();
                    }
                },
                every10Seconds(6).build());
        cluster.advance(Duration.ofMinutes(2));

        ItemTakenOver takenOver = all(ItemTakenOver.class).stream()
                .filter(event -> event.claim().item().equals("0"))
                .findFirst()
                .orElseThrow();
        assertThat(takenOver.reason()).isEqualTo(FailoverReason.CRASHED);
        assertThat(takenOver.interrupted().instanceId()).isEqualTo(killed[0]);
        assertThat(takenOver.interrupted().fencingToken()).isEqualTo(dead.get("token"));
        assertThat(takenOver.interrupted().nonce())
                .isEqualTo(all(ItemClaimed.class).stream()
                        .map(ItemClaimed::claim)
                        .filter(claim -> claim.item().equals("0") && claim.fencingToken() == dead.get("token"))
                        .findFirst()
                        .orElseThrow()
                        .nonce());
        assertThat(takenOver.claim().attempt()).isEqualTo(2);
        assertThat(takenOver.claim().runId()).isEqualTo(takenOver.interrupted().runId());
        assertThat(takenOver.claim().fencingToken())
                .isGreaterThan(takenOver.interrupted().fencingToken());
        assertRunsAreNumberedAndCursorsTile();
    }

    /** The numbers continue whether the item moves because of a shutdown, a lost session or a killed instance. */
    @Test
    void numbersTheRunsOfAnItemWithoutGapsAcrossInstances(@Instances(3) TestCluster cluster) {
        cluster.subscribe(events::add);
        cluster.schedule(
                context -> {}, every10Seconds(7).misfire(MisfirePolicy.skip()).build());
        cluster.advance(Duration.ofSeconds(45));
        cluster.instances().get(0).close();
        cluster.advance(Duration.ofSeconds(45));
        cluster.instances().get(1).expireSession();
        cluster.advance(Duration.ofSeconds(45));
        cluster.instances().get(1).kill();
        cluster.join();
        cluster.advance(Duration.ofMinutes(2));

        assertThat(all(ItemClaimed.class)).hasSizeGreaterThan(100);
        assertRunsAreNumberedAndCursorsTile();
    }

    /** Checks that the history is complete: each run starts with the cursor with which the previous run ended. */
    private void assertRunsAreNumberedAndCursorsTile() {
        Map<String, List<ItemClaimed>> byItem = new TreeMap<>();
        all(ItemClaimed.class)
                .forEach(claimed -> byItem.computeIfAbsent(claimed.claim().item(), item -> new ArrayList<>())
                        .add(claimed));
        Map<String, RunEnded> ends = new HashMap<>();
        all(RunEnded.class).forEach(ended -> ends.put(ended.claim().nonce(), ended));
        Set<String> interrupted = new HashSet<>();
        all(ItemTakenOver.class)
                .forEach(takenOver -> interrupted.add(takenOver.interrupted().nonce()));
        byItem.forEach((item, claims) -> {
            claims.sort(Comparator.comparing(claimed -> claimed.claim().runNumber()));
            assertThat(claims.stream().map(claimed -> claimed.claim().runNumber()))
                    .as("run numbers of item %s", item)
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(1, claims.size()).boxed().toList());
            for (int i = 1; i < claims.size(); i++) {
                Claim before = claims.get(i - 1).claim();
                Instant decided = interrupted.contains(before.nonce())
                        ? before.cursor()
                        : ends.get(before.nonce()).cursor();
                assertThat(claims.get(i).cursorBefore())
                        .as("cursor of item %s before run %s", item, i + 1)
                        .isEqualTo(decided);
            }
        });
    }

    @Test
    void reportsSkippedFiresWithTheirReason(@Instances(1) TestCluster cluster) {
        cluster.subscribe(events::add);
        cluster.schedule(
                context -> cluster.advance(Duration.ofSeconds(35)),
                every10Seconds(1).overlap(OverlapPolicy.skip()).build());
        cluster.advance(Duration.ofMinutes(2));

        assertThat(all(FiresSkipped.class)).isNotEmpty().allSatisfy(skipped -> {
            assertThat(skipped.reason()).isEqualTo(SkipReason.OVERLAPPED);
            assertThat(skipped.runId()).isNull();
            assertThat(skipped.opened())
                    .isEqualTo(all(ItemClaimed.class).get(0).claim().opened());
            assertThat(skipped.cursorBefore()).isBefore(skipped.from());
            assertThat(skipped.cursor()).isEqualTo(skipped.to());
            assertThat(Duration.between(skipped.from(), skipped.to()).toSeconds() / 10 + 1)
                    .isEqualTo(skipped.count());
        });
        assertRunsAreNumberedAndCursorsTile();
    }

    @Test
    void reportsATriggerThatAnItemSkips(@Instances(1) TestCluster cluster) throws Exception {
        cluster.subscribe(events::add);
        cluster.schedule(context -> {}, JobConfiguration.newBuilder(JOB, 2).build());
        cluster.advance(Duration.ofSeconds(10));
        JobEngine engine = cluster.instances().get(0).engine();
        new Commands(engine.operations()).execute(new Command.DisableItem(JOB, "1"), CommandOptions.by("test"));
        cluster.advance(Duration.ofSeconds(10));
        String runId = engine.trigger(JOB, Map.of(), Set.of()).runId();
        cluster.advance(Duration.ofSeconds(10));

        assertThat(all(FiresSkipped.class)).singleElement().satisfies(skipped -> {
            assertThat(skipped.item()).isEqualTo("1");
            assertThat(skipped.runId()).isEqualTo(runId);
            assertThat(skipped.reason()).isEqualTo(SkipReason.DISABLED);
            assertThat(skipped.cursor()).isNull();
        });
        assertThat(all(ItemClaimed.class)).singleElement().satisfies(claimed -> {
            assertThat(claimed.claim().triggered()).isTrue();
            assertThat(claimed.claim().runId()).isEqualTo(runId);
        });
    }

    @Test
    void reportsAFencedRun(@Instances(2) TestCluster cluster) {
        cluster.subscribe(events::add);
        boolean[] stalled = {false};
        cluster.schedule(
                context -> {
                    if (!stalled[0]) {
                        stalled[0] = true;
                        cluster.instance(context.instanceId()).expireSession();
                        cluster.advance(Duration.ofMinutes(1));
                    }
                },
                every10Seconds(1).build());
        cluster.advance(Duration.ofMinutes(3));

        assertThat(all(RunFenced.class)).singleElement().satisfies(fenced -> {
            assertThat(fenced.claim().runNumber()).isEqualTo(1);
            assertThat(all(ItemTakenOver.class))
                    .extracting(ItemTakenOver::interrupted)
                    .extracting(Claim::nonce)
                    .contains(fenced.claim().nonce());
        });
    }

    /** The takeover shows that the failure, which was reported before, did not end the fire. */
    @Test
    void reportsATakeoverOfARunThatFailedBeforeItsInstanceLearntThatTheSessionWasLost(
            @Instances(1) TestCluster cluster) {
        cluster.subscribe(events::add);
        TestCluster.Instance instance = cluster.instances().get(0);
        boolean[] failed = {false};
        cluster.schedule(
                context -> {
                    if (!failed[0]) {
                        failed[0] = true;
                        instance.store().expire();
                        throw new IllegalStateException("the network is down");
                    }
                },
                every10Seconds(1).build());
        cluster.advance(Duration.ofSeconds(15));
        instance.store().reconnect();
        cluster.advance(Duration.ofMinutes(2));

        RunEnded first = all(RunEnded.class).get(0);
        assertThat(first.outcome()).isEqualTo(ItemOutcome.FAILED);
        assertThat(first.cursor()).isEqualTo(first.claim().fireTime());
        assertThat(all(ItemTakenOver.class)).singleElement().satisfies(takenOver -> {
            assertThat(takenOver.interrupted().nonce()).isEqualTo(first.claim().nonce());
            assertThat(takenOver.reason()).isEqualTo(FailoverReason.HANDED_OVER);
            assertThat(takenOver.claim().runId()).isEqualTo(first.claim().runId());
        });
        assertRunsAreNumberedAndCursorsTile();
    }

    @Test
    void aRunThatIsGivenUpWithoutFailoverEndsItsFire(@Instances(1) TestCluster cluster) {
        cluster.subscribe(events::add);
        boolean[] lost = {false};
        cluster.schedule(
                context -> {
                    if (!lost[0]) {
                        lost[0] = true;
                        cluster.instance(context.instanceId()).expireSession();
                    }
                },
                every10Seconds(1).failover(false).build());
        cluster.advance(Duration.ofMinutes(2));

        RunEnded first = all(RunEnded.class).get(0);
        assertThat(first.outcome()).isEqualTo(ItemOutcome.INTERRUPTED);
        assertThat(first.cursor()).isEqualTo(first.claim().fireTime());
        assertRunsAreNumberedAndCursorsTile();
    }

    @Test
    void reportsALostRunWithoutFailover(@Instances(2) TestCluster cluster) {
        cluster.subscribe(events::add);
        String[] killed = {null};
        cluster.schedule(
                context -> {
                    if (killed[0] == null) {
                        killed[0] = context.instanceId();
                        cluster.instance(context.instanceId()).kill();
                    }
                },
                every10Seconds(1).failover(false).build());
        cluster.advance(Duration.ofMinutes(2));

        assertThat(all(RunLost.class)).singleElement().satisfies(lost -> {
            assertThat(lost.claim().instanceId()).isEqualTo(killed[0]);
            assertThat(lost.instanceId()).isNotEqualTo(killed[0]);
            assertThat(lost.outcome()).isEqualTo(ItemOutcome.INTERRUPTED);
            assertThat(lost.claim().fencingToken()).isPositive();
        });
        assertThat(all(ItemTakenOver.class)).isEmpty();
    }

    @Test
    void reportsOverrideChangesWithoutTheirValues(@Instances(2) TestCluster cluster) {
        cluster.subscribe(events::add);
        cluster.schedule(
                context -> {
                    throw new IllegalStateException("always");
                },
                every10Seconds(1).quarantineAfter(1).build());
        cluster.advance(Duration.ofSeconds(30));
        JobEngine engine = cluster.instances().get(1).engine();
        String self = cluster.instances().get(1).id();
        new Commands(engine.operations())
                .amend(JOB, override -> override.withJobParameter("a secret").withPaused(true));
        new Commands(engine.operations()).execute(new Command.ReleaseItem(JOB, "0"), CommandOptions.by("test"));
        cluster.advance(Duration.ofSeconds(10));

        assertThat(all(OverrideChanged.class)).singleElement().satisfies(changed -> {
            assertThat(changed.fields()).containsExactly("jobParameter", "paused");
            assertThat(changed.instanceId()).isEqualTo(self);
            assertThat(changed.toString()).doesNotContain("a secret");
        });
        assertThat(all(ItemReleased.class)).singleElement().satisfies(released -> assertThat(released.item())
                .isEqualTo("0"));
        assertThat(all(JobPurged.class)).isEmpty();
    }

    @Test
    void reportsACursorThatIsSetBack(@Instances(1) TestCluster cluster) {
        cluster.subscribe(events::add);
        cluster.schedule(context -> {}, every10Seconds(1).build());
        cluster.advance(Duration.ofSeconds(30));
        ZkCli hand = new ZkCli(cluster);
        String path = "/jobs/" + JOB + "/sharding/0";
        Instant future = cluster.now().plus(Duration.ofDays(1));
        long runsBefore = all(ItemClaimed.class).size();
        hand.write(path, hand.text(path).replaceFirst("\"cursor\":\"[^\"]*\"", "\"cursor\":\"" + future + "\""));
        JobEngine engine = cluster.instances().get(0).engine();
        new Commands(engine.operations())
                .execute(
                        new Command.SetBackCursor(JOB, "0"),
                        CommandOptions.by("test").asDryRun());
        CommandOptions once = CommandOptions.by("test").because("wrong clock").withRequestId("r-1");
        new Commands(engine.operations()).execute(new Command.SetBackCursor(JOB, "0"), once);
        cluster.advance(Duration.ofSeconds(1));
        new Commands(engine.operations()).execute(new Command.SetBackCursor(JOB, "0"), once);
        cluster.advance(Duration.ofSeconds(30));

        assertThat(all(CursorSetBack.class)).singleElement().satisfies(change -> {
            assertThat(change.item()).isEqualTo("0");
            assertThat(change.from()).isEqualTo(future);
            assertThat(change.to()).isBefore(cluster.now());
            assertThat(change.incarnation()).isEqualTo(1);
            assertThat(change.runNumber()).isEqualTo(runsBefore);
            assertThat(change.actor()).isEqualTo("test");
            assertThat(change.reason()).isEqualTo("wrong clock");
        });
    }

    @Test
    void reportsTheLeader(@Instances(2) TestCluster cluster) {
        cluster.subscribe(events::add);
        cluster.advance(Duration.ofSeconds(5));
        TestCluster.Instance leader = cluster.leader();
        String former = leader.id();
        leader.close();
        cluster.advance(Duration.ofSeconds(30));

        assertThat(all(LeaderChanged.class).stream()
                        .filter(changed -> !changed.leads())
                        .map(LeaderChanged::instanceId))
                .containsExactly(former);
        assertThat(all(LeaderChanged.class).stream()
                        .filter(LeaderChanged::leads)
                        .map(LeaderChanged::instanceId))
                .last()
                .isEqualTo(cluster.leader().id());
    }

    /** Guards against measurement code that blocks and thereby stops its users' jobs. */
    @Test
    void blockingOrThrowingSubscriberDelaysNoRun() throws Exception {
        ManualTime time = new ManualTime(Instant.parse("2026-01-01T00:00:00Z"), 0);
        InMemoryCoordination tree = new InMemoryCoordination(time::now);
        Platform platform = time.platform(Duration.ZERO);
        List<String> runs = new ArrayList<>();
        List<Integer> meanwhile = new ArrayList<>();
        EventSubscriber slow = event -> {
            if (event instanceof RunStarted && meanwhile.isEmpty()) {
                meanwhile.add(runs.size());
                time.advance(Duration.ofMinutes(1)); // the subscriber returns a minute later
                meanwhile.add(runs.size());
            }
        };
        EventSubscriber defective = event -> {
            throw new NoClassDefFoundError("a defect of a subscriber");
        };
        InMemoryNodeStore store = tree.connect("one", time.executor(), time.executor(), TestCluster.SESSION_TIMEOUT);
        StickyBalancedStrategy strategy = new StickyBalancedStrategy();
        JobEngine engine = new JobEngine(
                EngineSettings.of("host", 1),
                new TreeCoordination(store, platform.clock()),
                platform,
                Extensions.of(Map.of(strategy.type(), strategy))
                        .withSubscribers(List.of(slow, defective, events::add)));
        try (InfoLog log = new InfoLog("io.ostraka.core.event.EventQueue")) {
            engine.start();
            engine.register(
                    (SimpleJob) context -> runs.add(context.runId()),
                    every10Seconds(3).build());
            time.advance(Duration.ofMinutes(2));

            assertThat(log.lines("may have missed events")).hasSize(1);
        }
        assertThat(meanwhile.get(1) - meanwhile.get(0))
                .as("runs during the minute")
                .isGreaterThanOrEqualTo(3 * 5);
        assertThat(engine.metrics().jobs().get(JOB).ended())
                .containsExactly(Map.entry(ItemOutcome.SUCCEEDED, (long) runs.size()));
        assertThat(engine.health().good()).isTrue();
        assertThat(all(RunEnded.class)).hasSameSizeAs(runs);
        assertThat(engine.metrics().load().events().waiting()).isZero();
    }
}
