package io.ostraka.core.decide;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.SkipReason;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Skipped;
import io.ostraka.core.model.Trigger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides the next step of an item. The decision depends on the item's record and not on the item's owner, so every
 * instance makes the same decision.
 *
 * <p>The cursor of a record is the latest scheduled fire that the item has claimed or skipped. Scheduled fires after
 * the cursor that are due by now are undecided. The item's busy time lasts from {@link Run#busySince()} to the end of
 * its last run. An undecided fire that became due in the busy time is overlapped. The latest undecided fire is on time
 * if it is not overlapped and if less time than the misfire threshold has passed since it became due. All other
 * undecided fires are misfired.
 *
 * <p>The overlap policy keeps some of the overlapped fires, and the misfire policy keeps some of the misfired ones. The
 * item runs the oldest fire that is kept or on time, and skips the earlier fires with a reason. The decision is made
 * again after this run. Several missed fires thus run in order without a queue.
 *
 * <p>Fires of a replaced schedule and fires that an operator has skipped never run. The next claim skips them. A fire
 * that an operator has stopped is skipped at once.
 *
 * <p>With jitter, each item delays the start of its fires by a fixed time. Before the decision compares the current
 * time or the times of runs with the due times of fires, it subtracts this delay from them.
 *
 * <p>A record stores only one busy time. This busy time continues while an overlapped fire waits for its run, so fires
 * that become due during this wait count as overlapped, too, although the item is not running.
 */
public final class FireDecision {
    private FireDecision() {}

    /** Returns the next step of the item. */
    public static Due decide(FireSituation situation) {
        ItemRecord record = situation.record();
        ShardingPlan plan = situation.snapshot().plan();
        if (!belongs(record, plan)) {
            return new Due.Nothing(Optional.empty());
        }
        if (record.unfinished()) {
            return situation.interruption() == FireSituation.Interruption.NONE
                    ? new Due.Nothing(Optional.empty())
                    : Takeover.decide(situation, record.requireRun());
        }
        Trigger trigger = nextTrigger(situation);
        boolean quarantined = record.state() == ItemState.QUARANTINED;
        SkipReason skip = trigger == null ? null : skipped(situation, trigger);
        if (trigger != null && skip != null) {
            return new Due.Settle(trigger.fire(), record.skipped(trigger.fire(), skip), ItemOutcome.SKIPPED);
        }
        Due scheduled = quarantined || situation.scheduledWait() || !open(situation.snapshot(), situation.item(), false)
                ? new Due.Nothing(Optional.empty())
                : scheduled(situation);
        if (trigger == null) {
            return unlessStopped(situation, scheduled);
        }
        Instant triggeredAt = trigger.at().minus(situation.jitter());
        if (scheduled instanceof Due.Start start && start.fire().at().isBefore(triggeredAt)) {
            return unlessStopped(situation, scheduled);
        }
        Backlog backlog = Backlog.of(situation);
        // the claim of the trigger also skips the earlier scheduled fires that no policy keeps, because they would
        // count as overlapped after the run
        Instant decided = kept(backlog, situation.snapshot().configuration())
                .map(FireDecision::before)
                .filter(kept -> kept.isBefore(triggeredAt))
                .orElse(triggeredAt.isBefore(backlog.now()) ? triggeredAt : backlog.now());
        return start(situation, backlog.skippingUpTo(triggeredAt), trigger.fire(), decided, false);
    }

    /**
     * Returns whether nothing would keep the item's next fire from starting if that fire were due now. The run of a
     * streaming job asks this before each batch, because its own end may never come.
     *
     * @param record record that the claim of the run wrote. If the run belongs to a trigger, the next fire is a
     *     trigger, too
     */
    public static boolean mayStartNext(JobSnapshot snapshot, String item, ItemRecord record, Instant now) {
        boolean triggered = record.requireRun().fire().triggered();
        return belongs(record, snapshot.plan())
                && open(snapshot, item, triggered)
                && (triggered || !snapshot.plan().startsAfter().isAfter(now));
    }

    private static boolean belongs(ItemRecord record, ShardingPlan plan) {
        return record.state() != ItemState.RETIRED && record.incarnation() == plan.incarnation();
    }

    private static boolean open(JobSnapshot snapshot, String item, boolean triggered) {
        return !snapshot.plan().closed() && !snapshot.disabled(item) && (triggered || !snapshot.paused());
    }

    /** Returns the reason why the item skips a trigger; null if the item runs it. */
    private static @Nullable SkipReason skipped(FireSituation situation, Trigger trigger) {
        ShardingPlan plan = situation.snapshot().plan();
        if (!trigger.concerns(situation.item())) {
            return SkipReason.NOT_CONCERNED;
        }
        if (plan.change() != null && plan.change().target() == 0) {
            return SkipReason.REMOVED;
        }
        if (trigger.chosenForOtherItems(plan)) {
            return SkipReason.ITEM_COUNT_CHANGED;
        }
        if (situation.record().state() == ItemState.QUARANTINED) {
            return SkipReason.QUARANTINED;
        }
        if (situation.stop(trigger.fire()).isPresent()) {
            return SkipReason.STOPPED;
        }
        return situation.snapshot().disabled(situation.item()) ? SkipReason.DISABLED : null;
    }

