package io.ostraka.core.decide;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.api.SkipReason;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.FireProgress.Once;
import io.ostraka.core.model.FireProgress.Phase;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.FireView;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.PlacementReasons;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Skipped;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.schedule.FireSchedules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests that the leader ends the fires that no instance would end, and leaves the work of live instances alone. */
class CleanupTest {
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant NOW = AT.plusSeconds(60);
    private static final Schedule SCHEDULE = Schedule.fixedRate(Duration.ofSeconds(5));

    private final Map<String, ItemView> items = new TreeMap<>();
    private final Map<String, FireView> fires = new TreeMap<>();
    private final List<Trigger> triggers = new ArrayList<>();
    private ShardingPlan plan = plan(2);
    private boolean planned = true;
    private boolean onceListeners = true;
    private Set<String> disabled = Set.of();
    private Set<String> gone = Set.of();

    private static ShardingPlan plan(int total) {
        return ShardingPlan.of(total, 1, Scope.SHARDED, SCHEDULE, AT, 1)
                .madeFrom(1, 0, 0)
                .with(Map.of("a@1@1", List.of("0")), PlacementReasons.NONE);
    }

    private static <T> Versioned<T> read(T value) {
        return new Versioned<>(value, 7, 1, 1, AT, new JsonObject());
    }

    private void item(String item, ItemState state, Instant cursor) {
        ItemRecord fresh = ItemRecord.fresh(cursor, 0, 1);
        ItemRecord record = fresh.rewritten(state, cursor, 0, 1);
        items.put(item, new ItemView(item, read(record), 0, false, null, false, null));
    }

    private String scheduled(Instant at, Phase phase, String caller, String... left) {
        String name = FireProgress.nodeOf(Fire.scheduled(at), 1);
        Once once = new Once(phase, caller, caller == null ? 0 : 1, at, 2, 1);
        fires.put(name, new FireView(name, read(new FireProgress(null, Set.of(left), Map.of(), once)), null));
        return name;
    }

    private List<CleanupStep> steps() {
        FireTimes times = FireSchedules.inForce("job", plan.schedule(), plan);
        return Cleanup.of(
                new CleanupInput(
                        plan,
                        new CleanupInput.Nodes(items, fires, triggers, true),
                        new CleanupInput.Wanted(planned, false, disabled, onceListeners, times),
                        List.of(),
                        gone,
                        NOW),
                400);
    }

    private List<CleanupStep.Settle> settled() {
        return steps().stream()
                .filter(CleanupStep.Settle.class::isInstance)
                .map(CleanupStep.Settle.class::cast)
                .toList();
    }

    /**
     * All five fires concern the same record. Only the first write of the record can succeed, so the leader must decide
     * on a single write.
     */
    @Test
    void recordOfManySkippedFiresIsWrittenOnce() {
        item("0", ItemState.IDLE, AT);
        disabled = Set.of("0");
        for (int fire = 1; fire <= 5; fire++) {
            scheduled(AT.plusSeconds(5 * fire), Phase.OPEN, null, "0");
        }

        List<CleanupStep.Settle> settled = settled();

        assertThat(settled).hasSize(1);
        assertThat(settled.get(0).records().get("0").cursor()).isEqualTo(AT.plusSeconds(25));
        assertThat(settled.get(0).records().get("0").skipped())
                .singleElement()
                .satisfies(skipped -> assertThat(skipped.reason()).isEqualTo(SkipReason.DISABLED));
        item("0", ItemState.IDLE, AT.plusSeconds(25));
        assertThat(settled())
                .as("the others, once the record is written")
                .hasSize(5)
                .allSatisfy(step -> {
                    assertThat(step.records()).isEmpty();
                    assertThat(step.fire().to().left()).isEmpty();
                });
    }

    /** The fire must not wait for the item's next claim, which may be far away. */
    @Test
    void begunFireEndsForItemsWhoseFiresAnOperatorHasSkipped() {
        item("0", ItemState.IDLE, AT);
        scheduled(AT.plusSeconds(5), Phase.OPEN, null, "0");
        scheduled(AT.plusSeconds(20), Phase.OPEN, null, "0");
        plan = plan.skippingTo(AT.plusSeconds(20));

        assertThat(settled()).singleElement().satisfies(step -> {
            assertThat(step.fire().to().left()).isEmpty();
            assertThat(step.records().get("0").cursor()).isEqualTo(AT.plusSeconds(5));
            assertThat(step.records().get("0").skipped())
                    .singleElement()
                    .satisfies(skipped -> assertThat(skipped.reason()).isEqualTo(SkipReason.SKIPPED_BY_OPERATOR));
        });
    }

