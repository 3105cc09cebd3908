package io.ostraka.core.decide;

import static io.ostraka.core.decide.PlannedJob.CONFIG_CZXID;
import static io.ostraka.core.decide.PlannedJob.DEADLINE;
import static io.ostraka.core.decide.PlannedJob.ZERO;
import static io.ostraka.core.decide.PlannedJob.instance;
import static io.ostraka.core.decide.PlannedJob.working;
import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.api.SkipReason;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.InstanceInfo.State;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.PlacementReasons;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.ShardingPlan.Change;
import io.ostraka.core.model.ShardingPlan.Former;
import io.ostraka.core.model.Skipped;
import io.ostraka.core.placement.StickyBalancedStrategy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class PlanningTest {
    private static final PlanDecision KEEP = new PlanDecision.Keep();

    private static final Schedule EVERY_10_S = Schedule.fixedRate(Duration.ofSeconds(10));

    private final PlannedJob job = new PlannedJob(4);

    // the first plan

    @Test
    void firstPlanCreatesItsRecords() {
        job.configure(job.configuration.toBuilder().fenceEpoch(3).build());
        job.override(JobOverride.NONE.withPaused(true));
        job.join("a");

        assertThat(job.decision())
                .isEqualTo(new PlanDecision.Write(
                        ShardingPlan.of(4, 1, Scope.SHARDED, Schedule.onDemand(), ZERO, CONFIG_CZXID)
                                .madeFrom(job.configMzxid, job.overrideMzxid, 3)
                                .with(Map.of("a", ShardingPlan.keys(4)), PlacementReasons.NONE),
                        Map.of("0", fresh(), "1", fresh(), "2", fresh(), "3", fresh())));
        assertThat(job.settle()).isEqualTo(1);
    }

    @Test
    void aPlanNeedsNoInstance() {
        assertThat(job.settle()).isEqualTo(1);
        assertThat(job.plan.items()).isEmpty();
        assertThat(job.records).hasSize(4);

        job.join("a");
        assertThat(job.settle()).isEqualTo(1);
        assertThat(job.plan.itemsOf("a")).hasSize(4);
    }

    @Test
    void jobRemovedBeforeItsFirstPlanGetsNone() {
        job.target(0);

        assertThat(job.decision()).isEqualTo(KEEP);
    }

    @Test
    void largeFirstPlanBeginsAsChangeFromZero() {
        PlannedJob large = new PlannedJob(2 * Planning.BATCH + 1);
        large.join("a", "b");

        assertThat(large.step()).isTrue();
        assertThat(large.plan.change()).isEqualTo(new Change(2 * Planning.BATCH + 1, 1, ZERO));
        assertThat(large.plan.total()).isZero();
        assertThat(large.records).isEmpty();
        large.pass(Duration.ofSeconds(5));
        large.applyBatch(large.write());
        assertThat(large.records.keySet()).containsExactlyElementsOf(ShardingPlan.keys(Planning.BATCH));
        // all items start when the schedule took effect, so no fire is lost while the records are written
        large.pass(Duration.ofSeconds(5));
        assertThat(large.settle()).isEqualTo(2);
        assertThat(large.records).hasSize(2 * Planning.BATCH + 1);
        assertThat(large.records.values()).containsOnly(ItemRecord.fresh(ZERO, CONFIG_CZXID, 1));
        assertThat(large.plan.closed()).isFalse();
        assertThat(large.plan.itemsOf("a")).hasSizeBetween(Planning.BATCH, Planning.BATCH + 1);
    }

    @Test
    void smallFirstPlanIsOneStep() {
        PlannedJob large = new PlannedJob(Planning.BATCH);

        assertThat(large.settle()).isEqualTo(1);
        assertThat(large.plan.closed()).isFalse();
        assertThat(large.records).hasSize(Planning.BATCH);
    }

    // definition and override

    @Test
    void planFollowsDefinitionAndOverrideVersions() {
        job.join("a");
        job.settle();
        ShardingPlan before = job.plan;
        job.pass(Duration.ofHours(1));
        job.configure(job.configuration.toBuilder().jobParameter("other").build());
        assertThat(job.settle()).isEqualTo(1);
        job.override(JobOverride.NONE.withPaused(true));
        assertThat(job.settle()).isEqualTo(1);

        assertThat(job.plan)
                .isEqualTo(ShardingPlan.of(4, 1, Scope.SHARDED, before.schedule(), ZERO, CONFIG_CZXID)
                        .madeFrom(job.configMzxid, job.overrideMzxid, 0)
                        .with(before.items(), PlacementReasons.NONE));
    }

    @Test
    void onlyAnotherScheduleCountsFromNow() {
        job.settle();
        job.pass(Duration.ofHours(1));
        Schedule other = Schedule.fixedRate(Duration.ofSeconds(7));
        job.override(JobOverride.NONE.withSchedule(other));
        job.settle();
        assertThat(job.plan.schedule()).isEqualTo(other);
        assertThat(job.plan.since()).isEqualTo(ZERO.plusSeconds(3_600));
        assertThat(job.plan.anchor()).isEqualTo(ZERO.plusSeconds(3_600));

        job.pass(Duration.ofHours(1));
        job.configure(job.configuration.toBuilder().schedule(other).build());
        job.override(JobOverride.NONE);
        job.settle();
        assertThat(job.plan.since()).isEqualTo(ZERO.plusSeconds(3_600));
    }

    @Test
    void planKeepsTheLatestTimeToWhichFiresAreSkipped() {
        job.override(JobOverride.NONE.withSkipTo(at(30)));
        job.settle();
        assertThat(job.plan.skipTo()).isEqualTo(at(30));

        job.override(JobOverride.NONE.withSkipTo(at(40)).withShardingTotalCount(5));
        job.settle();
        assertThat(job.plan.total()).isEqualTo(5);
        assertThat(job.plan.skipTo()).isEqualTo(at(40));

        job.override(JobOverride.NONE);
        job.settle();
        assertThat(job.plan.skipTo()).as("the override was deleted by hand").isEqualTo(at(40));
    }

    @Test
    void planRemembersFiredSchedulesLatestFirst() {
        job.settle();
        reschedule(EVERY_10_S, 60);
        reschedule(Schedule.cron("0/7 * * * * ?"), 70);
        reschedule(Schedule.fixedRate(Duration.ofHours(1)), 75);
        reschedule(EVERY_10_S, 100);

        assertThat(job.plan.former())
                .containsExactly(
                        new Former(Schedule.cron("0/7 * * * * ?"), at(70), at(70), at(75)),
                        new Former(EVERY_10_S, at(60), at(60), at(70)));
        assertThat(job.plan.since()).isEqualTo(at(100));
    }

    /** Repeated changes of the schedule do not make the plan grow. */
    @Test
    void planRemembersALimitedNumberOfSchedules() {
        job.settle();
        for (int i = 0; i < 20; i++) {
            reschedule(Schedule.fixedRate(Duration.ofSeconds(10 + i)), 60 * (i + 1));
        }

        assertThat(job.plan.former()).hasSize(Planning.FORMER);
        assertThat(job.plan.former().get(0).until()).isEqualTo(at(20 * 60));
        assertThat(job.plan.former().get(15).since()).isEqualTo(at(4 * 60));
    }

    @Test
    void theFenceEpochOnlyRises() {
        job.configure(job.configuration.toBuilder().fenceEpoch(5).build());
        job.settle();
        job.configure(job.configuration.toBuilder().fenceEpoch(2).build());
        job.settle();
        assertThat(job.plan.fenceEpoch()).isEqualTo(5);

        job.configure(job.configuration.toBuilder().fenceEpoch(6).build());
        job.target(7);
        job.settle();
        assertThat(job.plan.fenceEpoch()).isEqualTo(6);
    }

    // owners

    @Test
    void onlyItemsOfDepartedOrDrainedInstanceMove() {
        job.join("a", "b", "c");
        job.settle();
        Map<String, String> before = job.plan.owners();
        for (String leaver : List.of("a", "b", "c")) {
            PlannedJob left = job.copy();
            left.leave(leaver);
            PlannedJob drained = left.copy();
            drained.instances.add(instance(leaver, State.DRAINING, List.of(), Set.of()));
            assertThat(left.settle()).isEqualTo(1);
            assertThat(drained.settle()).isEqualTo(1);

            assertThat(drained.planWithoutGrounds()).isEqualTo(left.planWithoutGrounds());
            assertThat(left.plan.grounds().moves()).containsOnlyKeys("FAILED_OVER " + leaver);
            assertThat(drained.plan.grounds().moves()).containsOnlyKeys("DRAINED " + leaver);
            before.forEach((item, owner) -> {
                if (!owner.equals(leaver)) {
                    assertThat(left.plan.owners()).containsEntry(item, owner);
                }
            });
        }
    }

    @Test
    void instanceWithoutTheJobGetsNoItems() {
        job.join("a");
        job.instances.add(new io.ostraka.core.model.InstanceInfo(
                working("b").self(), 1, State.WORKING, false, Set.of("another"), List.of(), Map.of()));
        job.settle();

        assertThat(job.plan.items()).containsOnlyKeys("a");
    }

    @Test
    void theItemsOfAProcessGoToItsNextSession() {
        job.join("a", "b");
        job.settle();
        Set<String> held = Set.copyOf(job.plan.itemsOf("a"));
        job.leave("a");
        job.instances.add(instance("later", State.WORKING, List.of("a"), Set.of()));
        job.settle();

        assertThat(Set.copyOf(job.plan.itemsOf("later"))).isEqualTo(held);
    }

    @Test
    void unreturnedItemMovesIfPossible() {
        job.join("a", "b");
        job.settle();
        String running = job.plan.itemsOf("a").get(0);
        job.leave("a");
        job.instances.add(instance("later", State.WORKING, List.of("a"), Set.of(running)));
        assertThat(job.settle()).isEqualTo(1);
        assertThat(job.plan.owners()).containsEntry(running, "b");

        job.leave("b");
        job.settle();
        assertThat(job.plan.owners()).containsEntry(running, "later");
    }

    @Test
    void planWithoutInstancesHasNoOwners() {
        job.join("a");
        job.settle();
        job.leave("a");

        assertThat(job.settle()).isEqualTo(1);
        assertThat(job.plan.items()).isEmpty();
    }

    @Test
    void invalidAnswerKeepsThePlanWithReason() {
        job.join("a", "b");
        JobShardingStrategy forgetful = strategy(Map.of("a", List.of("0")));
        job.strategy = forgetful;
        assertThat(job.decision())
                .isEqualTo(new PlanDecision.Refuse(
                        JobHealth.Kind.PLAN_REFUSED, "strategy FORGETFUL did not place items [1, 2, 3]"));

        job.strategy = new StickyBalancedStrategy();
        job.settle();
        job.strategy = forgetful;
        assertThat(job.decision()).isInstanceOf(PlanDecision.Refuse.class);
        // the leader closes a plan without asking the strategy, and opens it once the strategy gives a valid answer
        job.target(2);
        assertThat(job.step()).isTrue();
        assertThat(job.plan.closed()).isTrue();
        assertThat(job.decision()).isInstanceOf(PlanDecision.Refuse.class);
        job.strategy = new StickyBalancedStrategy();
        job.settle();
        assertThat(job.plan.total()).isEqualTo(2);
    }

    // a change of the item count

    @Test
    void newItemCountOnlyClosesThePlan() {
        job.join("a", "b");
        job.settle();
        ShardingPlan before = job.plan;
        job.pass(Duration.ofSeconds(9));
        job.target(6);
        Map<String, ItemRecord> records = Map.copyOf(job.records);

        assertThat(job.step()).isTrue();
        assertThat(job.plan)
                .isEqualTo(ShardingPlan.of(4, 1, Scope.SHARDED, before.schedule(), ZERO, CONFIG_CZXID)
                        .madeFrom(CONFIG_CZXID, job.overrideMzxid, 0)
                        .closedFor(new Change(6, 2, ZERO.plusSeconds(9)))
                        .with(before.items(), PlacementReasons.NONE));
        assertThat(job.records).isEqualTo(records);
    }

    @Test
    void removedJobWithoutHostEndsInterruptedRuns() {
        job.settle();
        run("1", 10);
        job.override(JobOverride.NONE.withRemoved(true));
        job.step();
        assertThat(job.decision()).isEqualTo(KEEP);

        job.abandoned = Set.of("1");
        PlanDecision.Write write = job.write();
        assertThat(write.records().get("1").state()).isEqualTo(ItemState.RETIRED);
        assertThat(write.records().get("1").outcome()).isEqualTo(ItemOutcome.INTERRUPTED);
        assertThat(write.plan().removed()).isTrue();
    }

    @Test
    void closedPlanWaitsForItsItemsToBeRead() {
        job.settle();
        job.target(6);
        job.step();
        job.configure(job.configuration.toBuilder().jobParameter("other").build());

        assertThat(job.decisionUnread()).isEqualTo(KEEP);
    }

    @Test
    void changeWaitsForRunsInterruptionsAndBegunTriggers() {
        job.join("a", "b");
        job.settle();
        run("1", 10);
        job.target(6);
        job.step();
        assertThat(job.decision()).isEqualTo(KEEP);

        job.records.compute("1", (item, record) -> record.handedOver());
        assertThat(job.decision()).isEqualTo(KEEP);

        end("1", 12);
        job.busy = true;
        assertThat(job.decision()).isEqualTo(KEEP);

        job.busy = false;
        assertThat(job.settle()).isEqualTo(1);
        assertThat(job.plan.total()).isEqualTo(6);
    }

    @Test
    void newerCountReplacesChangeAfterPatience() {
        job.join("a", "b");
        job.settle();
        run("1", 10);
        job.target(6);
        job.step();
        job.target(2);
        assertThat(job.step()).isTrue(); // this step only copies the override's version
        assertThat(job.plan.change()).isEqualTo(new Change(6, 2, ZERO));

        job.pass(Planning.PATIENCE);
        assertThat(job.step()).isTrue();
        assertThat(job.plan.change()).isEqualTo(new Change(2, 3, job.now));
    }

    @Test
    void endlessCountChangesDoNotKeepThePlanClosed() {
        job.join("a", "b");
        job.settle();
        Set<Integer> opened = new TreeSet<>();
        for (int change = 0; change < 100; change++) {
            job.target(1 + change % 7);
            job.pass(Duration.ofMillis(100));
            job.step();
            if (!job.plan.closed()) {
                opened.add(job.plan.total());
            }
        }
        assertThat(opened).hasSizeGreaterThan(1);
    }

    @Test
    void itemsOfDepartedInstanceArePlacedDuringChange() {
        job.join("a", "b");
        job.settle();
        String item = job.plan.itemsOf("a").get(0);
        run(item, 10);
        job.target(6);
        job.step();
        job.leave("a");

        assertThat(job.step()).isTrue();
        assertThat(job.plan.closed()).isTrue();
        assertThat(job.plan.owners()).containsEntry(item, "b");
        assertThat(job.decision()).isEqualTo(KEEP);
    }

    @Test
    void addedItemsStartAtTheCommonCursor() {
        job.join("a", "b");
        job.settle();
        decided("0", 50, 107);
        decided("1", 40, 109);
        decided("2", 60, 105);
        decided("3", 70, 110);
        Map<String, String> owners = job.plan.owners();
        job.target(6);
        job.step();
        long closedAt = job.planMzxid;
        job.step();

        assertThat(job.plan.total()).isEqualTo(6);
        assertThat(job.plan.incarnation()).isEqualTo(2);
        assertThat(job.plan.generation()).isEqualTo(closedAt);
        assertThat(job.plan.owners()).containsAllEntriesOf(owners);
        assertThat(job.records).hasSize(6);
        assertThat(job.records.values()).allSatisfy(record -> {
            assertThat(record.cursor()).isEqualTo(at(40));
            assertThat(record.triggerCursor()).isEqualTo(105);
            assertThat(record.incarnation()).isEqualTo(2);
            assertThat(record.state()).isEqualTo(ItemState.IDLE);
        });
        assertThat(job.decision()).isEqualTo(KEEP);
    }

    @Test
    void removedItemsRetireWithTheirHistory() {
        job.join("a", "b");
        job.settle();
        decided("3", 20, 104);
        ItemRecord before = job.records.get("3");
        job.target(2);
        job.settle();

        assertThat(job.records.get("3")).isEqualTo(before.rewritten(ItemState.RETIRED, ZERO, CONFIG_CZXID, 2));
        assertThat(job.records.get("2").state()).isEqualTo(ItemState.RETIRED);
        assertThat(job.records.get("1").state()).isEqualTo(ItemState.IDLE);
    }

    @Test
    void retiredItemReturnsWithTheCommonCursor() {
        job.join("a");
        job.settle();
        job.target(1);
        job.settle();
        decided("0", 90, 190);
        assertThat(job.records.get("3").cursor()).isEqualTo(ZERO);
        job.target(3);
        job.settle();

        assertThat(job.records.get("2").state()).isEqualTo(ItemState.IDLE);
        assertThat(job.records.get("2").cursor()).isEqualTo(at(90));
        assertThat(job.records.get("2").triggerCursor()).isEqualTo(190);
        assertThat(job.records.get("3").state()).isEqualTo(ItemState.RETIRED);
        assertThat(job.records.get("3").incarnation()).isEqualTo(3);
    }

    @Test
    void quarantineEndsOnlyWithRetirement() {
        job.settle();
        for (String item : List.of("0", "3")) {
            run(item, 10);
            job.records.compute(item, (key, record) -> record.quarantined(at(11), "died"));
        }
        job.target(2);
        job.settle();

        assertThat(job.records.get("0").state()).isEqualTo(ItemState.QUARANTINED);
        assertThat(job.records.get("1").state()).isEqualTo(ItemState.IDLE);
        assertThat(job.records.get("3").state()).isEqualTo(ItemState.RETIRED);
    }

    @Test
    void largestCursorCountsIfFailoverIsOff() {
        job.configure(job.configuration.toBuilder().failover(false).build());
        job.settle();
        decided("1", 40, 0);
        decided("2", 60, 0);
        job.target(2);
        job.settle();

        assertThat(job.records.values())
                .allSatisfy(record -> assertThat(record.cursor()).isEqualTo(at(60)));
    }

    /**
     * The item may have run any fire up to now, and fires of the next seconds on a clock that was ahead. Without failover no
     * fire starts a second time.
     */
    @Test
    void lostRecordCountsAsDecidedIfFailoverIsOff() {
        job.configure(job.configuration.toBuilder().failover(false).build());
        job.settle();
        decided("1", 40, 0);
        job.pass(Duration.ofSeconds(80));
        job.records.remove("2");
        PlannedJob damaged = job.copy();
        damaged.records.put("2", ItemRecord.lost(at(90), null, 0).rewritten(ItemState.RETIRED, at(90), 0, 0));

        for (PlannedJob each : List.of(job, damaged)) {
            each.target(3);
            each.settle();
            assertThat(each.records.get("0").cursor()).isEqualTo(at(90));
            assertThat(each.records.get("2").cursor()).isEqualTo(at(90));
        }
    }

    @Test
    void passedFiresAreRecordedIfFailoverIsOff() {
        job.configure(job.configuration.toBuilder()
                .schedule(EVERY_10_S)
                .failover(false)
                .build());
        job.settle();
        decided("1", 40, 0);
        decided("2", 60, 0);
        job.target(2);
        job.settle();

        assertThat(job.records.get("1").skipped())
                .containsExactly(new Skipped(at(50), at(60), 2, SkipReason.ITEM_COUNT_CHANGED));
        assertThat(job.records.get("2").skipped())
                .extracting(Skipped::reason)
                .doesNotContain(SkipReason.ITEM_COUNT_CHANGED);
    }

    @Test
    void passedFiresOfReplacedScheduleAreRecorded() {
        job.configure(job.configuration.toBuilder()
                .schedule(EVERY_10_S)
                .failover(false)
                .build());
        job.settle();
        decided("1", 20, 0);
        reschedule(Schedule.fixedRate(Duration.ofSeconds(15)), 45);
        decided("2", 75, 0);
        job.target(2);
        job.settle();

        // 30 and 40 are fires of the replaced schedule, 60 and 75 of the present one
        assertThat(job.records.get("1").skipped())
                .containsExactly(new Skipped(at(30), at(75), 4, SkipReason.ITEM_COUNT_CHANGED));
        assertThat(job.plan.former()).containsExactly(new Former(EVERY_10_S, ZERO, ZERO, at(45)));
    }

    /**
     * The same write moves the records and adds the replaced schedule to the plan, so the leader cannot take that
     * schedule from the plan's list of former schedules.
     */
    @Test
    void scheduleChangedUnderClosedPlanCountsEarlierFires() {
        job.configure(job.configuration.toBuilder()
                .schedule(EVERY_10_S)
                .failover(false)
                .build());
        job.settle();
        decided("1", 20, 0);
        decided("2", 40, 0);
        job.target(2);
        job.step();
        job.pass(Duration.ofSeconds(60));
        job.override(job.override.withSchedule(Schedule.fixedRate(Duration.ofSeconds(7))));
        job.settle();

        assertThat(job.records.get("1").skipped())
                .containsExactly(new Skipped(at(30), at(40), 2, SkipReason.ITEM_COUNT_CHANGED));
        assertThat(job.plan.former()).containsExactly(new Former(EVERY_10_S, ZERO, ZERO, at(60)));
        assertThat(job.plan.since()).isEqualTo(at(60));
    }

    @Test
    void disabledItemCountsForTheCursorOnlyIfAllAreDisabled() {
        job.settle();
        decided("0", 10, 0);
        decided("1", 50, 0);
        decided("2", 40, 0);
        decided("3", 60, 0);
        job.override(JobOverride.NONE.withDisabledItems(Set.of("0")));
        PlannedJob all = job.copy();
        job.target(2);
        job.settle();
        assertThat(job.records.get("1").cursor()).isEqualTo(at(40));

        all.override(JobOverride.NONE.withDisabledItems(Set.of("0", "1", "2", "3")));
        all.target(2);
        all.settle();
        assertThat(all.records.get("1").cursor()).isEqualTo(at(10));
    }

    @Test
    void manyRecordsMoveInBatchesUnderAnyLeader() {
        PlannedJob large = new PlannedJob(2 * Planning.BATCH + 50);
        large.join("a", "b");
        large.settle();
        large.records.replaceAll((item, record) -> decided(record, 10 + Integer.parseInt(item), 0));
        large.target(Planning.BATCH);
        assertThat(large.step()).isTrue();

        assertThat(large.write().plan()).isNull();
        assertThat(large.write().records().keySet())
                .containsExactlyElementsOf(ShardingPlan.keys(2 * Planning.BATCH + 50));
        large.applyBatch(large.write());
        assertThat(large.write().plan()).isNull();
        large.applyBatch(large.write());
        assertThat(large.write().plan()).isNotNull();
        assertThat(large.write().records()).hasSize(50);
        assertThat(large.settle()).isEqualTo(1);
        assertThat(large.records.values())
                .allSatisfy(record -> assertThat(record.cursor()).isEqualTo(at(10)));
    }

    @Test
    void firstBatchDecidesTheCommonCursor() {
        job.configure(job.configuration.toBuilder()
                .schedule(EVERY_10_S)
                .failover(false)
                .build());
        job.settle();
        decided("0", 60, 0);
        decided("1", 40, 0);
        job.target(1);
        job.step();
        job.applyPart(job.write(), "0");
        job.configure(job.configuration.toBuilder().failover(true).build());
        job.settle();

        assertThat(job.records.values())
                .allSatisfy(record -> assertThat(record.cursor()).isEqualTo(at(60)));
        assertThat(job.records.get("1").skipped())
                .containsExactly(new Skipped(at(50), at(60), 2, SkipReason.ITEM_COUNT_CHANGED));
    }

    @Test
    void fullBatchOfRecordsMovesWithTheOpeningPlan() {
        PlannedJob large = new PlannedJob(Planning.BATCH);
        large.settle();
        large.target(1);

        assertThat(large.settle()).isEqualTo(2);
    }

    @Test
    void newTargetRestartsChangeUnderNewIncarnation() {
        PlannedJob large = new PlannedJob(Planning.BATCH + 1);
        large.settle();
        large.target(2);
        large.step();
        large.applyBatch(large.write());
        large.pass(Duration.ofSeconds(30));
        large.target(Planning.BATCH + 1);

        assertThat(large.step()).isTrue();
        assertThat(large.plan.change()).isEqualTo(new Change(Planning.BATCH + 1, 3, ZERO.plusSeconds(30)));
        assertThat(large.settle()).isEqualTo(2);
        assertThat(large.records.values())
                .containsOnly(ItemRecord.fresh(ZERO, CONFIG_CZXID, 1).rewritten(ItemState.IDLE, ZERO, CONFIG_CZXID, 3));
    }

    // a change that exceeds its deadline

    @Test
    void planReopensAfterDeadlineAndRetriesLater() {
        job.join("a", "b");
        job.settle();
        run("1", 10);
        job.target(6);
        job.step();
        Map<String, List<String>> items = job.plan.items();
        job.pass(DEADLINE);
        assertThat(job.decision()).isEqualTo(KEEP);

        job.pass(Duration.ofMillis(1));
        Instant reopened = job.now;
        assertThat(job.step()).isTrue();
        assertThat(job.plan.closed()).isFalse();
        assertThat(job.plan.total()).isEqualTo(4);
        assertThat(job.plan.incarnation()).isEqualTo(1);
        assertThat(job.plan.items()).isEqualTo(items);
        assertThat(job.plan.retryChangeAt()).isEqualTo(reopened.plus(DEADLINE));

        job.pass(DEADLINE.minusMillis(1));
        assertThat(job.decision()).isEqualTo(KEEP);
        job.pass(Duration.ofMillis(1));
        assertThat(job.step()).isTrue();
        assertThat(job.plan.change()).isEqualTo(new Change(6, 2, job.now));
        assertThat(job.plan.retryChangeAt()).isNull();
    }

    @Test
    void removalNeverReopensThePlan() {
        job.join("a", "b");
        job.settle();
        run("1", 10);
        job.target(0);
        job.step();
        job.pass(DEADLINE.multipliedBy(3));

        assertThat(job.decision()).as("no item of a removed job starts again").isEqualTo(KEEP);
    }

    @Test
    void removalDoesNotWaitForAPostponedChange() {
        job.join("a", "b");
        job.settle();
        run("1", 10);
        job.target(6);
        job.step();
        job.pass(DEADLINE.plusMillis(1));
        job.step();
        assertThat(job.plan.retryChangeAt()).isNotNull();

        job.target(0);

        assertThat(job.step()).isTrue();
        assertThat(job.plan.change()).isEqualTo(new Change(0, 2, job.now));
    }

    @Test
    void postponedChangeIsForgottenWhenUnwanted() {
        job.join("a", "b");
        job.settle();
        run("1", 10);
        job.target(6);
        job.step();
        job.pass(DEADLINE.plusMillis(1));
        job.step();
        assertThat(job.plan.retryChangeAt()).isNotNull();

        job.target(4);

        assertThat(job.step()).isTrue();
        assertThat(job.plan.closed()).isFalse();
        assertThat(job.plan.retryChangeAt()).isNull();
        assertThat(job.decision()).isEqualTo(KEEP);
    }

    @Test
    void itemsArePlacedWhileAChangeIsPostponed() {
        job.join("a", "b");
        job.settle();
        run("1", 10);
        job.target(6);
        job.step();
        job.pass(DEADLINE.plusMillis(1));
        job.leave("a");
        assertThat(job.step()).isTrue();
        assertThat(job.plan.closed()).isFalse();
        assertThat(job.plan.itemsOf("b")).hasSize(4);

        job.join("c");
        assertThat(job.settle()).isEqualTo(1);
        assertThat(job.plan.itemsOf("c")).hasSize(2);
    }

    @Test
    void planStaysClosedOnceARecordHasMoved() {
        job.join("a");
        job.settle();
        job.target(6);
        job.step();
        job.applyPart(job.write(), "2");
        // a transaction was still in flight when the leader decided
        job.busy = true;
        job.pass(DEADLINE.plusMillis(1));
        assertThat(job.decision()).isEqualTo(KEEP);

        job.busy = false;
        assertThat(job.settle()).isEqualTo(1);
        assertThat(job.plan.total()).isEqualTo(6);
    }

    // removal

    @Test
    void removedJobLeavesPlanForLaterRegistration() {
        job.join("a");
        job.settle();
        decided("2", 40, 170);
        job.target(0);
        assertThat(job.settle()).isEqualTo(2);
        assertThat(job.plan.removed()).isTrue();
        assertThat(job.plan.items()).isEmpty();
        assertThat(job.records.values())
                .allSatisfy(record -> assertThat(record.state()).isEqualTo(ItemState.RETIRED));

        job.pass(Duration.ofDays(1));
        decided("2", 40, 180);
        job.target(3);
        assertThat(job.settle()).isEqualTo(2);
        assertThat(job.plan.total()).isEqualTo(3);
        assertThat(job.plan.incarnation()).isEqualTo(3);
        assertThat(job.plan.itemsOf("a")).hasSize(3);
        // fires that passed while the job was removed never run, and neither do triggers of its earlier registration
        assertThat(job.records.get("0").cursor()).isEqualTo(job.now);
        assertThat(job.records.get("0").triggerCursor()).isEqualTo(180);
        assertThat(job.records.get("3").state()).isEqualTo(ItemState.RETIRED);
    }

    @Test
    void jobRegisteredAgainBeginsAfterFireThatBeganEarly() {
        job.join("a");
        job.settle();
        job.now = at(60);
        decided("2", 68, 0); // a clock was 8 s ahead
        for (int cursor : new int[] {68, 70}) {
            job.target(0);
            job.settle();
            job.target(3);
            job.settle();
            assertThat(job.records.values())
                    .filteredOn(record -> record.state() == ItemState.IDLE)
                    .hasSize(3)
                    .allSatisfy(record -> assertThat(record.cursor()).isEqualTo(at(cursor)));
            decided("1", 60 * 60, 0); // a clock was wrong, and the instance started no fire
        }
    }

    // history

    private void run(String item, int seconds) {
        Run run = new Run(Fire.scheduled(at(seconds)), 4, 1, 0, "a", "nonce", at(seconds), at(seconds), 1, 0, 0);
        job.records.compute(item, (key, record) -> record.claimed(run, record.cursor(), List.of()));
    }

    private void end(String item, int seconds) {
        job.records.compute(item, (key, record) -> record.completed(at(seconds), ItemOutcome.SUCCEEDED, null));
    }

    private void decided(String item, int seconds, long trigger) {
        job.records.compute(item, (key, record) -> decided(record, seconds, trigger));
    }

    /** Returns the record after the item ran a fire and skipped a trigger. */
    private static ItemRecord decided(ItemRecord record, int seconds, long trigger) {
        Run run = new Run(Fire.scheduled(at(seconds)), 4, 1, 0, "a", "nonce", at(seconds), at(seconds), 1, 0, 0);
        return record.claimed(run, record.cursor(), List.of())
                .completed(at(seconds + 1), ItemOutcome.SUCCEEDED, null)
                .rewritten(record.state(), at(seconds), record.triggerCursor(), record.incarnation())
                .skipped(new Fire("run", at(seconds), trigger, Map.of()), SkipReason.DISABLED);
    }

    private static ItemRecord fresh() {
        return ItemRecord.fresh(ZERO, CONFIG_CZXID, 1);
    }

    private static Instant at(int seconds) {
        return ZERO.plusSeconds(seconds);
    }

    private static JobShardingStrategy strategy(Map<String, List<String>> answer) {
        return new JobShardingStrategy() {
            @Override
            public String type() {
                return "FORGETFUL";
            }

            @Override
            public Map<String, List<String>> shard(Request request) {
                return answer;
            }
        };
    }

    private void reschedule(Schedule schedule, int seconds) {
        job.now = at(seconds);
        job.override(job.override.withSchedule(schedule));
        job.settle();
    }
}
