package io.ostraka.core.decide;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.api.SkipReason;
import io.ostraka.core.decide.FireSituation.Interruption;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Skipped;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.schedule.FireSchedules;
import java.time.Duration;
import java.time.Instant;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * Tests a job that fires every 10 s; a fire is misfired from the age of 8 s on. Numbers in comments are seconds after
 * {@link #ZERO}. They also name the fires: 20 is the fire that is due at 20 s.
 */
class FireDecisionTest {
    private static final Instant ZERO = Instant.parse("2024-02-29T12:00:00Z");
    private static final Schedule SCHEDULE = Schedule.fixedRate(Duration.ofSeconds(10));
    private static final String ITEM = "1";
    private static final int TOTAL = 3;
    private static final Due NOTHING = new Due.Nothing(Optional.empty());

    private final JobConfiguration.Builder job = JobConfiguration.newBuilder("job", TOTAL);
    private final List<Trigger> triggers = new ArrayList<>();
    private final Set<String> begun = new HashSet<>();
    private final List<FireStop> stops = new ArrayList<>();
    private JobOverride override = JobOverride.NONE;
    private ShardingPlan plan = planOf(SCHEDULE, ZERO, List.of());
    private ItemRecord record = ItemRecord.fresh(ZERO, 100, 5);
    private Interruption interruption = Interruption.NONE;

    // fires of the schedule

    @Test
    void wakesUpForTheNextFire() {
        assertThat(decide(9.999)).isEqualTo(new Due.Nothing(Optional.of(at(10))));
    }

    @Test
    void fireThatJustCameDueRuns() {
        assertThat(decide(10))
                .isEqualTo(new Due.Start(Fire.scheduled(at(10)), TOTAL, 1, 0, at(10), record.cursor(), List.of()));
    }

    @Test
    void fireUpToTheCursorIsNeverDue() {
        record = ItemRecord.fresh(at(30), 100, 5);

        assertThat(decide(30)).isEqualTo(new Due.Nothing(Optional.of(at(40))));
        assertThat(decide(15)).isEqualTo(new Due.Nothing(Optional.of(at(20))));
    }

    @Test
    void fireBeforeTheScheduleIsNeitherDueNorSkipped() {
        plan = ShardingPlan.of(TOTAL, 5, Scope.SHARDED, SCHEDULE, at(25), 1)
                .madeFrom(1, 0, 0)
                .scheduled(SCHEDULE, at(25), ZERO, List.of());

        assertThat(decide(29)).isEqualTo(new Due.Nothing(Optional.of(at(30))));
        assertThat(start(41).skipped()).containsExactly(new Skipped(at(30), at(30), 1, SkipReason.MISFIRED));
        assertThat(start(31).cursor()).isEqualTo(ZERO);
    }

    /** An operator corrects the schedule while fires are queued. The new schedule drops the queued fires. */
    @Test
    void undecidedFiresOfReplacedScheduleAreSkipped() {
        job.overlap(OverlapPolicy.queue(5));
        record = ran(at(20), at(21), at(95));
        reschedule(Duration.ofSeconds(30), 75);

        assertThat(decide(104.9)).isEqualTo(new Due.Nothing(Optional.of(at(105))));
        assertThat(start(105))
                .isEqualTo(new Due.Start(
                        Fire.scheduled(at(105)),
                        TOTAL,
                        1,
                        0,
                        at(105),
                        at(70),
                        List.of(new Skipped(at(30), at(70), 5, SkipReason.SCHEDULE_CHANGED))));
        record = claimed(start(105), 105).completed(at(106), ItemOutcome.SUCCEEDED, null);
        assertThat(start(135).skipped()).isEmpty();
    }

    @Test
    void firesOfSeveralReplacedSchedulesAreSkippedTogether() {
        reschedule(Duration.ofSeconds(7), 25); // its fires: 32, 39
        reschedule(Duration.ofSeconds(100), 40);
        reschedule(Duration.ofSeconds(10), 50); // 60, 70, 80

        assertThat(start(81).skipped())
                .containsExactly(
                        new Skipped(at(10), at(39), 4, SkipReason.SCHEDULE_CHANGED),
                        new Skipped(at(60), at(70), 2, SkipReason.MISFIRED));
        assertThat(start(81).cursor()).isEqualTo(at(70));
    }

    @Test
    void queuedTriggerSkipsFiresOfReplacedSchedule() {
        triggers.add(trigger("run", 15));
        reschedule(Duration.ofSeconds(30), 45);

        Due.Start start = start(46);
        assertThat(start.fire().id()).isEqualTo("run");
        assertThat(start.skipped()).containsExactly(new Skipped(at(10), at(40), 4, SkipReason.SCHEDULE_CHANGED));
        assertThat(start.cursor()).isEqualTo(at(40));
    }

    // fires that an operator has skipped

    @Test
    void nextClaimSkipsTheFiresBeforeAnOperatorsTime() {
        job.misfire(MisfirePolicy.fireAll(10));
        plan = plan.skippingTo(at(45));

        assertThat(decide(48)).isEqualTo(new Due.Nothing(Optional.of(at(50))));
        assertThat(start(71).fire()).isEqualTo(Fire.scheduled(at(50)));
        assertThat(start(71).skipped()).containsExactly(new Skipped(at(10), at(40), 4, SkipReason.SKIPPED_BY_OPERATOR));
        assertThat(start(71).cursor()).isEqualTo(at(40));
        record = claimed(start(71), 71).completed(at(71.5), ItemOutcome.SUCCEEDED, null);
        assertThat(start(72).fire()).isEqualTo(Fire.scheduled(at(60)));
        assertThat(start(72).skipped()).isEmpty();
    }

    @Test
    void fireAtAnOperatorsTimeStarts() {
        plan = plan.skippingTo(at(50));

        assertThat(decide(49)).isEqualTo(new Due.Nothing(Optional.of(at(50))));
        assertThat(start(50).fire()).isEqualTo(Fire.scheduled(at(50)));
        assertThat(start(50).skipped()).containsExactly(new Skipped(at(10), at(40), 4, SkipReason.SKIPPED_BY_OPERATOR));
    }

    @Test
    void runningFireAndItsTakeoverIgnoreAnOperatorsTime() {
        record = claimed(start(10), 10);
        plan = plan.skippingTo(at(100));

        assertThat(decide(11)).isEqualTo(NOTHING);
        interruption = Interruption.CRASHED;
        assertThat(start(11).fire()).isEqualTo(Fire.scheduled(at(10)));
        assertThat(start(11).attempt()).isEqualTo(2);
    }

    /** If the cursor were in the future, an instance whose clock is behind would skip further fires. */
    @Test
    void triggerBeforeAnOperatorsTimeSkipsOnlyDueFires() {
        plan = plan.skippingTo(at(100));
        triggers.add(trigger("run", 35));

        assertThat(start(36).fire().id()).isEqualTo("run");
        assertThat(start(36).skipped()).containsExactly(new Skipped(at(10), at(30), 3, SkipReason.SKIPPED_BY_OPERATOR));
        assertThat(start(36).cursor()).isEqualTo(at(30));
        record = claimed(start(36), 36).completed(at(37), ItemOutcome.SUCCEEDED, null);
        triggers.clear();
        assertThat(decide(37)).isEqualTo(new Due.Nothing(Optional.of(at(100))));
        assertThat(start(100).skipped())
                .containsExactly(new Skipped(at(40), at(90), 6, SkipReason.SKIPPED_BY_OPERATOR));
    }

    /** The server's clock has set the trigger's time. The clock of the instance may be ahead. */
    @Test
    void triggerSkipsNoFireAfterItsOwnTime() {
        plan = plan.skippingTo(at(100));
        triggers.add(trigger("run", 35));

        assertThat(start(62).fire().id()).isEqualTo("run");
        assertThat(start(62).skipped()).containsExactly(new Skipped(at(10), at(30), 3, SkipReason.SKIPPED_BY_OPERATOR));
        assertThat(start(62).cursor()).isEqualTo(at(30));
    }

    @Test
    void lastFireBeforeAnOperatorsTimeIsRecordedAtItsTime() {
        for (Schedule schedule : List.of(Schedule.once(at(10)), SCHEDULE.endingAt(at(19)))) {
            plan = planOf(schedule, ZERO, List.of()).skippingTo(at(100));

            assertThat(decide(5)).isEqualTo(new Due.Nothing(Optional.of(at(10))));
            Due.Settle settle = (Due.Settle) decide(10);
            assertThat(settle.to().cursor()).isEqualTo(at(10));
            assertThat(settle.to().skipped())
                    .containsExactly(new Skipped(at(10), at(10), 1, SkipReason.SKIPPED_BY_OPERATOR));
        }
    }

    @Test
    void firesOfReplacedScheduleBeforeAnOperatorsTimeKeepTheirReason() {
        reschedule(Duration.ofSeconds(5), 25); // 30, 35, 40, ...
        plan = plan.skippingTo(at(40));

        assertThat(start(41).skipped())
                .containsExactly(
                        new Skipped(at(10), at(20), 2, SkipReason.SCHEDULE_CHANGED),
                        new Skipped(at(30), at(35), 2, SkipReason.SKIPPED_BY_OPERATOR));
    }

    @Test
    void timeBeforeTheCursorSkipsNothing() {
        record = ItemRecord.fresh(at(30), 100, 5);
        plan = plan.skippingTo(at(25));

        assertThat(start(41).skipped()).isEmpty();
    }

    /**
     * Such a schedule counts from the end of the last run. If the operator's time applied, the item would skip one fire
     * after the other without a pause.
     */
    @Test
    void scheduleThatCountsFromTheLastRunIgnoresAnOperatorsTime() {
        for (Schedule schedule :
                List.of(Schedule.fixedDelay(Duration.ofSeconds(10)), Schedule.continuous(Duration.ofSeconds(10)))) {
            plan = planOf(schedule, ZERO, List.of()).skippingTo(at(100));

            assertThat(start(11).skipped()).isEmpty();
        }
    }

    @Test
    void skippedFireCancelsNoRun() {
        job.overlap(OverlapPolicy.cancelRunning());
        record = claimed(start(10), 10);
        plan = plan.skippingTo(at(45));

        JobSnapshot snapshot = new JobSnapshot(
                job.build(),
                override,
                plan,
                1,
                FireSchedules.inForce("job", plan.schedule(), plan),
                Duration.ofSeconds(8),
                false);
        assertThat(Overlap.overtaken(snapshot, ITEM, record.requireRun())).contains(at(50));
    }

    @Test
    void ownerIsBusyFromTheNextFireOnByTheItemsJitter() {
        Schedule jittered = SCHEDULE.jitter(Duration.ofSeconds(5));
        Duration jitter = FireSituation.jitter(jittered, "job", ITEM);
        Due.Start claim = start(10);
        Run run = claimed(claim, 10).requireRun();

        assertThat(busyFrom(SCHEDULE, run)).contains(at(20));
        assertThat(busyFrom(jittered, run)).contains(at(20).plus(jitter));
        assertThat(busyFrom(Schedule.fixedDelay(Duration.ofSeconds(1)), run)).isEmpty();
        Run behind = claimed(claim, 7).requireRun(); // by the owner's clock, which is behind
        assertThat(busyFrom(SCHEDULE, behind)).contains(at(20));
    }

    private static Optional<Instant> busyFrom(Schedule schedule, Run run) {
        ShardingPlan plan = planOf(schedule, ZERO, List.of());
        return Overlap.next("job", ITEM, run, plan, FireSchedules.inForce("job", schedule, plan));
    }

    @Test
    void fireThatRanAheadOfItsTimeDoesNotRunAgain() {
        job.misfire(MisfirePolicy.fireAll(10));
        record = ran(at(60), at(60), at(61)).setBack("ann", "", "r-1", at(35));

        assertThat(decide(35)).isEqualTo(new Due.Nothing(Optional.of(at(40))));
        assertThat(starts(95)).containsExactly(at(40), at(50), at(70), at(80), at(90));
        record = record.skippedTo(at(50), List.of());
        assertThat(start(71).skipped()).containsExactly(new Skipped(at(60), at(60), 1, SkipReason.RAN_AHEAD));
        assertThat(start(71).cursor()).isEqualTo(at(60));
        assertThat(claimed(start(71), 71).setBack())
                .as("the former cursor is passed")
                .isNull();
    }

    @Test
    void itemWithItsCursorSetBackRunsAlthoughItsLastRunEndedInTheFuture() {
        record = ran(at(60), at(12), at(500)).setBack("ann", "", "r-1", at(35));

        assertThat(start(40).fire()).isEqualTo(Fire.scheduled(at(40)));
    }

    @Test
    void yearsOfReplacedScheduleAreCountedUpToTheLimit() {
        plan = planOf(Schedule.cron("* * * * * ?"), ZERO, List.of());
        reschedule(Duration.ofSeconds(30), 100_000_000);

        assertThat(start(100_000_030).skipped())
                .containsExactly(
                        new Skipped(at(1), at(100_000_000), FireTimes.COUNT_LIMIT, SkipReason.SCHEDULE_CHANGED));
    }

    @Test
    void clockBehindLastRunMakesNoFireDueTwice() {
        job.overlap(OverlapPolicy.queue(3)).misfire(MisfirePolicy.fireAll(3));
        record = ran(at(30), at(31), at(45));

        assertThat(decide(20)).isEqualTo(new Due.Nothing(Optional.of(at(30))));
        assertThat(decide(39)).isEqualTo(new Due.Nothing(Optional.of(at(40))));
        // the run ended at 45 by its owner's clock
        assertThat(start(41).fire()).isEqualTo(Fire.scheduled(at(40)));
    }

    // misfires

    @Test
    void fireIsMisfiredFromTheThresholdOn() {
        job.misfire(MisfirePolicy.skip());

        assertThat(start(17.999).fire().at()).isEqualTo(at(10));
        assertThat(decide(18))
                .as("the next claim skips the fire")
                .isEqualTo(new Due.Nothing(
                        Optional.of(at(20)), List.of(new Skipped(at(10), at(10), 1, SkipReason.MISFIRED))));
    }

    @Test
    void lateFireIsMisfiredUnlessTheItemWasBusy() {
        job.misfire(MisfirePolicy.fireAll(5)).overlap(OverlapPolicy.queue(5));
        record = ran(at(10), at(10), at(25));
        assertThat(start(26).fire().at()).isEqualTo(at(20));
        assertThat(start(26).misfired()).as("20 came during the run").isFalse();

        record = ran(at(10), at(10), at(11));
        assertThat(start(41).fire().at()).isEqualTo(at(20));
        assertThat(start(41).misfired()).isTrue();
        record = claimed(start(41), 41).completed(at(42), ItemOutcome.SUCCEEDED, null);
        assertThat(start(42).fire().at()).isEqualTo(at(30));
        assertThat(start(42).misfired()).as("30 is older than the threshold").isTrue();
        record = claimed(start(42), 42).completed(at(43), ItemOutcome.SUCCEEDED, null);
        assertThat(start(43).fire().at()).isEqualTo(at(40));
        assertThat(start(43).misfired()).as("40 is on time").isFalse();
    }

    @Test
    void onlyTheLatestFireCanBeOnTime() {
        job.misfire(MisfirePolicy.skip()).misfireThreshold(Duration.ofHours(1));

        assertThat(start(21))
                .isEqualTo(new Due.Start(
                        Fire.scheduled(at(20)),
                        TOTAL,
                        1,
                        0,
                        at(21),
                        at(10),
                        List.of(new Skipped(at(10), at(10), 1, SkipReason.MISFIRED))));
    }

    @Test
    void fireOnceRunsTheLatestMisfiredFire() {
        assertThat(starts(49)).containsExactly(at(40));
        assertThat(start(49).skipped()).containsExactly(new Skipped(at(10), at(30), 3, SkipReason.MISFIRED));
        assertThat(start(49).cursor()).isEqualTo(at(30));
    }

    @Test
    void fireOnceRunsNoMisfiredFireIfALaterOneIsOnTime() {
        assertThat(starts(41)).containsExactly(at(40));
        assertThat(start(41).skipped()).containsExactly(new Skipped(at(10), at(30), 3, SkipReason.MISFIRED));
    }

    @Test
    void fireAllRunsLatestMisfiredFiresThenTheOneOnTime() {
        job.misfire(MisfirePolicy.fireAll(2));

        assertThat(starts(49)).containsExactly(at(30), at(40));
        assertThat(start(49).skipped()).containsExactly(new Skipped(at(10), at(20), 2, SkipReason.MISFIRED));
        assertThat(starts(41)).containsExactly(at(20), at(30), at(40));
        assertThat(start(41).skipped()).containsExactly(new Skipped(at(10), at(10), 1, SkipReason.MISFIRED));
    }

    @Test
    void fireAllCountsMisfiresBeforeAndAfterARunTogether() {
        job.misfire(MisfirePolicy.fireAll(3));
        // 10 and 20 had come due before the run began, and none during it
        record = ran(at(0), at(21), at(25));

        assertThat(starts(29)).containsExactly(at(10), at(20));
        assertThat(starts(49)).containsExactly(at(20), at(30), at(40));
        assertThat(start(49).skipped()).containsExactly(new Skipped(at(10), at(10), 1, SkipReason.MISFIRED));
        assertThat(starts(69)).containsExactly(at(40), at(50), at(60));
        assertThat(start(69).skipped())
                .containsExactly(
                        new Skipped(at(10), at(20), 2, SkipReason.MISFIRED),
                        new Skipped(at(30), at(30), 1, SkipReason.MISFIRED));
    }

    @Test
    void yearOfMissedFiresIsOneSummaryLine() {
        job.misfire(MisfirePolicy.fireAll(2));
        long fires = Duration.ofDays(366).toSeconds() / 10;

        assertThat(start(fires * 10 + 9).skipped())
                .containsExactly(new Skipped(at(10), at((fires - 2) * 10), fires - 2, SkipReason.MISFIRED));
    }

    // overlaps

    @Test
    void fireDuringARunIsOverlapped() {
        job.misfire(MisfirePolicy.skip());
        record = ran(at(10), at(20), at(30));

        // 20 came due when the run began, and is misfired; 30 came due when the run ended, and is overlapped
        assertThat(start(40).skipped())
                .containsExactly(
                        new Skipped(at(20), at(20), 1, SkipReason.MISFIRED),
                        new Skipped(at(30), at(30), 1, SkipReason.OVERLAPPED));
    }

    @Test
    void skipRunsNoOverlappedFire() {
        record = ran(at(10), at(10), at(35));

        assertThat(decide(35)).isEqualTo(new Due.Nothing(Optional.of(at(40))));
        assertThat(start(40).skipped()).containsExactly(new Skipped(at(20), at(30), 2, SkipReason.OVERLAPPED));
    }

    @Test
    void coalesceRunsTheLatestOverlappedFire() {
        job.overlap(OverlapPolicy.coalesce());
        record = ran(at(10), at(10), at(35));

        assertThat(starts(35)).containsExactly(at(30));
        assertThat(start(35).skipped()).containsExactly(new Skipped(at(20), at(20), 1, SkipReason.COALESCED));
    }

    @Test
    void coalesceRunsNoOverlappedFireIfALaterOneIsOnTime() {
        job.overlap(OverlapPolicy.coalesce());
        record = ran(at(10), at(10), at(35));

        assertThat(starts(40)).containsExactly(at(40));
        assertThat(start(40).skipped()).containsExactly(new Skipped(at(20), at(30), 2, SkipReason.COALESCED));
    }

    @Test
    void queueRunsTheLatestOverlappedFiresInOrder() {
        job.overlap(OverlapPolicy.queue(2));
        record = ran(at(10), at(10), at(45));

        assertThat(starts(45)).containsExactly(at(30), at(40));
        assertThat(start(45).skipped()).containsExactly(new Skipped(at(20), at(20), 1, SkipReason.OVERLAPPED));
    }

    @Test
    void fireOnceRunsLatestMisfireBeforeOverlappedFires() {
        // 20 came due before the run began, and 30 during the run
        record = ran(at(10), at(21), at(35));

        assertThat(starts(35)).containsExactly(at(20));
    }

    @Test
    void fireOnTimeBesideTriggerStaysOnTimeAfterItsRun() {
        job.misfire(MisfirePolicy.skip());
        record = ran(at(0), at(11), at(13));

        assertThat(start(14).fire().at()).isEqualTo(at(10));
    }

    @Test
    void itemIsBusyWhileAnOverlappedFireWaits() {
        job.overlap(OverlapPolicy.queue(2));
        record = ran(at(10), at(10), at(35));
        assertThat(start(35).busySince()).isEqualTo(at(10));

        record = claimed(start(35), 35).completed(at(55), ItemOutcome.SUCCEEDED, null);
        // 30, 40 and 50 are all overlapped, and the queue keeps the latest two
        assertThat(starts(55)).containsExactly(at(40), at(50));
    }

    @Test
    void fireDuringWaitOfOverlappedFireIsOverlapped() {
        job.overlap(OverlapPolicy.queue(2)).misfire(MisfirePolicy.skip());
        record = ran(at(10), at(10), at(35));

        // 40 came due after the run, while 20 and 30 waited in the queue; at 51 it is no longer on time
        record = claimed(start(40), 40).completed(at(51), ItemOutcome.SUCCEEDED, null);
        assertThat(starts(51)).containsExactly(at(40), at(50));
    }

    @Test
    void fireBetweenRunsIsNotOverlappedByTheNextRun() {
        job.misfire(MisfirePolicy.fireAll(2));
        // 20 is a misfired fire that has not run yet; no run was active at 30
        record = ran(at(10), at(25), at(28));
        record = claimed(start(31), 31).completed(at(32), ItemOutcome.SUCCEEDED, null);

        assertThat(record.cursor()).isEqualTo(at(20));
        assertThat(starts(32)).containsExactly(at(30));
    }

    // triggers

    @Test
    void triggersRunOnceEachOldestFirst() {
        triggers.add(trigger("first", 3));
        triggers.add(trigger("second", 4));

        assertThat(decide(5))
                .isEqualTo(new Due.Start(triggers.get(0).fire(), TOTAL, 1, 0, at(5), record.cursor(), List.of()));
        record = claimed(start(5), 5).completed(at(6), ItemOutcome.SUCCEEDED, null);
        assertThat(start(6).fire()).isEqualTo(triggers.get(1).fire());
        record = claimed(start(6), 6).completed(at(7), ItemOutcome.SUCCEEDED, null);
        assertThat(decide(7)).isEqualTo(new Due.Nothing(Optional.of(at(10))));
        assertThat(record.cursor()).isEqualTo(ZERO);
    }

    @Test
    void triggerForOtherItemsIsSkipped() {
        triggers.add(trigger("others", 3, "0", "2"));
        triggers.add(trigger("mine", 4, ITEM));

        assertThat(start(5).fire().id()).isEqualTo("mine");
    }

    @Test
    void triggerOfUnknownItemsIsEndedByFirstItem() {
        triggers.add(trigger("nobodys", 3, "7"));
        triggers.add(trigger("mine", 4, ITEM));

        Due.Settle settle = (Due.Settle) decide(5);
        assertThat(settle.fire().id()).isEqualTo("nobodys");
        assertThat(settle.to().skipped()).extracting(Skipped::reason).containsExactly(SkipReason.NOT_CONCERNED);
        record = settle.to();
        assertThat(start(5).fire().id()).isEqualTo("mine");
    }

    @Test
    void triggerForAnotherItemCountIsSkipped() {
        triggers.add(trigger("others", 3, request -> request.rerunning("fire", TOTAL + 1)));
        triggers.add(
                trigger("mine", 4, request -> request.rerunning("fire", TOTAL).at(at(1))));

        Due.Settle settle = (Due.Settle) decide(5);
        assertThat(settle.to().skipped()).extracting(Skipped::reason).containsExactly(SkipReason.ITEM_COUNT_CHANGED);
        assertThat(settle.to().cursor()).isEqualTo(record.cursor());
        record = settle.to();
        assertThat(start(5).fire().id()).isEqualTo("mine");
        assertThat(start(5).fire().logicalTime()).isEqualTo(at(1));
    }

    @Test
    void triggerForNumberedItemsIsSkippedInAnotherScope() {
        plan = ShardingPlan.of(TOTAL, 5, Scope.BROADCAST, SCHEDULE, ZERO, 1)
                .madeFrom(1, 0, 0)
                .scheduled(SCHEDULE, ZERO, ZERO, List.of());
        triggers.add(trigger("numbered", 3, request -> request.rerunning("fire", TOTAL)));

        Due.Settle settle = (Due.Settle) decide(5);
        assertThat(settle.to().skipped()).extracting(Skipped::reason).containsExactly(SkipReason.ITEM_COUNT_CHANGED);
    }

    @Test
    void triggerCreatedAfterItsTimeLimitIsSkipped() {
        triggers.add(trigger("late", 3, request -> request.within(at(2.999))));
        triggers.add(trigger("in-time", 4, request -> request.within(at(4))));

        Due.Settle settle = (Due.Settle) decide(5);
        assertThat(settle.to().skipped()).extracting(Skipped::reason).containsExactly(SkipReason.NOT_CONCERNED);
        record = settle.to();
        assertThat(start(5).fire().id()).isEqualTo("in-time");
    }

    @Test
    void triggersAndFiresRunInOrderOfTheirInstants() {
        triggers.add(trigger("run", 12));

        assertThat(start(13).fire()).isEqualTo(Fire.scheduled(at(10)));
        // at 21, 20 is on time and 10 is not
        assertThat(start(21).fire().id()).isEqualTo("run");
        assertThat(starts(13)).containsExactly(at(10), at(12));
    }

    @Test
    void triggerRunsBeforeFireOfTheSameInstant() {
        triggers.add(trigger("run", 10));

        assertThat(start(10).fire().id()).isEqualTo("run");
    }

    @Test
    void triggerSkipsEarlierFiresThatNoPolicyKeeps() {
        record = ran(at(10), at(10), at(35));
        triggers.add(trigger("run", 36));

        assertThat(start(41))
                .isEqualTo(new Due.Start(
                        triggers.get(0).fire(),
                        TOTAL,
                        1,
                        0,
                        at(41),
                        at(30),
                        List.of(new Skipped(at(20), at(30), 2, SkipReason.OVERLAPPED))));
        // 40 came due while no run was active
        record = claimed(start(41), 41).completed(at(42), ItemOutcome.SUCCEEDED, null);
        assertThat(starts(42)).containsExactly(at(40));
    }

    @Test
    void triggerSkipsAllEarlierFiresIfNoneIsKept() {
        job.misfire(MisfirePolicy.skip());
        triggers.add(trigger("run", 25));

        assertThat(start(39).cursor()).isEqualTo(at(20));
        assertThat(start(39).skipped()).containsExactly(new Skipped(at(10), at(20), 2, SkipReason.MISFIRED));
        // by a clock that is behind the server's, only the first fire has come due
        assertThat(start(19).cursor()).isEqualTo(at(10));
    }

    @Test
    void triggerSkipsNoLaterFireUnderAClockAhead() {
        triggers.add(trigger("run", 5));

        assertThat(start(3_600).cursor()).isEqualTo(ZERO);
        assertThat(start(3_600).skipped()).isEmpty();
    }

    @Test
    void skipRunsNoFireOverlappedByATrigger() {
        record = ran(at(10), at(10), at(35));
        triggers.add(trigger("run", 15));

        record = claimed(start(35), 35).completed(at(36), ItemOutcome.SUCCEEDED, null);
        assertThat(decide(36)).isEqualTo(new Due.Nothing(Optional.of(at(40))));
        assertThat(start(40).skipped()).containsExactly(new Skipped(at(20), at(30), 2, SkipReason.OVERLAPPED));
    }

    @Test
    void overlappedFiresStayInTheQueueWhileATriggerRuns() {
        job.overlap(OverlapPolicy.queue(3)).misfire(MisfirePolicy.skip());
        record = ran(at(10), at(10), at(35));
        triggers.add(trigger("run", 15));

        assertThat(start(35).fire().id()).isEqualTo("run");
        assertThat(start(35).skipped()).isEmpty();
        record = claimed(start(35), 35).completed(at(45), ItemOutcome.SUCCEEDED, null);
        assertThat(starts(45)).containsExactly(at(20), at(30), at(40));
    }

    // an operator's changes

    @Test
    void pausedJobRunsOnlyTriggers() {
        override = JobOverride.NONE.withPaused(true);
        assertThat(decide(10)).isEqualTo(NOTHING);

        triggers.add(trigger("run", 12));
        assertThat(start(13).fire().id()).isEqualTo("run");
    }

    @Test
    void disabledItemSkipsEachTriggerWithReason() {
        override = JobOverride.NONE.withDisabledItems(Set.of(ITEM));
        assertThat(decide(10)).isEqualTo(NOTHING);

        triggers.add(trigger("run", 12));
        assertThat(decide(13))
                .isEqualTo(new Due.Settle(
                        triggers.get(0).fire(),
                        record.skipped(triggers.get(0).fire(), SkipReason.DISABLED),
                        ItemOutcome.SKIPPED));
        override = JobOverride.NONE.withDisabledItems(Set.of("0"));
        assertThat(start(13).fire().at()).isEqualTo(at(10));
    }

    @Test
    void quarantinedItemSkipsEachTriggerWithReason() {
        record = in(ItemState.QUARANTINED, 5);
        assertThat(decide(10)).isEqualTo(NOTHING);

        triggers.add(trigger("run", 12));
        Due.Settle settle = (Due.Settle) decide(13);
        assertThat(settle.outcome()).isEqualTo(ItemOutcome.SKIPPED);
        assertThat(settle.to()).isEqualTo(record.skipped(triggers.get(0).fire(), SkipReason.QUARANTINED));
        assertThat(settle.to().state()).isEqualTo(ItemState.QUARANTINED);
        assertThat(settle.to().triggerCursor()).isEqualTo(triggers.get(0).zxid());
        record = settle.to();
        assertThat(decide(13)).isEqualTo(NOTHING);
    }

    // another incarnation

    @Test
    void retiredItemRunsNoFire() {
        record = in(ItemState.RETIRED, 5);
        triggers.add(trigger("run", 3));

        assertThat(decide(10)).isEqualTo(NOTHING);
    }

    @Test
    void recordOfOtherIncarnationRunsNoFire() {
        triggers.add(trigger("run", 3));
        record = in(ItemState.IDLE, 4);
        assertThat(decide(10)).isEqualTo(NOTHING);

        record = in(ItemState.IDLE, 6).claimed(run(Fire.scheduled(at(10)), at(10), at(10)), ZERO, List.of());
        interruption = Interruption.CRASHED;
        assertThat(decide(12)).isEqualTo(NOTHING);
    }

    @Test
    void closedPlanContinuesOnlyBegunFires() {
        plan = plan.closedFor(new ShardingPlan.Change(7, 6, at(5)));
        triggers.add(trigger("begun", 6));
        triggers.add(trigger("waits", 7));
        assertThat(decide(10)).isEqualTo(NOTHING);

        begun.add("begun");
        assertThat(start(10).fire().id()).isEqualTo("begun");
        assertThat(start(10).total()).isEqualTo(TOTAL);

        // a younger trigger that must end does not overtake: its claim would decide the older trigger without a run
        begun.clear();
        begun.add("waits");
        assertThat(start(10).fire().id()).isEqualTo("begun");
    }

    @Test
    void removedJobStartsNoItemOfBegunTrigger() {
        plan = plan.closedFor(new ShardingPlan.Change(0, 6, at(5)));
        triggers.add(trigger("begun", 6));
        begun.add("begun");

        Due.Settle settle = (Due.Settle) decide(10);
        assertThat(settle.outcome()).isEqualTo(ItemOutcome.SKIPPED);
        assertThat(settle.to().skipped()).extracting(Skipped::reason).containsExactly(SkipReason.REMOVED);
    }

    // takeovers

    @Test
    void runningFireIsNotDisturbedByDueFires() {
        record = running(10, 1, 0);
        triggers.add(trigger("run", 12));

        assertThat(decide(35)).isEqualTo(NOTHING);
    }

    @Test
    void interruptedFireRunsAgainUnchanged() {
        record = running(10, 1, 0);
        interruption = Interruption.CRASHED;

        assertThat(decide(35))
                .isEqualTo(
                        new Due.Start(record.requireRun().fire(), 2, 2, 1, at(10), record.cursor(), record.skipped()));
    }

    @Test
    void handoverCountsAsNoCrash() {
        record = running(10, 7, 2).handedOver();
        interruption = Interruption.GIVEN_UP;

        assertThat(start(35).attempt()).isEqualTo(8);
        assertThat(start(35).crashes()).isEqualTo(2);
    }

    @Test
    void crashLimitQuarantinesTheItem() {
        record = running(10, 9, 1);
        interruption = Interruption.CRASHED;
        assertThat(start(35).crashes()).isEqualTo(2);

        record = running(10, 9, 2);
        Due.Settle settle = (Due.Settle) decide(35);
        assertThat(settle.fire()).isEqualTo(record.requireRun().fire());
        assertThat(settle.outcome()).isEqualTo(ItemOutcome.CRASHED);
        assertThat(settle.to())
                .isEqualTo(record.quarantined(at(35), "3 instances died running this fire, most recently host@1@s"));
        assertThat(settle.to().state()).isEqualTo(ItemState.QUARANTINED);
        assertThat(settle.to().cursor()).isEqualTo(at(10));
    }

    @Test
    void interruptedFireEndsIfFailoverIsOff() {
        job.failover(false);
        record = running(10, 1, 0);
        interruption = Interruption.CRASHED;

        Due.Settle settle = (Due.Settle) decide(19);
        assertThat(settle.fire()).isEqualTo(record.requireRun().fire());
        assertThat(settle.outcome()).isEqualTo(ItemOutcome.INTERRUPTED);
        assertThat(settle.to())
                .isEqualTo(record.completed(at(19), ItemOutcome.INTERRUPTED, "owner host@1@s ended during the run"));
        assertThat(settle.to().cursor()).isEqualTo(at(10));
        record = settle.to();
        interruption = Interruption.NONE;
        assertThat(decide(19)).isEqualTo(new Due.Nothing(Optional.of(at(20))));
    }

    @Test
    void interruptedFireOfDisabledItemOrRemovedJobEnds() {
        record = running(10, 1, 0);
        interruption = Interruption.GIVEN_UP;
        override = JobOverride.NONE.withDisabledItems(Set.of(ITEM));
        assertThat(((Due.Settle) decide(19)).outcome()).isEqualTo(ItemOutcome.INTERRUPTED);

        override = JobOverride.NONE;
        plan = plan.closedFor(new ShardingPlan.Change(0, 6, at(5)));
        assertThat(((Due.Settle) decide(19)).outcome()).isEqualTo(ItemOutcome.INTERRUPTED);
    }

    @Test
    void interruptedFireRunsAgainWhilePausedOrChanging() {
        record = running(10, 1, 0);
        interruption = Interruption.CRASHED;
        override = JobOverride.NONE.withPaused(true);
        plan = plan.closedFor(new ShardingPlan.Change(7, 6, at(5)));

        assertThat(start(19).fire()).isEqualTo(record.requireRun().fire());
    }

    @Test
    void interruptedTriggerRunsAgainFirst() {
        triggers.add(trigger("run", 3));
        record = claimed(start(4), 4);
        interruption = Interruption.CRASHED;
        assertThat(start(19).fire().id()).isEqualTo("run");

        record = claimed(start(19), 19).completed(at(19), ItemOutcome.SUCCEEDED, null);
        interruption = Interruption.NONE;
        assertThat(decide(19)).isEqualTo(new Due.Nothing(Optional.of(at(20))));
    }

    // the catch-up window

    @Test
    void firesBeforeTheCatchUpWindowAreAlwaysSkipped() {
        job.misfire(MisfirePolicy.fireAll(5)).catchUpWindow(Duration.ofSeconds(25));
        assertThat(starts(69)).containsExactly(at(50), at(60));
        assertThat(start(69).skipped()).containsExactly(new Skipped(at(10), at(40), 4, SkipReason.MISFIRED));

        job.misfire(MisfirePolicy.fireOnce());
        assertThat(starts(69)).containsExactly(at(60));
        job.catchUpWindow(Duration.ofSeconds(8));
        assertThat(decide(69))
                .isEqualTo(new Due.Nothing(
                        Optional.of(at(70)), List.of(new Skipped(at(10), at(60), 6, SkipReason.MISFIRED))));
        assertThat(starts(71)).containsExactly(at(70));
        assertThat(start(71).skipped()).containsExactly(new Skipped(at(10), at(60), 6, SkipReason.MISFIRED));
    }

    // a single fire

    @Test
    void singleFireRunsHoweverLate() {
        plan = planOf(Schedule.once(at(20)), ZERO, List.of());
        for (OverlapPolicy overlap : List.of(OverlapPolicy.skip(), OverlapPolicy.cancelRunning())) {
            job.misfire(MisfirePolicy.skip()).overlap(overlap).catchUpWindow(Duration.ofSeconds(5));

            record = ItemRecord.fresh(ZERO, 100, 5);
            assertThat(starts(100_000)).containsExactly(at(20));
            assertThat(start(100_000).skipped()).isEmpty();

            record = ran(ZERO, at(10), at(30)); // a record written by hand
            assertThat(starts(40)).containsExactly(at(20));
            assertThat(start(40).skipped()).isEmpty();
        }
    }

    /** The cost of a decision does not depend on the number of triggers that wait. */
    @Test
    void looksAtFewOfManyWaitingTriggers() {
        int[] looks = {0};
        List<Trigger> waiting = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            waiting.add(trigger("run-" + i, i));
        }
        JobSnapshot snapshot = snapshot();
        List<Trigger> counted = new AbstractList<>() {
            @Override
            public Trigger get(int index) {
                looks[0]++;
                return waiting.get(index);
            }

            @Override
            public int size() {
                return waiting.size();
            }
        };
        Due due = FireDecision.decide(
                new FireSituation(snapshot, ITEM, record, interruption, counted, begun, stops, at(2_000), false));
        assertThat(((Due.Start) due).fire()).isNotNull();
        assertThat(looks[0]).isLessThanOrEqualTo(3);
    }

    /** The cost of a decision does not depend on the number of fires that the misfire policy keeps. */
    @Test
    void listsFewOfManyMissedFires() {
        listsFew(Schedule.fixedRate(Duration.ofSeconds(10)));
        record = ItemRecord.fresh(ZERO, 100, 5);
        listsFew(Schedule.cron("0/10 * * * * ?"));
    }

    private void listsFew(Schedule schedule) {
        int most = 1_000_000;
        job.misfire(MisfirePolicy.fireAll(most));
        FireTimes all = FireSchedules.of("job", schedule, at(0));
        int[] listed = {0};
        FireTimes times = new FireTimes() {
            @Override
            public Optional<Instant> next(Instant after) {
                return all.next(after);
            }

            @Override
            public List<Instant> latest(Instant after, Instant upTo, int max) {
                List<Instant> latest = all.latest(after, upTo, max);
                listed[0] += latest.size();
                return latest;
            }

            @Override
            public long count(Instant after, Instant upTo) {
                return all.count(after, upTo);
            }

            @Override
            public long shortestGap() {
                return all.shortestGap();
            }
        };
        JobSnapshot snapshot = new JobSnapshot(job.build(), override, plan, 1, times, Duration.ofSeconds(8), false);
        for (int i = 1; i <= 3; i++) {
            Due.Start start = (Due.Start) FireDecision.decide(new FireSituation(
                    snapshot, ITEM, record, interruption, triggers, begun, stops, at(most / 2 + i), false));
            assertThat(start.fire().at()).isEqualTo(at(10 * i));
            record = claimed(start, most / 2 + i).completed(at(most / 2 + i), ItemOutcome.SUCCEEDED, null);
        }
        assertThat(listed[0]).isLessThan(20);
    }

    // stops by an operator

    @Test
    void stoppedFireThatTheItemHasNotBegunIsSkippedAtOnce() {
        stop(null, Fire.scheduled(at(20)));

        assertThat(starts(15)).containsExactly(at(10));
        Due.Settle skipped = (Due.Settle) decide(25);
        assertThat(skipped.outcome()).isEqualTo(ItemOutcome.SKIPPED);
        assertThat(skipped.to().cursor()).isEqualTo(at(20));
        assertThat(skipped.to().skipped())
                .containsExactly(
                        new Skipped(at(10), at(10), 1, SkipReason.MISFIRED),
                        new Skipped(at(20), at(20), 1, SkipReason.STOPPED));
        record = skipped.to();
        assertThat(starts(30)).containsExactly(at(30));
    }

    @Test
    void stopOfAnotherItemFireOrIncarnationChangesNothing() {
        Due.Start start = start(10);
        stop("2", Fire.scheduled(at(10)));
        stop(ITEM, Fire.scheduled(at(20)));
        stop(ITEM, Fire.scheduled(at(0)));
        stops.add(new FireStop("job", ITEM, FireProgress.nodeOf(Fire.scheduled(at(10)), 4), null));

        assertThat(decide(10)).isEqualTo(start);
    }

    @Test
    void stoppedTriggerIsSkippedAndTheNextOneRuns() {
        triggers.add(trigger("stopped", 3));
        triggers.add(trigger("next", 4));
        stop(ITEM, triggers.get(0).fire());

        Due.Settle skipped = (Due.Settle) decide(5);
        assertThat(skipped.to().triggerCursor()).isEqualTo(triggers.get(0).zxid());
        assertThat(skipped.to().skipped()).containsExactly(new Skipped(at(3), at(3), 1, SkipReason.STOPPED));
        record = skipped.to();
        assertThat(start(5).fire().id()).isEqualTo("next");
    }

    @Test
    void stoppedFireOlderThanTriggerIsSkippedFirst() {
        triggers.add(trigger("run", 12));
        stop(ITEM, Fire.scheduled(at(10)));

        Due.Settle skipped = (Due.Settle) decide(13);
        assertThat(skipped.to().cursor()).isEqualTo(at(10));
        record = skipped.to();
        assertThat(start(13).fire().id()).isEqualTo("run");
    }

    @Test
    void stoppedFireThatWasInterruptedEndsAsCancelled() {
        job.maxAttempts(3);
        for (Interruption how : List.of(Interruption.CRASHED, Interruption.GIVEN_UP)) {
            for (boolean failover : List.of(true, false)) {
                job.failover(failover);
                interruption = how;
                record = running(10, 3, 2);
                stops.clear();
                stop(null, record.requireRun().fire());

                Due.Settle ended = (Due.Settle) decide(30);
                assertThat(ended.outcome()).isEqualTo(ItemOutcome.CANCELLED);
                assertThat(ended.to().state()).isEqualTo(ItemState.IDLE);
                assertThat(ended.to().outcome()).isEqualTo(ItemOutcome.CANCELLED);
                assertThat(ended.to().cursor()).isEqualTo(at(10));
                assertThat(ended.to().error())
                        .isEqualTo("stopped by alice: wrong data; its owner host@1@s had left it unfinished");
                record = ItemRecord.fresh(ZERO, 100, 5);
            }
        }
    }

    @Test
    void stoppedFireThatStillRunsIsLeftToItsOwner() {
        record = running(10, 1, 0);
        stop(null, record.requireRun().fire());

        assertThat(decide(30)).isEqualTo(NOTHING);
    }

    private void stop(String item, Fire fire) {
        stops.add(new FireStop(
                "job",
                item,
                FireProgress.nodeOf(fire, record.incarnation()),
                new FireStop.Request("alice", "wrong data", ZERO)));
    }

    // the jitter

    @Test
    void jitterDelaysTheStartOnly() {
        plan = planOf(SCHEDULE.jitter(Duration.ofSeconds(5)), ZERO, List.of());
        Instant start = at(10).plus(jitter());
        assertThat(jitter()).isPositive().isLessThan(Duration.ofSeconds(5));

        assertThat(decide(start.minusMillis(1))).isEqualTo(new Due.Nothing(Optional.of(start)));
        Due.Start due = (Due.Start) decide(start);
        assertThat(due.fire()).isEqualTo(Fire.scheduled(at(10)));
        assertThat(due.busySince()).isEqualTo(start);
    }

    /** With jitter, an item decides like an item without jitter at an earlier time. */
    @Test
    void jitterShiftsEveryDecision() {
        long seed = Long.getLong("ostraka.seed", new SplittableRandom().nextLong());
        SplittableRandom random = new SplittableRandom(seed);
        List<OverlapPolicy> overlaps = List.of(OverlapPolicy.skip(), OverlapPolicy.coalesce(), OverlapPolicy.queue(2));
        List<MisfirePolicy> misfires =
                List.of(MisfirePolicy.skip(), MisfirePolicy.fireOnce(), MisfirePolicy.fireAll(2));
        for (int round = 0; round < 2_000; round++) {
            job.overlap(overlaps.get(random.nextInt(3))).misfire(misfires.get(random.nextInt(3)));
            int startedAt = random.nextInt(1, 60);
            int endedAt = startedAt + random.nextInt(40);
            int now = endedAt + random.nextInt(40);
            int triggerAt = random.nextInt(90);
            boolean triggered = random.nextBoolean();
            Duration later = Duration.ZERO;
            List<Due> dues = new ArrayList<>();
            for (Schedule schedule : List.of(SCHEDULE, SCHEDULE.jitter(Duration.ofSeconds(30)))) {
                plan = planOf(schedule, ZERO, List.of());
                later = jitter();
                record = ran(ZERO, at(startedAt).plus(later), at(endedAt).plus(later));
                triggers.clear();
                if (triggered) {
                    triggers.add(new Trigger(
                            "t",
                            200,
                            at(triggerAt).plus(later),
                            new Trigger.Request("job", "run", Map.of(), Set.of())));
                }
                dues.add(decide(at(now).plus(later)));
            }
            assertThat(dues.get(1)).as("seed %s", seed).isEqualTo(later(dues.get(0), later));
        }
    }

    private Duration jitter() {
        return Jitter.of(plan.schedule(), "job", ITEM);
    }

    private static Due later(Due due, Duration by) {
        if (due instanceof Due.Nothing nothing) {
            return new Due.Nothing(nothing.wakeAt().map(at -> at.plus(by)), nothing.skipping());
        }
        Due.Start start = (Due.Start) due;
        Fire fire = start.fire();
        return new Due.Start(
                fire.triggered() ? new Fire(fire.id(), fire.at().plus(by), fire.triggerZxid(), Map.of()) : fire,
                start.total(),
                start.attempt(),
                start.crashes(),
                start.busySince().plus(by),
                start.cursor(),
                start.skipped(),
                start.misfired());
    }

    @Test
    void itemsOfManyJobsSpreadOverTheJitter() {
        Schedule schedule = SCHEDULE.jitter(Duration.ofSeconds(10));
        Integer[] perSecond = Collections.nCopies(10, 0).toArray(Integer[]::new);
        for (int each = 0; each < 1_000; each++) {
            perSecond[
                    (int) Jitter.of(schedule, "job-" + each / 100, Integer.toString(each % 100))
                            .toSeconds()]++;
        }
        assertThat(perSecond).allSatisfy(count -> assertThat(count).isBetween(70, 130));
    }

    // the situation

    /** Returns the fires that an owner starts one after the other at the given time. Each run ends at once. */
    private List<Instant> starts(double seconds) {
        ItemRecord before = record;
        List<Instant> starts = new ArrayList<>();
        while (decide(seconds) instanceof Due.Start start) {
            starts.add(start.fire().at());
            record = claimed(start, seconds).completed(at(seconds), ItemOutcome.SUCCEEDED, null);
        }
        record = before;
        return starts;
    }

    /** Replaces the schedule by one with the given period. */
    private void reschedule(Duration period, double seconds) {
        List<ShardingPlan.Former> former = new ArrayList<>(plan.former());
        former.add(0, new ShardingPlan.Former(plan.schedule(), plan.anchor(), plan.since(), at(seconds)));
        plan = planOf(Schedule.fixedRate(period), at(seconds), former);
    }

    private static ShardingPlan planOf(Schedule schedule, Instant since, List<ShardingPlan.Former> former) {
        return ShardingPlan.of(TOTAL, 5, Scope.SHARDED, schedule, since, 1)
                .madeFrom(1, 0, 0)
                .scheduled(schedule, since, since, former);
    }

    private Due.Start start(double seconds) {
        return (Due.Start) decide(seconds);
    }

    private Due decide(double seconds) {
        return decide(at(seconds));
    }

    private JobSnapshot snapshot() {
        return new JobSnapshot(
                job.build(),
                override,
                plan,
                1,
                FireSchedules.inForce("job", plan.schedule(), plan),
                job.build().misfireThreshold().orElse(Duration.ofSeconds(8)),
                false);
    }

    private Due decide(Instant now) {
        return FireDecision.decide(
                new FireSituation(snapshot(), ITEM, record, interruption, triggers, begun, stops, now, false));
    }

    private ItemRecord claimed(Due.Start start, double seconds) {
        return record.claimed(
                new Run(
                        start.fire(),
                        start.total(),
                        start.attempt(),
                        start.crashes(),
                        "host@1@s",
                        "nonce",
                        at(seconds),
                        start.busySince(),
                        1,
                        0,
                        0),
                start.cursor(),
                start.skipped());
    }

    private ItemRecord in(ItemState state, long incarnation) {
        return record.rewritten(state, record.cursor(), record.triggerCursor(), incarnation);
    }

    /** Returns a record whose last run was for the given fire, and started and ended at the given instants. */
    private static ItemRecord ran(Instant fire, Instant startedAt, Instant endedAt) {
        return ItemRecord.fresh(ZERO, 100, 5)
                .claimed(run(Fire.scheduled(fire), startedAt, startedAt), ZERO, List.of())
                .completed(endedAt, ItemOutcome.SUCCEEDED, null);
    }

    private ItemRecord running(int fire, int attempt, int crashes) {
        Run run = new Run(
                Fire.scheduled(at(fire)), 2, attempt, crashes, "host@1@s", "nonce", at(fire + 1), at(fire), 1, 0, 0);
        return record.claimed(run, record.cursor(), List.of(new Skipped(at(1), at(2), 3, SkipReason.OVERLAPPED)));
    }

    private static Run run(Fire fire, Instant startedAt, Instant busySince) {
        return new Run(fire, TOTAL, 1, 0, "host@1@s", "nonce", startedAt, busySince, 1, 0, 0);
    }

    private static Trigger trigger(String runId, int seconds, UnaryOperator<Trigger.Request> how) {
        Trigger plain = trigger(runId, seconds);
        return new Trigger(plain.name(), plain.zxid(), plain.at(), how.apply(plain.request()));
    }

    private static Trigger trigger(String runId, int seconds, String... items) {
        return new Trigger(
                "node-of-" + runId,
                101 + seconds,
                at(seconds),
                new Trigger.Request("job", runId, Map.of("key", "value"), Set.of(items)));
    }

    private static Instant at(double seconds) {
        return ZERO.plusMillis(Math.round(seconds * 1000));
    }
}