    /** The plan contains neither the fire of 15 s nor the one of 45 s, which fast clocks have begun. */
    @Test
    void begunFireOfAReplacedScheduleIsCountedAsSkipped() {
        ShardingPlan.Former former = new ShardingPlan.Former(SCHEDULE, AT, AT, AT.plusSeconds(12));
        plan = plan.scheduled(
                Schedule.fixedRate(Duration.ofSeconds(30)), former.until(), former.until(), List.of(former));
        item("0", ItemState.IDLE, AT.plusSeconds(5));
        scheduled(AT.plusSeconds(10), Phase.OPEN, null, "0");
        scheduled(AT.plusSeconds(15), Phase.OPEN, null, "0");
        Skipped replaced = skipped(10, SkipReason.SCHEDULE_CHANGED);
        Skipped early = skipped(15, SkipReason.SCHEDULE_CHANGED);

        assertThat(settled()).singleElement().satisfies(step -> {
            assertThat(step.records().get("0").cursor()).isEqualTo(AT.plusSeconds(15));
            assertThat(step.records().get("0").skipped()).containsExactly(replaced, early);
        });

        scheduled(AT.plusSeconds(45), Phase.OPEN, null, "0");
        assertThat(settled())
                .as("the item may still run the fire of 42 s")
                .singleElement()
                .satisfies(step -> assertThat(step.records().get("0").cursor()).isEqualTo(AT.plusSeconds(15)));
        plan = plan.skippingTo(AT.plusSeconds(50));
        assertThat(settled()).singleElement().satisfies(step -> assertThat(
                        step.records().get("0").skipped())
                .containsExactly(
                        replaced,
                        skipped(42, SkipReason.SKIPPED_BY_OPERATOR),
                        new Skipped(AT.plusSeconds(15), AT.plusSeconds(45), 2, SkipReason.SCHEDULE_CHANGED)));
    }

    private static Skipped skipped(long seconds, SkipReason reason) {
        return new Skipped(AT.plusSeconds(seconds), AT.plusSeconds(seconds), 1, reason);
    }

    @Test
    void fireStaysWhileItsItemsMayRunIt() {
        item("0", ItemState.IDLE, AT);
        scheduled(AT.plusSeconds(5), Phase.OPEN, null, "0");

        assertThat(steps()).isEmpty();
        disabled = Set.of("0");
        planned = false;
        assertThat(steps())
                .as("while the plan is not the one that the operator wants")
                .isEmpty();
    }

    @Test
    void onceListenersAreDroppedOnlyIfNoInstanceHasThem() {
        String fire = scheduled(AT.plusSeconds(5), Phase.CLOSING, "b@1@2");

        assertThat(steps()).as("while their caller is registered").isEmpty();
        gone = Set.of("b@1@2");
        assertThat(steps()).containsExactly(new CleanupStep.Announce());
        onceListeners = false;
        assertThat(settled()).singleElement().satisfies(step -> {
            assertThat(step.cause()).isEqualTo(CleanupStep.Cause.NO_ONCE_LISTENER);
            assertThat(step.fire().name()).isEqualTo(fire);
            assertThat(step.fire().to().done()).isTrue();
        });
        planned = false;
        assertThat(steps()).as("while the configuration can't be read").isEmpty();
    }

