package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.Alarm;
import io.ostraka.api.Alarm.State;
import io.ostraka.api.AlarmHandler;
import io.ostraka.api.AlarmKind;
import io.ostraka.api.AlarmPolicy;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.event.Event;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.api.event.SubscriberContext;
import io.ostraka.api.operations.Change;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.Problem;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.instance.Extensions;
import io.ostraka.core.placement.BuiltInStrategies;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.fixtures.DeafListener;
import io.ostraka.fixtures.InfoLog;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the alarms of jobs: each kind once where it must begin, and once where it must not. */
class AlarmsTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** Longest time between the end of a limit and the delivery while a leader lives. */
    private static final Duration BOUND = Duration.ofSeconds(10);

    /** Longest time between the end of a limit and the delivery if the owner makes no progress. */
    private static final Duration WEDGED_BOUND = Duration.ofSeconds(75);

    private final Map<Alarm, Instant> received = new LinkedHashMap<>();
    private final List<String> calls = new ArrayList<>();
    private final AtomicBoolean failing = new AtomicBoolean();
    private final AtomicBoolean unreachable = new AtomicBoolean();
    private String refusal = "the receiver is unreachable";
    /** Contexts of a subscriber that keeps a history, one for each instance. */
    private final List<SubscriberContext> histories = new ArrayList<>();

    private TestCluster cluster = cluster(2);

    private TestCluster cluster(int instances) {
        return cluster(instances, START);
    }

    private TestCluster cluster(int instances, Instant start) {
        AlarmHandler handler = alarm -> {
            calls.add(alarm.idempotencyKey());
            if (unreachable.get()) {
                throw new IllegalStateException(refusal);
            }
            received.putIfAbsent(alarm, cluster.now());
        };
        return new TestCluster(
                instances,
                start,
                0,
                Extensions.of(BuiltInStrategies.all())
                        .withSubscribers(List.of(new HistorySubscriber()))
                        .withAlarmHandlers(List.of(handler)));
    }

    /** Keeps the contexts of all instances. */
    private final class HistorySubscriber implements EventSubscriber {
        @Override
        public void started(SubscriberContext context) {
            histories.add(context);
        }

        @Override
        public void on(Event event) {}
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private static JobConfiguration.Builder every(Duration period) {
        return JobConfiguration.newBuilder("settle", 2).schedule(Schedule.fixedRate(period));
    }

    private SimpleJob job() {
        return context -> {
            if (failing.get() && context.shardingItem() == 0) {
                throw new IllegalStateException("no funds");
            }
        };
    }

    private void schedule(JobConfiguration.Builder configuration) {
        cluster.schedule(job(), configuration.build());
    }

    private List<String> received() {
        return received.keySet().stream()
                .map(alarm -> alarm.kind() + " " + alarm.state())
                .toList();
    }

    private Alarm alarm(AlarmKind kind, State state) {
        return received.keySet().stream()
                .filter(alarm -> alarm.kind() == kind && alarm.state() == state)
                .findFirst()
                .orElseThrow(() -> new AssertionError(kind + " " + state + " was not received, but " + received()));
    }

    private Instant at(AlarmKind kind, State state) {
        return received.get(alarm(kind, state));
    }

    private void refuseClaims(boolean refuse) {
        cluster.tree().refuse(operation -> refuse && operation.path().matches("/jobs/settle/sharding/\\d+"));
    }

    // ---- missed

    @Test
    void dueFireThatDoesNotBeginIsMissedWithinTheBoundAndOnlyOnce() {
        schedule(every(Duration.ofMinutes(10)));
        cluster.advance(Duration.ofMinutes(5));
        refuseClaims(true);
        cluster.advance(Duration.ofMinutes(30));

        Alarm missed = alarm(AlarmKind.MISSED, State.FIRING);
        assertThat(received()).containsExactly("MISSED FIRING");
        Instant limit = missed.since().plus(AlarmKind.MISSED.limit());
        assertThat(at(AlarmKind.MISSED, State.FIRING)).isBetween(limit, limit.plus(BOUND));
        assertThat(missed.job()).isEqualTo("settle");
        assertThat(missed.items()).containsExactly("0", "1");
        assertThat(missed.text()).isEqualTo("items 0, 1 did not start fires, due since " + missed.since());

        refuseClaims(false);
        cluster.advance(Duration.ofMinutes(15));
        assertThat(received()).containsExactly("MISSED FIRING", "MISSED RESOLVED");
        assertThat(alarm(AlarmKind.MISSED, State.RESOLVED).id()).isEqualTo(missed.id());
        assertThat(calls).doesNotHaveDuplicates();
    }

    @Test
    void ownerThatMakesNoProgressIsNoticedByTheLeader() {
        schedule(every(Duration.ofMinutes(10)));
        cluster.advance(Duration.ofMinutes(1));
        TestCluster.Instance other = cluster.instances().stream()
                .filter(instance -> instance != cluster.leader())
                .findFirst()
                .orElseThrow();
        other.setWedged(true);
        cluster.advance(Duration.ofMinutes(30));

        Alarm missed = alarm(AlarmKind.MISSED, State.FIRING);
        assertThat(missed.itemCount()).isEqualTo(1);
        Instant limit = missed.since().plus(AlarmKind.MISSED.limit());
        assertThat(at(AlarmKind.MISSED, State.FIRING)).isBetween(limit, limit.plus(WEDGED_BOUND));
        other.setWedged(false);
        cluster.advance(Duration.ofMinutes(15));
        assertThat(received()).containsExactly("MISSED FIRING", "MISSED RESOLVED");
    }

    @Test
    void fireSkippedAfterAnOutageOfAllInstancesIsMissed() {
        schedule(every(MINUTE).misfire(MisfirePolicy.skip()));
        cluster.advance(Duration.ofMinutes(5));
        cluster.instances().forEach(TestCluster.Instance::kill);
        cluster.advance(Duration.ofMinutes(30));
        cluster.join();
        cluster.advance(Duration.ofMinutes(3));

        assertThat(received()).containsExactly("MISSED FIRING", "MISSED RESOLVED");
    }

    @Test
    void lastFireOfAScheduleThatIsSkippedIsMissed() {
        schedule(every(MINUTE)
                .schedule(Schedule.fixedRate(MINUTE).endingAt(START.plus(MINUTE.multipliedBy(6))))
                .misfire(MisfirePolicy.skip()));
        cluster.advance(Duration.ofMinutes(4));
        cluster.instances().forEach(TestCluster.Instance::kill);
        cluster.advance(Duration.ofMinutes(20));
        cluster.join();
        cluster.advance(Duration.ofMinutes(3));
        assertThat(received()).containsExactly("MISSED FIRING");

        cluster.trigger("settle", Map.of());
        cluster.advance(Duration.ofMinutes(3));
        assertThat(received()).containsExactly("MISSED FIRING", "MISSED RESOLVED");
    }

    @Test
    void onlyFireOfAScheduleThatIsSkippedIsMissedAfterTheLimit() {
        schedule(JobConfiguration.newBuilder("settle", 1)
                .schedule(Schedule.fixedRate(MINUTE.multipliedBy(3)).endingAt(START.plus(MINUTE.multipliedBy(4))))
                .misfire(MisfirePolicy.skip()));
        cluster.advance(Duration.ofMinutes(2));
        cluster.instances().forEach(TestCluster.Instance::kill);
        cluster.advance(Duration.ofMinutes(4));
        cluster.join();
        cluster.advance(MINUTE);
        assertThat(received()).isEmpty();
        cluster.advance(Duration.ofMinutes(3));

        assertThat(received()).containsExactly("MISSED FIRING");
    }

    @Test
    void fireThatBeganAfterAnOutageIsLateUntilOneBeginsInTime() {
        schedule(every(Duration.ofHours(1)));
        cluster.advance(Duration.ofMinutes(50));
        cluster.instances().forEach(TestCluster.Instance::kill);
        cluster.advance(Duration.ofMinutes(30));
        cluster.join();
        cluster.advance(Duration.ofMinutes(30));
        assertThat(received()).containsExactly("LATE FIRING");
        assertThat(alarm(AlarmKind.LATE, State.FIRING).since())
                .isBetween(START.plus(Duration.ofMinutes(50)), START.plus(Duration.ofMinutes(80)));

        cluster.advance(Duration.ofHours(1));
        assertThat(received()).containsExactly("LATE FIRING", "LATE RESOLVED");
    }

    @Test
    void fireReportedAsMissedIsNotReportedAsLate() {
        schedule(every(Duration.ofHours(1)));
        cluster.advance(Duration.ofMinutes(50));
        refuseClaims(true);
        cluster.advance(Duration.ofMinutes(30));
        refuseClaims(false);
        cluster.advance(Duration.ofHours(3));

        assertThat(received()).containsExactly("MISSED FIRING", "MISSED RESOLVED");
    }

    @Test
    void triggerThatDoesNotBeginIsMissed() {
        schedule(JobConfiguration.newBuilder("settle", 2));
        cluster.advance(MINUTE);
        refuseClaims(true);
        cluster.trigger("settle", Map.of());
        cluster.advance(Duration.ofMinutes(6));

        assertThat(received()).containsExactly("MISSED FIRING");
    }

    @Tag("slow")
    @Test
    void pauseFreezeDisabledItemAndDrainMissNothing() {
        schedule(every(Duration.ofMinutes(10)));
        cluster.advance(Duration.ofMinutes(5));
        execute(new Command.Pause("settle"));
        cluster.advance(Duration.ofHours(2));
        execute(new Command.Resume("settle"));
        cluster.advance(Duration.ofMinutes(25));
        execute(new Command.Freeze(null));
        cluster.advance(Duration.ofHours(2));
        execute(new Command.Thaw());
        cluster.advance(Duration.ofMinutes(25));
        execute(new Command.DisableItem("settle", "1"));
        cluster.advance(Duration.ofHours(2));
        execute(new Command.EnableItem("settle", "1"));
        cluster.advance(Duration.ofMinutes(25));

        assertThat(received()).isEmpty();
    }

    @Test
    void pauseWithoutCatchingUpMissesNothing() {
        schedule(every(MINUTE).misfire(MisfirePolicy.skip()));
        cluster.advance(Duration.ofMinutes(5));
        execute(new Command.Pause("settle"));
        cluster.advance(Duration.ofHours(2));
        execute(new Command.Resume("settle"));
        cluster.advance(Duration.ofMinutes(25));

        assertThat(received()).isEmpty();
    }

    @Tag("slow")
    @Test
    void jitterDaylightSavingAndEndMissNothing() {
        cluster.close();
        Instant dayBefore = Instant.parse("2026-03-28T18:00:00Z"); // in the next night, Berlin has no 02:30
        cluster = cluster(2, dayBefore);
        schedule(JobConfiguration.newBuilder("settle", 2)
                .schedule(Schedule.cron("0 30 2 * * ?", ZoneId.of("Europe/Berlin"))
                        .jitter(Duration.ofMinutes(50))
                        .endingAt(dayBefore.plus(Duration.ofDays(1)))));
        cluster.advance(Duration.ofHours(36));

        assertThat(received()).isEmpty();
    }

    @Test
    void longRunDoesNotMakeItsOverlappedFiresMissed() {
        cluster.schedule(
                context -> {
                    if (cluster.now().isBefore(START.plus(Duration.ofMinutes(2)))) {
                        cluster.advance(Duration.ofMinutes(40));
                    }
                },
                JobConfiguration.newBuilder("settle", 1)
                        .schedule(Schedule.fixedRate(MINUTE))
                        .build());
        cluster.advance(Duration.ofHours(1));

        assertThat(received()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void otherOrdersOfOperatorsDoNotEndTheAlarmOfAMissedFire(boolean skips) {
        schedule(every(Duration.ofHours(1)).misfire(skips ? MisfirePolicy.skip() : MisfirePolicy.fireOnce()));
        cluster.advance(Duration.ofMinutes(59));
        refuseClaims(true);
        cluster.advance(Duration.ofMinutes(20));
        assertThat(received()).containsExactly("MISSED FIRING");
        execute(new Command.SilenceAlarms("settle", Set.of(AlarmKind.LATE), null));
        cluster.advance(Duration.ofMinutes(1));
        execute(new Command.SetOverride("settle", "description", "x"));
        cluster.advance(Duration.ofMinutes(1));
        execute(new Command.DrainInstance("host-9", null));
        cluster.advance(Duration.ofMinutes(8));

        assertThat(received()).containsExactly("MISSED FIRING");
    }

    @Test
    void releaseFromQuarantineMissesNothing() {
        schedule(every(MINUTE).quarantineAfter(2).alarms(AlarmPolicy.of("FAILING=off")));
        failing.set(true);
        cluster.advance(Duration.ofMinutes(4));
        failing.set(false);
        cluster.advance(Duration.ofMinutes(30));
        execute(new Command.ReleaseItem("settle", "0"));
        cluster.advance(Duration.ofMinutes(5));

        assertThat(received()).containsExactly("QUARANTINED FIRING", "QUARANTINED RESOLVED");
    }

    @Test
    void changeOfTheItemCountThatWaitsForARunMissesNothing() {
        cluster.schedule(
                context -> {
                    if (context.shardingItem() == 0
                            && calls.isEmpty()
                            && cluster.now().isBefore(START.plus(MINUTE))) {
                        execute(new Command.SetOverride("settle", "shardingTotalCount", 3));
                        cluster.advance(Duration.ofMinutes(8));
                    }
                },
                every(Duration.ofSeconds(10)).build());
        cluster.advance(Duration.ofMinutes(15));

        assertThat(received()).isEmpty();
    }

    @Tag("slow")
    @Test
    void oneFailureBeforeALongGapIsNotReportedAtOnce() {
        schedule(JobConfiguration.newBuilder("settle", 2).schedule(Schedule.cron("0 0/10 9-16 * * ?", ZoneOffset.UTC)));
        cluster.advance(Duration.ofHours(16).plusMinutes(39));
        failing.set(true);
        cluster.advance(Duration.ofMinutes(2));
        failing.set(false);
        cluster.advance(Duration.ofMinutes(30));

        assertThat(received()).isEmpty();
    }

    @Test
    void hostileOverrideOfOneJobDoesNotAffectAnother() {
        schedule(every(MINUTE));
        cluster.schedule(
                context -> {},
                JobConfiguration.newBuilder("a-hostile", 1)
                        .schedule(Schedule.fixedRate(MINUTE))
                        .build());
        cluster.advance(MINUTE);
        execute(new Command.Pause("a-hostile"));
        String path = "/jobs/a-hostile/override";
        String data = new String(cluster.tree().read(path).orElseThrow().data(), StandardCharsets.UTF_8);
        write(path, data.replaceAll("\"at\":\"[^\"]*\"", "\"at\":\"9999-12-30T00:00:00Z\""));
        failing.set(true);
        cluster.advance(Duration.ofMinutes(5));

        assertThat(received()).containsExactly("FAILING FIRING");
    }

    // ---- other kinds

    @Test
    void runThatTakesTooLongIsReportedUntilItEnds() {
        cluster.schedule(
                context -> {
                    if (received.isEmpty()) {
                        cluster.advance(Duration.ofMinutes(30));
                    }
                },
                JobConfiguration.newBuilder("settle", 1)
                        .schedule(Schedule.fixedRate(Duration.ofHours(1)))
                        .alarms(AlarmPolicy.defaults().after(AlarmKind.RUNS_TOO_LONG, Duration.ofMinutes(20)))
                        .build());
        cluster.advance(Duration.ofHours(3));

        assertThat(received()).containsExactly("RUNS_TOO_LONG FIRING", "RUNS_TOO_LONG RESOLVED");
        Alarm alarm = alarm(AlarmKind.RUNS_TOO_LONG, State.FIRING);
        Instant limit = alarm.since().plus(Duration.ofMinutes(20));
        assertThat(at(AlarmKind.RUNS_TOO_LONG, State.FIRING)).isBetween(limit, limit.plus(BOUND));
    }

    /** Each run has its own limit, so the alarm ends with its run although another run follows at once. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void alarmOfARunEndsWhileTheNextRunTakesItsTime(boolean newLeader) {
        List<Alarm> duringNext = new ArrayList<>();
        AtomicReference<Instant> ended = new AtomicReference<>();
        cluster.schedule(
                context -> {
                    if (received.isEmpty()) {
                        cluster.advance(Duration.ofMinutes(30));
                        if (newLeader) {
                            cluster.leader().close();
                        }
                        ended.set(cluster.now());
                    } else if (duringNext.isEmpty()) {
                        cluster.advance(Duration.ofMinutes(10));
                        duringNext.addAll(received.keySet());
                    }
                },
                JobConfiguration.newBuilder("settle", 1)
                        .schedule(Schedule.fixedRate(MINUTE))
                        .alarms(AlarmPolicy.of("RUNS_TOO_LONG=PT20M"))
                        .build());
        cluster.advance(Duration.ofHours(1));

        assertThat(duringNext).extracting(Alarm::state).containsExactly(State.FIRING, State.RESOLVED);
        // a new leader reads the alarms ten seconds after it has begun
        assertThat(at(AlarmKind.RUNS_TOO_LONG, State.RESOLVED))
                .isBefore(ended.get().plus(newLeader ? BOUND.multipliedBy(2) : BOUND));
    }

    /** The record contains the start of the run by the owner's clock; the leader judges by the server's. */
    @Test
    void shortRunOfAnOwnerWhoseClockIsBehindIsNotTooLong() {
        cluster.close();
        cluster = cluster(1);
        TestCluster.Instance behind = cluster.join(Duration.ofHours(-1));
        cluster.schedule(
                context -> cluster.advance(Duration.ofMinutes(5)),
                JobConfiguration.newBuilder("settle", 1)
                        .requiredInstances("host=host-1")
                        .schedule(Schedule.fixedRate(Duration.ofMinutes(10)))
                        .alarms(AlarmPolicy.of("RUNS_TOO_LONG=PT20M MISSED=off LATE=off"))
                        .build());
        cluster.advance(Duration.ofHours(3));

        assertThat(received()).isEmpty();
    }

    @Test
    void failuresInARowAreReportedAndEndWithASuccess() {
        schedule(every(MINUTE));
        failing.set(true);
        cluster.advance(Duration.ofSeconds(150));
        assertThat(received()).isEmpty();
        cluster.advance(Duration.ofMinutes(5));
        assertThat(received()).containsExactly("FAILING FIRING");
        assertThat(alarm(AlarmKind.FAILING, State.FIRING).items()).containsExactly("0");

        failing.set(false);
        cluster.advance(Duration.ofMinutes(2));
        assertThat(received()).containsExactly("FAILING FIRING", "FAILING RESOLVED");
    }

    @Tag("slow")
    @Test
    void oneFailureOfARareJobIsReported() {
        schedule(every(Duration.ofHours(12)));
        failing.set(true);
        cluster.advance(Duration.ofHours(13));

        assertThat(received()).containsExactly("FAILING FIRING");
    }

    @Tag("slow")
    @Test
    void oneFailureOfAJobWithALongDelayIsReported() {
        Duration hour = Duration.ofHours(1);
        Map.of(
                        "fixed", Schedule.fixedDelay(hour),
                        "adaptive", Schedule.adaptive(hour, 2),
                        "often", Schedule.fixedDelay(hour.minus(MINUTE)),
                        "growing", Schedule.adaptive(hour.minus(MINUTE), 2))
                .forEach((name, each) ->
                        schedule(JobConfiguration.newBuilder(name, 1).schedule(each)));
        cluster.advance(hour.minus(MINUTE.multipliedBy(2)));
        failing.set(true);
        cluster.advance(MINUTE.multipliedBy(5));

        assertThat(received.keySet()).extracting(Alarm::job).containsExactlyInAnyOrder("fixed", "adaptive");
    }

    @Tag("slow")
    @Test
    void failureOfTheLastRareFireIsReportedForGood() {
        schedule(JobConfiguration.newBuilder("once", 1).schedule(Schedule.once(START.plus(MINUTE))));
        schedule(JobConfiguration.newBuilder("hourly", 1)
                .schedule(Schedule.cron("0 0 * * * ?", ZoneOffset.UTC).endingAt(START.plus(Duration.ofMinutes(125)))));
        failing.set(true);
        cluster.advance(Duration.ofMinutes(130));

        assertThat(received()).containsExactly("FAILING FIRING", "FAILING FIRING");
        assertThat(received.keySet()).extracting(Alarm::job).containsExactly("once", "hourly");
    }

    @Test
    void failureOfTheLastFrequentFireIsNotReportedAtOnce() {
        schedule(JobConfiguration.newBuilder("settle", 2)
                .schedule(Schedule.fixedRate(MINUTE).endingAt(START.plus(MINUTE.multipliedBy(5)))));
        cluster.advance(MINUTE.multipliedBy(4).minusSeconds(30));
        failing.set(true);
        cluster.advance(MINUTE.multipliedBy(10));

        assertThat(received()).isEmpty();
    }

    @Test
    void quarantineIsReportedUntilTheItemIsReleased() {
        schedule(every(MINUTE).quarantineAfter(2).alarms(AlarmPolicy.of("FAILING=off")));
        failing.set(true);
        cluster.advance(Duration.ofMinutes(4));
        assertThat(received()).containsExactly("QUARANTINED FIRING");
        assertThat(alarm(AlarmKind.QUARANTINED, State.FIRING).text())
                .endsWith("no funds; find the cause, then release the item");
        failing.set(false);
        execute(new Command.ReleaseItem("settle", "0"));
        cluster.advance(Duration.ofMinutes(2));

        assertThat(received()).containsExactly("QUARANTINED FIRING", "QUARANTINED RESOLVED");
    }

    @Test
    void quarantineAfterCrashesAdvisesToDisableTheItem() {
        cluster.join();
        cluster.schedule(
                context -> {
                    if (context.shardingItem() == 0) {
                        cluster.instance(context.instanceId()).kill();
                    }
                },
                every(MINUTE).maxAttempts(2).build());
        cluster.advance(Duration.ofMinutes(5));

        assertThat(alarm(AlarmKind.QUARANTINED, State.FIRING).text())
                .contains("2 instances died")
                .endsWith("; disable the item, and release it only after the cause is mended");
    }

    @Test
    void itemsWithoutAnInstanceAreReported() {
        schedule(every(MINUTE).maxItemsPerInstance(1));
        cluster.advance(MINUTE);
        cluster.instances().get(1).kill();
        cluster.advance(Duration.ofMinutes(9));
        assertThat(received()).doesNotContain("UNPLACED FIRING");
        cluster.advance(Duration.ofMinutes(3));
        assertThat(received()).contains("UNPLACED FIRING");
        cluster.join();
        cluster.advance(Duration.ofMinutes(3));
        assertThat(received()).contains("UNPLACED RESOLVED");
    }

    /** An override for more items than the job has. */
    private static final String UNFIT =
            "{\"format\":4,\"removed\":false,\"disabledItems\":[],\"shardingItemParameters\":{\"5\":\"x\"}}";

    @Test
    void missedFireIsReportedWhileTheOverrideDoesNotFitTheDefinition() {
        schedule(every(Duration.ofMinutes(10)));
        cluster.advance(MINUTE);
        new ZkCli(cluster).write("/jobs/settle/override", UNFIT);
        cluster.advance(MINUTE);
        assertThat(cluster.instances()
                        .get(0)
                        .health()
                        .jobs()
                        .get("settle")
                        .reason(JobHealth.Kind.CONFIGURATION_REFUSED))
                .isPresent();
        refuseClaims(true);
        cluster.advance(Duration.ofMinutes(20));

        assertThat(received()).containsExactly("MISSED FIRING");
    }

    @Test
    void jobWithoutAPlanIsReported() {
        ZkCli hand = new ZkCli(cluster);
        hand.write("/jobs/settle", "");
        hand.write("/jobs/settle/override", UNFIT);
        schedule(every(Duration.ofMinutes(10)));
        cluster.advance(Duration.ofMinutes(15));

        assertThat(received()).containsExactly("UNPLACED FIRING");
        assertThat(alarm(AlarmKind.UNPLACED, State.FIRING).text()).contains("has no plan", "health");

        hand.delete("/jobs/settle/override");
        cluster.advance(Duration.ofMinutes(5));
        assertThat(received()).containsExactly("UNPLACED FIRING", "UNPLACED RESOLVED");
    }

    @Test
    void alarmOfItemsWithoutAnInstanceLastsWhenTheLastInstanceLeaves() {
        schedule(every(MINUTE).maxItemsPerInstance(1));
        cluster.advance(MINUTE);
        cluster.instances().get(1).kill();
        cluster.advance(Duration.ofMinutes(12));
        assertThat(received()).contains("UNPLACED FIRING");
        cluster.instances().get(0).engine().unregister("settle");
        cluster.advance(Duration.ofMinutes(5));

        assertThat(received()).doesNotContain("UNPLACED RESOLVED");
    }

    @Test
    void jobWithoutAnInstanceIsReportedAndNotARestart() {
        schedule(every(MINUTE));
        cluster.advance(MINUTE);
        cluster.instances().forEach(instance -> instance.engine().unregister("settle"));
        cluster.advance(Duration.ofMinutes(9));
        assertThat(received()).doesNotContain("NO_INSTANCE FIRING");
        cluster.advance(Duration.ofMinutes(3));
        assertThat(received()).contains("NO_INSTANCE FIRING");
        execute(new Command.Remove("settle"));
        cluster.advance(MINUTE);
        assertThat(received()).contains("NO_INSTANCE RESOLVED");
    }

    @Test
    void longPauseIsReportedUntilItEnds() {
        schedule(every(Duration.ofHours(1)).alarms(AlarmPolicy.of("PAUSED_LONG=PT2H")));
        cluster.advance(MINUTE);
        execute(new Command.Pause("settle"));
        cluster.advance(Duration.ofMinutes(119));
        assertThat(received()).isEmpty();
        cluster.advance(Duration.ofMinutes(2));
        assertThat(received()).containsExactly("PAUSED_LONG FIRING");
        assertThat(alarm(AlarmKind.PAUSED_LONG, State.FIRING).text()).contains("by ");
        execute(new Command.Resume("settle"));
        cluster.advance(MINUTE);
        assertThat(received()).containsExactly("PAUSED_LONG FIRING", "PAUSED_LONG RESOLVED");
    }

    @Test
    void alarmOfARegisteredPauseHasItsReasonUntilAnOperatorPausesTheJob() {
        schedule(every(Duration.ofHours(1))
                .paused(true)
                .pauseReason("migration")
                .alarms(AlarmPolicy.of("PAUSED_LONG=PT2H")));
        cluster.advance(Duration.ofMinutes(121));
        Alarm alarm = alarm(AlarmKind.PAUSED_LONG, State.FIRING);
        assertThat(alarm.text())
                .isEqualTo("the job is paused since " + alarm.since() + " (migration); resume it, or remove it");

        execute(new Command.Resume("settle"));
        cluster.advance(MINUTE);
        received.clear();
        execute(new Command.Pause("settle"));
        cluster.advance(Duration.ofMinutes(121));
        assertThat(alarm(AlarmKind.PAUSED_LONG, State.FIRING).text())
                .contains(" by ")
                .doesNotContain("migration");
    }

    @Test
    void oldOverrideIsReportedUntilItIsTakenBack() {
        schedule(every(Duration.ofHours(1)).alarms(AlarmPolicy.of("OVERRIDE_STALE=PT2H")));
        cluster.advance(MINUTE);
        execute(new Command.SetOverride("settle", "jobParameter", "x"));
        cluster.advance(Duration.ofMinutes(121));
        assertThat(received()).containsExactly("OVERRIDE_STALE FIRING");
        assertThat(alarm(AlarmKind.OVERRIDE_STALE, State.FIRING).text()).contains("jobParameter");
        execute(new Command.RemoveOverride("settle", Set.of("jobParameter")));
        cluster.advance(MINUTE);
        assertThat(received()).containsExactly("OVERRIDE_STALE FIRING", "OVERRIDE_STALE RESOLVED");
    }

    @Test
    void lostHistoryIsReportedUntilAnHourAfterTheLatestLoss() {
        schedule(every(Duration.ofHours(1)));
        cluster.advance(MINUTE);
        Instant lost = cluster.now();
        histories.get(1).historyLost();
        cluster.advance(MINUTE);

        Alarm alarm = alarm(AlarmKind.HISTORY_LOST, State.FIRING);
        assertThat(alarm.job()).isNull();
        assertThat(alarm.text()).contains(cluster.instances().get(1).id());
        assertThat(at(AlarmKind.HISTORY_LOST, State.FIRING)).isBetween(lost, lost.plus(BOUND));
        cluster.leader().kill();
        cluster.advance(Duration.ofMinutes(5));
        cluster.advance(Duration.ofMinutes(60));
        assertThat(received()).containsExactly("HISTORY_LOST FIRING", "HISTORY_LOST RESOLVED");
    }

    @Test
    void kindsThatAreOffAreNotReported() {
        schedule(every(MINUTE).alarms(AlarmPolicy.none()));
        failing.set(true);
        cluster.advance(Duration.ofMinutes(5));
        refuseClaims(true);
        cluster.advance(Duration.ofMinutes(30));

        assertThat(received()).isEmpty();
    }

    // ---- delivery

    @Test
    void failedDeliveryIsRepeatedWithTheSameKeyUntilItSucceeds() {
        schedule(every(MINUTE));
        failing.set(true);
        unreachable.set(true);
        cluster.advance(Duration.ofMinutes(5));
        assertThat(received()).isEmpty();
        assertThat(calls.size()).isGreaterThan(2);
        assertThat(calls.stream().distinct()).hasSize(1);
        unreachable.set(false);
        cluster.advance(Duration.ofMinutes(5));

        assertThat(received()).containsExactly("FAILING FIRING");
        int delivered = calls.size();
        cluster.advance(Duration.ofMinutes(10));
        assertThat(calls).hasSize(delivered);
    }

    @Test
    void logNamesEachReasonForWhichAHandlerFailsOnce() throws Exception {
        schedule(every(MINUTE));
        failing.set(true);
        unreachable.set(true);
        try (InfoLog log = new InfoLog("io.ostraka.core.leader.AlarmDelivery")) {
            cluster.advance(Duration.ofMinutes(10));
            assertThat(log.lines("the receiver is unreachable")).hasSize(1);

            refusal = "the receiver refuses the password";
            cluster.advance(Duration.ofMinutes(10));
            assertThat(log.lines("the receiver refuses the password")).hasSize(1);
            assertThat(log.lines("failed to handle alarm")).hasSize(2);
        }
    }

    @Test
    void alarmThatEndedWhileTheReceiverWasUnreachableIsDeliveredWhole() {
        schedule(every(MINUTE));
        failing.set(true);
        unreachable.set(true);
        cluster.advance(Duration.ofMinutes(5));
        failing.set(false);
        cluster.advance(Duration.ofMinutes(5));
        unreachable.set(false);
        cluster.advance(Duration.ofMinutes(5));

        assertThat(received()).containsExactly("FAILING FIRING", "FAILING RESOLVED");
    }

    @Test
    void nextLeaderDeliversWhatWasNotMarkedAndRepeatsNothingElse() {
        schedule(every(MINUTE));
        failing.set(true);
        cluster.advance(Duration.ofMinutes(5));
        assertThat(received()).containsExactly("FAILING FIRING");
        int delivered = calls.size();
        cluster.leader().kill();
        cluster.advance(Duration.ofMinutes(5));
        assertThat(calls).hasSize(delivered);
        failing.set(false);
        cluster.advance(Duration.ofMinutes(5));

        assertThat(received()).containsExactly("FAILING FIRING", "FAILING RESOLVED");
    }

    @Test
    void damagedNodeIsReplacedAndThePresentProblemCausesANewAlarm() {
        schedule(every(MINUTE));
        failing.set(true);
        cluster.advance(Duration.ofMinutes(5));
        write("/alarms/settle", "{");
        cluster.leader().kill();
        cluster.advance(Duration.ofMinutes(3));

        assertThat(received()).containsExactly("FAILING FIRING", "FAILING FIRING");
        assertThat(received.keySet().stream().map(Alarm::id).distinct()).hasSize(2);
        assertThat(cluster.operations().alarms()).singleElement().satisfies(alarm -> assertThat(alarm.firing())
                .isTrue());
    }

    @Test
    void nodeOfANewerVersionIsNotReplaced() {
        String newer = "{\"format\":9}";
        schedule(every(MINUTE));
        failing.set(true);
        cluster.advance(Duration.ofMinutes(5));
        write("/alarms/settle", newer);
        cluster.leader().kill();
        cluster.advance(Duration.ofMinutes(3));

        assertThat(received()).containsExactly("FAILING FIRING");
        assertThat(new String(
                        cluster.tree().read("/alarms/settle").orElseThrow().data(), StandardCharsets.UTF_8))
                .isEqualTo(newer);
    }

    @Test
    void alarmsOfARemovedJobEndAndTheirNodeIsDeleted() {
        schedule(every(MINUTE));
        failing.set(true);
        cluster.advance(Duration.ofMinutes(5));
        execute(new Command.Remove("settle"));
        cluster.advance(Duration.ofMinutes(2));
        assertThat(received()).containsExactly("FAILING FIRING", "FAILING RESOLVED");
    }

    @Test
    void silencedAlarmIsVisibleAndDeliveredAfterTheSilence() {
        schedule(every(MINUTE));
        cluster.advance(MINUTE);
        Instant until = cluster.now().plus(Duration.ofMinutes(20));
        execute(new Command.SilenceAlarms("settle", Set.of(AlarmKind.FAILING), until));
        failing.set(true);
        cluster.advance(Duration.ofMinutes(10));
        assertThat(received()).isEmpty();
        assertThat(cluster.operations().alarms()).singleElement().satisfies(alarm -> {
            assertThat(alarm.silenced()).isTrue();
            assertThat(alarm.received()).isEmpty();
        });
        cluster.advance(Duration.ofMinutes(12));
        assertThat(received()).containsExactly("FAILING FIRING");
        assertThat(cluster.operations().alarms()).singleElement().satisfies(alarm -> {
            assertThat(alarm.silenced()).isFalse();
            assertThat(alarm.received()).contains("log");
        });
    }

    @Test
    void firingAlarmShowsItsSilenceBeforeTheLeaderHasSeenIt() {
        schedule(every(MINUTE));
        failing.set(true);
        cluster.advance(Duration.ofMinutes(5));
        Instant until = cluster.now().plus(Duration.ofMinutes(20));
        execute(new Command.SilenceAlarms("settle", Set.of(AlarmKind.FAILING), until));
        assertThat(cluster.operations().alarms()).singleElement().satisfies(alarm -> {
            assertThat(alarm.silenced()).isTrue();
            assertThat(alarm.silence())
                    .extracting(Change::by, Change::until)
                    .containsExactly("ann", until.truncatedTo(ChronoUnit.MILLIS));
        });
        assertThat(cluster.operations().problems("settle"))
                .allSatisfy(each -> assertThat(each.level()).isEqualTo(Problem.Level.NOTE));
        execute(new Command.UnsilenceAlarms("settle"));
        assertThat(cluster.operations().alarms()).singleElement().satisfies(alarm -> {
            assertThat(alarm.silenced()).isFalse();
            assertThat(alarm.silence()).isNull();
        });
    }

    @Test
    void endOfAnAlarmThatWasReceivedBeforeTheSilenceIsDelivered() {
        schedule(every(MINUTE));
        failing.set(true);
        cluster.advance(Duration.ofMinutes(5));
        execute(new Command.SilenceAlarms("settle", Set.of(), null));
        failing.set(false);
        cluster.advance(Duration.ofMinutes(5));
        failing.set(true);
        cluster.advance(Duration.ofMinutes(5));
        failing.set(false);
        cluster.advance(Duration.ofMinutes(5));
        assertThat(received()).containsExactly("FAILING FIRING", "FAILING RESOLVED");
        execute(new Command.UnsilenceAlarms("settle"));
        cluster.advance(Duration.ofMinutes(5));
        assertThat(received()).as("an alarm that began and ended silently").hasSize(2);
    }

    @Test
    void silenceHoldsForAHandlerThatWasDownWhenTheAlarmBegan() {
        schedule(every(MINUTE));
        failing.set(true);
        unreachable.set(true);
        cluster.advance(Duration.ofMinutes(5));
        execute(new Command.SilenceAlarms("settle", Set.of(AlarmKind.FAILING), null));
        cluster.advance(MINUTE);
        unreachable.set(false);
        cluster.advance(Duration.ofMinutes(30));
        assertThat(received()).isEmpty();
        assertThat(cluster.operations().alarms()).singleElement().satisfies(alarm -> {
            assertThat(alarm.silenced()).isTrue();
            assertThat(alarm.received()).containsExactly("log");
        });

        failing.set(false);
        cluster.advance(Duration.ofMinutes(5));
        execute(new Command.UnsilenceAlarms("settle"));
        cluster.advance(Duration.ofMinutes(30));
        assertThat(received()).as("the alarm ended in the silence").isEmpty();
    }

    @Test
    void endedAlarmThatWaitsForItsHandlerIsDroppedByASilence() {
        schedule(every(MINUTE));
        failing.set(true);
        unreachable.set(true);
        cluster.advance(Duration.ofMinutes(5));
        failing.set(false);
        cluster.advance(Duration.ofMinutes(5));
        execute(new Command.SilenceAlarms("settle", Set.of(AlarmKind.FAILING), null));
        unreachable.set(false);
        cluster.advance(Duration.ofMinutes(30));
        execute(new Command.UnsilenceAlarms("settle"));
        cluster.advance(Duration.ofMinutes(30));

        assertThat(received()).isEmpty();
    }

    /** The handler works on the message of one job while an operator silences another job, whose message waits. */
    @Test
    void messageThatWaitsBehindASlowOneIsNotSentAfterASilence() {
        cluster.close();
        AtomicBoolean slow = new AtomicBoolean(true);
        cluster = new TestCluster(
                2, START, 0, Extensions.of(BuiltInStrategies.all()).withAlarmHandlers(List.of(alarm -> {
                    received.put(alarm, cluster.now());
                    if (slow.getAndSet(false)) {
                        cluster.advance(Duration.ofSeconds(20)); // the message of the other job waits by now
                        String other = "settle".equals(alarm.job()) ? "report" : "settle";
                        execute(new Command.SilenceAlarms(other, Set.of(), null));
                        cluster.advance(Duration.ofSeconds(20));
                    }
                })));
        failing.set(true);
        schedule(every(MINUTE));
        schedule(JobConfiguration.newBuilder("report", 2).schedule(Schedule.fixedRate(MINUTE)));
        cluster.advance(Duration.ofMinutes(20));

        assertThat(received()).containsExactly("FAILING FIRING");
    }

    @Test
    void alarmsThatAreDroppedAreCountedInHealthLogAndTheNextMessage() throws Exception {
        schedule(every(Duration.ofSeconds(10)));
        unreachable.set(true);
        try (InfoLog log = new InfoLog("io.ostraka.core.leader.AlarmNode")) {
            for (int i = 0; i < 50; i++) {
                failing.set(true);
                cluster.advance(MINUTE);
                failing.set(false);
                cluster.advance(MINUTE);
            }
            assertThat(log.lines("dropped")).singleElement().asString().contains("'settle'", "handler-1");
        }
        assertThat(cluster.leader().health().jobs().get("settle").reason(JobHealth.Kind.ALARMS_DROPPED))
                .hasValueSatisfying(reason -> assertThat(reason.text()).contains("10 alarms", "handler-1"));
        unreachable.set(false);
        cluster.advance(Duration.ofMinutes(30));

        assertThat(received()).hasSize(80);
        assertThat(received.keySet().iterator().next().text())
                .endsWith("; before it, 10 alarms of this kind began and ended that this handler did not receive");
        assertThat(cluster.leader().health().jobs().get("settle").reasons()).isEmpty();
    }

    @Test
    void alarmTellsTheLatestErrorAndItsTime() {
        schedule(every(MINUTE));
        failing.set(true);
        unreachable.set(true);
        cluster.advance(Duration.ofMinutes(5));
        Instant began = cluster.operations().alarms().get(0).began();
        cluster.advance(Duration.ofMinutes(15));

        String text = cluster.operations().alarms().get(0).text();
        assertThat(text)
                .matches("item 0 failed in its last fires, latest at [^ ]+: java.lang.IllegalStateException: no funds");
        Instant latest = Instant.parse(text.replaceAll(".*latest at ([^ ]+): .*", "$1"));
        assertThat(latest).isAfter(began.plus(Duration.ofMinutes(12)));
        unreachable.set(false);
        cluster.advance(Duration.ofMinutes(6));
        assertThat(Instant.parse(
                        alarm(AlarmKind.FAILING, State.FIRING).text().replaceAll(".*latest at ([^ ]+): .*", "$1")))
                .isAfterOrEqualTo(latest);
    }

    @Test
    void lateAlarmLastsWhenTheLateRunIsTriedAgain() {
        cluster.schedule(
                context -> {
                    if (failing.get() && context.attempt() == 1) {
                        throw new IllegalStateException("no funds");
                    }
                },
                every(Duration.ofHours(1)).retry(RetryPolicy.attempts(3)).build());
        cluster.advance(Duration.ofMinutes(50));
        cluster.instances().forEach(TestCluster.Instance::kill);
        cluster.advance(Duration.ofMinutes(30));
        failing.set(true);
        cluster.join();
        cluster.advance(Duration.ofMinutes(30));
        assertThat(received()).containsExactly("LATE FIRING");

        cluster.advance(Duration.ofHours(1));
        assertThat(received()).containsExactly("LATE FIRING", "LATE RESOLVED");
    }

    /** The first attempt began in time, so the takeover after the death of its instance is not late. */
    @Test
    void takeoverOfARunThatBeganInTimeIsNotLate() {
        AtomicBoolean dies = new AtomicBoolean(true);
        cluster.schedule(
                context -> {
                    if (dies.getAndSet(false)) {
                        cluster.advance(Duration.ofMinutes(2));
                        cluster.instances().forEach(TestCluster.Instance::kill);
                    }
                },
                JobConfiguration.newBuilder("settle", 1)
                        .schedule(Schedule.fixedRate(Duration.ofHours(1)))
                        .build());
        cluster.advance(Duration.ofMinutes(90));
        cluster.join();
        cluster.advance(Duration.ofMinutes(20));

        assertThat(received()).doesNotContain("LATE FIRING");
    }

    @ParameterizedTest
    @ValueSource(strings = {"pause", "freeze", "disable"})
    void lateAlarmLastsWhenAnOperatorStopsTheJob(String order) {
        schedule(every(Duration.ofHours(1)));
        cluster.advance(Duration.ofMinutes(50));
        cluster.instances().forEach(TestCluster.Instance::kill);
        cluster.advance(Duration.ofMinutes(30));
        cluster.join();
        cluster.advance(Duration.ofMinutes(2));
        assertThat(received()).containsExactly("LATE FIRING");
        switch (order) {
            case "pause" -> execute(new Command.Pause("settle"));
            case "freeze" -> execute(new Command.Freeze(null));
            default -> {
                execute(new Command.DisableItem("settle", "0"));
                execute(new Command.DisableItem("settle", "1"));
            }
        }
        cluster.advance(Duration.ofMinutes(20));

        assertThat(received()).containsExactly("LATE FIRING");
    }

    @Test
    void alarmOfASkippedFireLastsWhileTheNextOneRuns() {
        AtomicBoolean slow = new AtomicBoolean();
        cluster.schedule(
                context -> {
                    if (slow.getAndSet(false)) {
                        cluster.advance(Duration.ofMinutes(10));
                    }
                },
                JobConfiguration.newBuilder("settle", 1)
                        .schedule(Schedule.fixedRate(MINUTE))
                        .misfire(MisfirePolicy.skip())
                        .build());
        cluster.advance(Duration.ofMinutes(5));
        cluster.instances().forEach(TestCluster.Instance::kill);
        cluster.advance(Duration.ofMinutes(30));
        slow.set(true);
        cluster.join();
        cluster.advance(Duration.ofMinutes(20));

        assertThat(received()).containsExactly("MISSED FIRING", "MISSED RESOLVED");
        assertThat(Duration.between(at(AlarmKind.MISSED, State.FIRING), at(AlarmKind.MISSED, State.RESOLVED)))
                .as("the fire that came after the skipped ones ran for ten minutes")
                .isGreaterThan(Duration.ofMinutes(8));
    }

    /** Edits a node as a person does with zkCli. */
    private void write(String path, String data) {
        InMemoryNodeStore store = cluster.tree().connect("zkCli", Runnable::run);
        store.start(new DeafListener());
        assertThat(store.commit(List.of(
                                new NodeOp.Set(path, data.getBytes(StandardCharsets.UTF_8), NodeOp.ANY_VERSION)))
                        .toCompletableFuture()
                        .join())
                .isInstanceOf(Outcome.Committed.class);
        store.close();
    }

    private void execute(Command command) {
        cluster.operations().execute(command, CommandOptions.by("ann"));
    }
}