    /**
     * Returns the given decision, or a skip if the decision would start a scheduled fire that an operator has stopped.
     */
    private static Due unlessStopped(FireSituation situation, Due due) {
        if (!(due instanceof Due.Start start) || situation.stop(start.fire()).isEmpty()) {
            return due;
        }
        Instant at = start.fire().at();
        List<Skipped> skipped = new ArrayList<>(start.skipped());
        skipped.add(new Skipped(at, at, 1, SkipReason.STOPPED));
        return new Due.Settle(start.fire(), situation.record().skippedTo(at, skipped), ItemOutcome.SKIPPED);
    }

    /**
     * Returns the oldest manual trigger that waits for the item; null if no trigger waits, or if none can start yet. An
     * item takes its triggers in the order of their creation. While the plan is closed for a change, the item takes a
     * trigger only if that trigger or a later one has already begun. A trigger that names no existing item is returned
     * for every item, so that the first item to skip this trigger ends it.
     */
    private static @Nullable Trigger nextTrigger(FireSituation situation) {
        List<Trigger> triggers = situation.triggers();
        for (int i = 0; i < triggers.size(); i++) {
            if (waits(triggers.get(i), situation)) {
                return mayStart(situation, i) ? triggers.get(i) : null;
            }
        }
        return null;
    }

    private static boolean waits(Trigger trigger, FireSituation situation) {
        return trigger.zxid() > situation.record().triggerCursor()
                && (trigger.concerns(situation.item()) || concernsNoItem(trigger, situation));
    }

    private static boolean mayStart(FireSituation situation, int first) {
        List<Trigger> triggers = situation.triggers();
        return !situation.snapshot().plan().closed()
                || triggers.subList(first, triggers.size()).stream()
                        .anyMatch(trigger -> waits(trigger, situation)
                                && situation
                                        .begunFires()
                                        .contains(trigger.fire().id()));
    }

    private static boolean concernsNoItem(Trigger trigger, FireSituation situation) {
        ShardingPlan plan = situation.snapshot().plan();
        return trigger.request().items().stream().noneMatch(item -> plan.has(item) && trigger.concerns(item));
    }

    private static Due scheduled(FireSituation situation) {
        Backlog backlog = Backlog.of(situation);
        if (backlog.onTime() != null && backlog.plain()) {
            return new Due.Start(
                    Fire.scheduled(backlog.onTime()),
                    situation.snapshot().plan().total(),
                    1,
                    0,
                    situation.now(),
                    backlog.cursor(),
                    List.of(),
                    false);
        }
        Optional<Instant> pick = backlog.plain()
                ? Optional.empty()
                : kept(backlog, situation.snapshot().configuration());
        if (pick.isPresent()) {
            return start(
                    situation, backlog, Fire.scheduled(pick.get()), before(pick.get()), backlog.misfired(pick.get()));
        }
        Optional<Instant> next = backlog.next();
        return next.isEmpty() && !backlog.plain()
                ? skip(situation, backlog)
                : new Due.Nothing(
                        next.map(at -> at.plus(situation.jitter())),
                        backlog.plain() ? List.of() : backlog.misfires(backlog.now()));
    }

    /**
     * Skips the due fires that no policy keeps. Used if the schedule has no later fire, because then no later claim can
     * skip these fires.
     */
    private static Due skip(FireSituation situation, Backlog backlog) {
        List<Skipped> skipped = backlog.skipped(
                backlog.now(),
                Overlap.reason(situation.snapshot().configuration().overlap()));
        if (skipped.isEmpty()) {
            return new Due.Nothing(Optional.empty());
        }
        Instant last = backlog.decided(backlog.now());
        return new Due.Settle(Fire.scheduled(last), situation.record().skippedTo(last, skipped), ItemOutcome.SKIPPED);
    }

    private static Instant before(Instant fire) {
        return fire.minusMillis(1);
    }

    /**
     * Returns the step that claims a fire for its first attempt. The claim also skips the scheduled fires that are due
     * by {@code decided}.
     */
    private static Due.Start start(
            FireSituation situation, Backlog backlog, Fire fire, Instant decided, boolean misfired) {
        return new Due.Start(
                fire,
                situation.snapshot().plan().total(),
                1,
                0,
                backlog.overlappedAfter(decided) ? backlog.busyFrom().plus(situation.jitter()) : situation.now(),
                backlog.decided(decided),
                backlog.skipped(
                        decided,
                        Overlap.reason(situation.snapshot().configuration().overlap())),
                misfired);
    }

    /** Returns the oldest of these fires: the fire that is on time, and the fires that a policy keeps. */
    private static Optional<Instant> kept(Backlog backlog, JobConfiguration configuration) {
        return Stream.of(
                        Misfire.oldest(backlog, configuration),
                        Overlap.oldest(backlog, configuration.overlap()),
                        Optional.ofNullable(backlog.onTime()))
                .flatMap(Optional::stream)
                .min(Instant::compareTo);
    }
}