    @Test
    void itemOfDepartedInstanceIsInterruptedThenRemoved() {
        plan = ShardingPlan.of(1, 1, Scope.BROADCAST, SCHEDULE, AT, 1)
                .madeFrom(1, 0, 0)
                .with(Map.of("a@1@1", List.of("a@1@1")), PlacementReasons.NONE);
        Trigger trigger = new Trigger("t", 5, AT, new Trigger.Request("job", "run", Map.of(), Set.of()));
        triggers.add(trigger);
        String fire = trigger.fire().id();
        fires.put(fire, new FireView(fire, read(new FireProgress("t", Set.of("b@1@2"), Map.of(), null)), null));
        ItemRecord running = ItemRecord.fresh(AT, 0, 1)
                .claimed(new Run(trigger.fire(), 1, 1, 0, "b@1@2", "nonce", AT, AT, 1, 0, 0), AT, List.of());
        items.put("b@1@2", new ItemView("b@1@2", read(running), 0, false, null, false, null));

        assertThat(steps()).singleElement().isInstanceOfSatisfying(CleanupStep.Settle.class, step -> {
            assertThat(step.cause()).isEqualTo(CleanupStep.Cause.INTERRUPTED);
            assertThat(step.records().get("b@1@2").outcome()).isEqualTo(ItemOutcome.INTERRUPTED);
            assertThat(step.fire().to().outcomes()).containsEntry("b@1@2", ItemOutcome.INTERRUPTED);
            assertThat(step.fire().endsTrigger()).isTrue();
            items.put("b@1@2", new ItemView("b@1@2", read(step.records().get("b@1@2")), 0, false, null, false, null));
        });
        fires.clear();
        triggers.clear();
        assertThat(steps()).singleElement().isInstanceOfSatisfying(CleanupStep.RemoveItem.class, step -> assertThat(
                        step.item().item())
                .isEqualTo("b@1@2"));
    }

    @Test
    void triggerOfRemovedJobEndsWithItemsSkipped() {
        plan = plan(0);
        Trigger trigger = new Trigger("t", 5, AT, new Trigger.Request("job", "run", Map.of(), Set.of()));
        triggers.add(trigger);
        String fire = trigger.fire().id();
        fires.put(fire, new FireView(fire, read(new FireProgress("t", Set.of("0"), Map.of(), null)), null));

        assertThat(settled()).singleElement().satisfies(step -> {
            assertThat(step.cause()).isEqualTo(CleanupStep.Cause.REMOVED);
            assertThat(step.fire().to().outcomes()).containsEntry("0", ItemOutcome.SKIPPED);
            assertThat(step.fire().endsTrigger()).isTrue();
            assertThat(step.skip().reason()).isEqualTo(SkipReason.REMOVED);
        });
    }

    private Trigger trigger(long zxid, String runId, String... asked) {
        return new Trigger("t" + zxid, zxid, AT, new Trigger.Request("job", runId, Map.of(), Set.of(asked)));
    }

    private void progress(Trigger trigger, String... left) {
        String fire = trigger.fire().id();
        fires.put(fire, new FireView(fire, read(new FireProgress(trigger.name(), Set.of(left), Map.of(), null)), null));
    }

    @Test
    void triggerOfOpenPlanIsLeftToItsItems() {
        Trigger trigger = trigger(5, "run");
        triggers.add(trigger);
        item("0", ItemState.IDLE, AT);
        item("1", ItemState.IDLE, AT);
        progress(trigger, "0", "1");

        assertThat(steps()).isEmpty();
    }

    @Test
    void progressThatLostADecidedItemIsRepaired() {
        Trigger trigger = trigger(5, "run");
        triggers.add(trigger);
        ItemRecord decided = ItemRecord.fresh(AT, 5, 1);
        items.put("0", new ItemView("0", read(decided), 0, false, null, false, null));
        item("1", ItemState.IDLE, AT);
        progress(trigger, "0", "1");

        assertThat(settled()).singleElement().satisfies(step -> {
            assertThat(step.cause()).isEqualTo(CleanupStep.Cause.REPAIRED);
            assertThat(step.fire().to().left()).containsExactly("1");
            assertThat(step.fire().endsTrigger()).isFalse();
        });
    }

    @Test
    void fireWhoseTriggerWasDeletedEndsUnlessAnItemRunsIt() {
        Trigger deleted = trigger(5, "run");
        Run run = new Run(deleted.fire(), 2, 1, 0, "a@1@1", "nonce", AT, AT, 1, 0, 0);
        ItemRecord running = ItemRecord.fresh(AT, 0, 1).claimed(run, AT, List.of());
        items.put("0", new ItemView("0", read(running), 7, true, null, false, null));
        item("1", ItemState.IDLE, AT);
        progress(deleted, "0", "1");

        assertThat(settled()).singleElement().satisfies(step -> {
            assertThat(step.fire().to().left()).containsExactly("0");
            assertThat(step.fire().to().outcomes()).containsEntry("1", ItemOutcome.SKIPPED);
        });
    }

