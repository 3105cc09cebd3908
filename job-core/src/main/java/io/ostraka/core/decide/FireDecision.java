package io.ostraka.core.decide;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.SkipReason;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Unrun;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides the next step of an item. The decision depends on the item's record and not on its owner, so every owner
 * decides the same.
 *
 * <p>The record's cursor is the latest scheduled fire that was claimed or skipped. Fires between the cursor and now are
 * open. Open fires that became due during the item's busy time, from {@link Run#busySince()} to the end of its last
 * run, are overlapped. Of all other open fires, the latest is on time if it is younger than the misfire threshold, and
 * the rest are misfired. The misfire policy and the overlap policy each keep some of their fires. The oldest kept fire
 * runs; earlier fires are skipped with a reason. After the run, the decision is made again. Several missed fires thus
 * run in order without a queue.
 *
 * <p>Fires of a replaced schedule never run. The next claim skips them.
 *
 * <p>With jitter, each item starts its fires later by a fixed delay. The decision subtracts this delay from the current
 * time and from all times of runs, and then compares them with the fires' own instants.
 *
 * <p>A record stores only one busy time. The busy time continues while an overlapped fire waits for its run. Fires that
 * become due in that time count as overlapped too, even if the item does not run at that moment.
 */
public final class FireDecision {
    private FireDecision() {}

    /** Returns the next step of the item. */
    public static Due decide(FireSituation situation) {
        ItemRecord record = situation.record();
        ShardingPlan plan = situation.snapshot().plan();
        if (record.state() == ItemState.RETIRED || record.incarnation() != plan.incarnation()) {
            return new Due.Nothing(Optional.empty());
        }
        if (record.unfinished()) {
            return situation.interruption() == FireSituation.Interruption.NONE
                    ? new Due.Nothing(Optional.empty())
                    : Takeover.decide(situation, record.requireRun());
        }
        Trigger trigger = nextTrigger(situation);
        boolean quarantined = record.state() == ItemState.QUARANTINED;
        boolean removed = plan.change() != null && plan.change().target() == 0;
        boolean foreign = trigger != null && !trigger.concerns(situation.item());
        if (trigger != null
                && (quarantined || removed || foreign || situation.snapshot().disabled(situation.item()))) {
            SkipReason reason = foreign
                    ? SkipReason.NOT_CONCERNED
                    : removed ? SkipReason.REMOVED : quarantined ? SkipReason.QUARANTINED : SkipReason.DISABLED;
            return new Due.Settle(trigger.fire(), record.skipped(trigger.fire(), reason), ItemOutcome.SKIPPED);
        }
        Due scheduled = quarantined
                        || plan.closed()
                        || situation.snapshot().paused()
                        || situation.snapshot().disabled(situation.item())
                ? new Due.Nothing(Optional.empty())
                : scheduled(situation);
        if (trigger == null) {
            return scheduled;
        }
        Instant triggeredAt = trigger.at().minus(situation.jitter());
        if (scheduled instanceof Due.Start start && start.fire().at().isBefore(triggeredAt)) {
            return scheduled;
        }
        Backlog backlog = Backlog.of(situation);
        // skips the fires before the trigger that no policy keeps: after this run they would count as overlapped
        Instant decided = kept(backlog, situation.snapshot().configuration())
                .map(FireDecision::before)
                .filter(kept -> kept.isBefore(triggeredAt))
                .orElse(triggeredAt.isBefore(backlog.now()) ? triggeredAt : backlog.now());
        return start(situation, backlog, trigger.fire(), decided, false);
    }

    /**
     * Returns the oldest trigger that waits for the item. An item takes its triggers in order. Under a closed plan, the
     * item therefore takes a trigger only if that trigger or a later one has begun. A trigger that requests only items
     * that the job does not have is returned for every item; the first item that skips the trigger ends it.
     */
    private static @Nullable Trigger nextTrigger(FireSituation situation) {
        if (situation.triggers().isEmpty()) {
            return null;
        }
        List<Trigger> waiting = situation.triggers().stream()
                .filter(trigger -> trigger.zxid() > situation.record().triggerCursor()
                        && (trigger.concerns(situation.item()) || concernsNoItem(trigger, situation)))
                .toList();
        boolean mayStart = !situation.snapshot().plan().closed()
                || waiting.stream()
                        .anyMatch(trigger ->
                                situation.begunFires().contains(trigger.fire().id()));
        return waiting.isEmpty() || !mayStart ? null : waiting.get(0);
    }

    private static boolean concernsNoItem(Trigger trigger, FireSituation situation) {
        return situation.snapshot().plan().keys().stream().noneMatch(trigger::concerns);
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
        Optional<Instant> next = backlog.times().next(backlog.now());
        return next.isEmpty() && !backlog.plain()
                ? leaveOut(situation, backlog)
                : new Due.Nothing(next.map(at -> at.plus(situation.jitter())));
    }

    /** Skips all open fires after the last fire of the schedule. No later claim would record them as skipped. */
    private static Due leaveOut(FireSituation situation, Backlog backlog) {
        List<Unrun> unrun = backlog.leftOut(
                backlog.now(),
                Overlap.reason(situation.snapshot().configuration().overlap()));
        if (unrun.isEmpty()) {
            return new Due.Nothing(Optional.empty());
        }
        Instant last = backlog.decided(backlog.now());
        return new Due.Settle(Fire.scheduled(last), situation.record().leftOut(last, unrun), ItemOutcome.SKIPPED);
    }

    private static Instant before(Instant fire) {
        return fire.minusMillis(1);
    }

    /** Returns the first claim of a fire, which also skips the scheduled fires up to {@code decided}. */
    private static Due.Start start(
            FireSituation situation, Backlog backlog, Fire fire, Instant decided, boolean misfired) {
        return new Due.Start(
                fire,
                situation.snapshot().plan().total(),
                1,
                0,
                backlog.overlappedAfter(decided) ? backlog.busyFrom().plus(situation.jitter()) : situation.now(),
                backlog.decided(decided),
                backlog.leftOut(
                        decided,
                        Overlap.reason(situation.snapshot().configuration().overlap())),
                misfired);
    }

    /** Returns the oldest fire that is on time or that a policy keeps. */
    private static Optional<Instant> kept(Backlog backlog, JobConfiguration configuration) {
        Instant onTime = backlog.onTime();
        return Stream.of(
                        Misfire.kept(backlog, configuration),
                        Overlap.kept(backlog, configuration.overlap()),
                        onTime == null ? List.<Instant>of() : List.of(onTime))
                .flatMap(List::stream)
                .min(Instant::compareTo);
    }
}
