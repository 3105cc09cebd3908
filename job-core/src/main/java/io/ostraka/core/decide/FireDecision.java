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
 * Decides the next step for an item from its record alone, so every owner decides the same.
 *
 * <p>Undecided fires lie between the record's cursor and now. Fires during the item's busy time, from {@link
 * Run#busySince()} to the end of its last run, are overlapped. The latest of the others is on time if it is younger than the
 * misfire threshold; the rest is misfired. Each policy keeps some of its fires. The oldest kept fire runs, and earlier fires
 * are skipped with their reason. After that run the decision is made again; this runs several missed fires in order without
 * a queue.
 *
 * <p>Fires of a replaced schedule never run: the next claim skips them.
 *
 * <p>With jitter, the item's clock runs behind by a fixed delay: a fire comes due for the item that much later. Fires keep
 * their instants; every other instant is shifted back before it is compared with them.
 *
 * <p>A record knows one busy time only. It continues while an overlapped fire waits: fires that come due then are overlapped
 * too, even while no run is active.
 */
public final class FireDecision {
    private FireDecision() {}

    /** Returns the next step for the item. */
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
        // fires before the trigger that no policy keeps are skipped now: this run's busy time would hide the reason
        Instant decided = kept(backlog, situation.snapshot().configuration())
                .map(FireDecision::before)
                .filter(kept -> kept.isBefore(triggeredAt))
                .orElse(triggeredAt.isBefore(backlog.now()) ? triggeredAt : backlog.now());
        return start(situation, backlog, trigger.fire(), decided, false);
    }

    /**
     * Returns the oldest trigger that waits for the item. Under a closed plan, the trigger or a later one must have begun:
     * an item decides its triggers in order and would never return to one that it passed over. A trigger that asks only for
     * items that the job lacks waits for every item: the first item that decides it ends it.
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

    /** Skips fires that no later claim can record, once the schedule has no further fire. */
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

    /** Starts a fire that is claimed for the first time, and skips the scheduled fires up to an instant. */
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

    /** Returns the oldest fire that a policy keeps. */
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