    @Test
    void damagedNodeOfScheduledFireIsDeleted() {
        String fire = FireProgress.nodeOf(Fire.scheduled(AT), 1);
        fires.put(fire, new FireView(fire, null, new UnreadableNode("damaged", 3, true)));

        assertThat(steps()).singleElement().isInstanceOf(CleanupStep.DeleteFire.class);
        fires.put(fire, new FireView(fire, null, new UnreadableNode("of a newer version", 3, false)));
        assertThat(steps()).as("what a newer version wrote").isEmpty();
    }

    @Test
    void itemThatAFireCountsOnIsNotRemoved() {
        plan = ShardingPlan.of(1, 1, Scope.BROADCAST, SCHEDULE, AT, 1)
                .with(Map.of("a@1@1", List.of("a@1@1")), PlacementReasons.NONE);
        item("b@1@2", ItemState.IDLE, AT);
        Trigger trigger = trigger(5, "run");
        triggers.add(trigger);
        progress(trigger, "a@1@1", "b@1@2");

        assertThat(steps()).singleElement().isInstanceOfSatisfying(CleanupStep.Settle.class, step -> assertThat(
                        step.fire().to().left())
                .containsExactly("a@1@1"));
        progress(trigger, "a@1@1");
        assertThat(steps()).singleElement().isInstanceOf(CleanupStep.RemoveItem.class);
    }

    @Test
    void failoverNodesFollowTheRecords() {
        plan = plan.with(Map.of("c@1@3", List.of("0", "1")), PlacementReasons.NONE);
        Run run = new Run(Fire.scheduled(AT), 2, 1, 0, "b@1@2", "nonce", AT, AT, 1, 0, 0);
        ItemRecord running = ItemRecord.fresh(AT, 0, 1).claimed(run, AT, List.of());
        items.put("0", new ItemView("0", read(running), 0, false, null, false, null));
        items.put("1", new ItemView("1", read(ItemRecord.fresh(AT, 0, 1)), 0, false, null, true, null));

        assertThat(steps()).singleElement().isInstanceOfSatisfying(CleanupStep.Handovers.class, step -> {
            assertThat(step.missing().get("0").to()).isEqualTo("c@1@3");
            assertThat(step.stale()).containsExactly("1");
        });
    }

    @Test
    void fireOfTriggerCreatedDuringTheReadIsLeftToTheNextPass() {
        Trigger before = trigger(5, "run");
        Trigger created = trigger(6, "later");
        progress(created, "0");

        CleanupInput.Nodes nodes = CleanupInput.Nodes.of(items, fires, List.of(before), List.of(before, created), true);

        assertThat(nodes.triggers()).containsExactly(before);
        assertThat(nodes.fires().keySet())
                .as("the known trigger has no node yet")
                .containsExactly(before.fire().id());
    }

    @Test
    void endedFireExpiresAfterAnHourUnlessATriggerWaits() {
        FireView ended = new FireView("run", read(new FireProgress("t", Set.of(), Map.of(), null)), null);
        Instant late = AT.plus(Cleanup.ENDED_FIRES_KEPT).plusMillis(1);

        assertThat(Cleanup.expired(List.of(ended), Set.of(), late)).containsEntry("run", 7);
        assertThat(Cleanup.expired(List.of(ended), Set.of("run"), late)).isEmpty();
        assertThat(Cleanup.expired(List.of(ended), Set.of(), AT.plus(Cleanup.ENDED_FIRES_KEPT)))
                .isEmpty();
    }

    private List<FireStop> endedStops(FireStop... stops) {
        CleanupInput.Nodes whole = new CleanupInput.Nodes(items, fires, triggers, true);
        CleanupInput.Nodes some = new CleanupInput.Nodes(items, fires, triggers, false);
        assertThat(Cleanup.endedStops(List.of(stops), plan, some, NOW))
                .as("stops that end although not all nodes were read")
                .isEmpty();
        return Cleanup.endedStops(List.of(stops), plan, whole, NOW);
    }

    private static FireStop stop(String item, String fire) {
        return new FireStop("job", item, fire, null);
    }

    @Test
    void stopOfScheduledFireIsDeletedOnceAllItsItemsHavePassedTheFire() {
        String fire = FireProgress.nodeOf(Fire.scheduled(AT.plusSeconds(5)), 1);
        FireStop all = stop(null, fire);
        FireStop one = stop("0", fire);
        item("0", ItemState.IDLE, AT.plusSeconds(5));
        item("1", ItemState.IDLE, AT);

        assertThat(endedStops(all, one)).containsExactly(one);
        item("1", ItemState.RETIRED, AT);
        assertThat(endedStops(all, one)).containsExactly(all, one);
        assertThat(endedStops(stop("1", FireProgress.nodeOf(Fire.scheduled(AT.plusSeconds(5)), 2))))
                .as("a fire of another incarnation")
                .hasSize(1);
    }

    /** The clock of an instance was wrong, and an operator may set back the cursor. */
    @Test
    void stopOfFutureFireStaysAlthoughACursorHasPassedTheFire() {
        FireStop stop = stop("0", FireProgress.nodeOf(Fire.scheduled(NOW.plusSeconds(5)), 1));
        item("0", ItemState.IDLE, NOW.plusSeconds(3_600));

        assertThat(endedStops(stop)).isEmpty();
        item("0", ItemState.RETIRED, NOW.plusSeconds(3_600));
        assertThat(endedStops(stop)).containsExactly(stop);
    }

    @Test
    void stopStaysWhileAnItemRunsItsFire() {
        Fire fire = Fire.scheduled(AT.plusSeconds(5));
        ItemRecord running = ItemRecord.fresh(AT, 0, 1)
                .claimed(new Run(fire, 2, 1, 0, "a@1@1", "nonce", AT, AT, 1, 0, 0), AT.plusSeconds(9), List.of());
        FireStop stop = stop("0", FireProgress.nodeOf(fire, 1));

        for (ItemRecord unfinished : List.of(running, running.handedOver())) {
            items.put("0", new ItemView("0", read(unfinished), 0, false, null, false, null));
            assertThat(endedStops(stop)).isEmpty();
        }
        items.put(
                "0",
                new ItemView(
                        "0", read(running.completed(NOW, ItemOutcome.CANCELLED, null)), 0, false, null, false, null));
        assertThat(endedStops(stop)).containsExactly(stop);
    }

    @Test
    void stopOfTriggerIsDeletedOnceItsItemsHaveDecidedTheTrigger() {
        triggers.add(trigger(5, "run", "0"));
        FireStop all = stop(null, "run");
        item("0", ItemState.IDLE, AT);
        item("1", ItemState.IDLE, AT);

        assertThat(endedStops(all)).isEmpty();
        assertThat(endedStops(stop("1", "run"))).as("not concerned").hasSize(1);
        items.put("0", new ItemView("0", read(ItemRecord.fresh(AT, 5, 1)), 0, false, null, false, null));
        assertThat(endedStops(all)).containsExactly(all);
        item("0", ItemState.IDLE, AT);
        triggers.clear();
        assertThat(endedStops(all)).as("the trigger has ended").containsExactly(all);
    }

    @Test
    void stopStaysWhileARecordIsUnknownAndGoesWithItsItem() {
        String fire = FireProgress.nodeOf(Fire.scheduled(AT), 1);
        item("0", ItemState.IDLE, AT);
        items.put("1", new ItemView("1", null, 0, false, null, false, new UnreadableNode("damaged", 3, true)));

        assertThat(endedStops(stop(null, fire), stop("1", fire))).isEmpty();
        items.remove("1");
        assertThat(endedStops(stop(null, fire), stop("1", fire))).isEmpty();
        assertThat(endedStops(stop("7", fire)))
                .as("an item that does not exist")
                .hasSize(1);
    }

    @Test
    void onlyAQuietScheduledFireHasItsItemsRead() {
        String fire = scheduled(AT, Phase.OPEN, null, "0");

        assertThat(Cleanup.quiet(fires.get(fire), AT.plusMillis(999))).isEmpty();
        assertThat(Cleanup.quiet(fires.get(fire), AT.plusSeconds(1))).contains(Duration.ofSeconds(1));
    }
}
