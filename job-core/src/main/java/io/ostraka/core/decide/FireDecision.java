package io.ostraka.core.decide;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.SkipReason;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Unrun;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides what is due for an item, from its record alone: nothing is remembered, so every owner decides the same.
 *
 * <p>Undecided fires lie between the record's cursor and now. Those that came while the item was working, from {@link
 * Run#busySince()} to the end of its last run, are overlapped. Of the others the latest is on time if it is younger
 * than the misfire threshold; the rest is misfired. Each policy keeps some of its fires; the oldest that is kept is
 * run, and what lies before it is left out, with its reason. The decision is then made again after that run, which is
 * how several missed fires are run in order without any queue.
 *
 * <p>Fires of a schedule that another one has replaced are never run any more: the next claim leaves them out.
 *
 * <p>With a jitter each item lives by a clock that runs behind by a time of its own: what comes up at an instant comes up
 * for it that much later. Fires keep their instants; everything else that is compared with them is put back first.
 *
 * <p>A record tells of one busy time only. It goes on while an overlapped fire waits: what comes then, even while nothing
 * runs, is overlapped too.
 */
public final class FireDecision {
    private FireDecision() {}

    /** Returns the delay of an item's fires behind their schedule. */
    public static Duration jitter(Schedule schedule, String job, String item) {
        return schedule instanceof Schedule.Bounded ? Jitter.of(schedule, job, item) : Duration.ZERO;
    }

    /**
     * What the decision is made from.
     *
     * @param snapshot the job
     * @param item the item's key
     * @param record its record
     * @param interruption whether its unfinished fire was interrupted, and how
     * @param triggers the job's manual triggers, oldest first
     * @param begunFires ids of those whose progress is kept already
     * @param now this instance's clock
     */
    public record Situation(
            JobSnapshot snapshot,
            String item,
            ItemRecord record,
            Interruption interruption,
            List<Trigger> triggers,
            Set<String> begunFires,
            Instant now) {
        /** By how much the item starts later than its fires. */
        Duration jitter() {
            return FireDecision.jitter(
                    snapshot.plan().schedule(), snapshot.configuration().jobName(), item);
        }

        /** What fires for the item. */
        FireTimes times() {
            return snapshot.times().of(record);
        }
    }

    /** How an unfinished fire stands. */
    public enum Interruption {
        /** There is none, or its owner still has it. */
        NONE,
        /** Its owner died running it. */
        CRASHED,
        /** Its owner gave it up in good order, or lives on under a new session. */
        GIVEN_UP
    }

    /** Decides. */
    public static Due decide(Situation situation) {
        ItemRecord record = situation.record;
        ShardingPlan plan = situation.snapshot.plan();
        if (record.state() == ItemState.RETIRED || record.incarnation() != plan.incarnation()) {
            return new Due.Nothing(Optional.empty());
        }
        if (record.unfinished()) {
            return situation.interruption == Interruption.NONE
                    ? new Due.Nothing(Optional.empty())
                    : takeOver(situation, record.requireRun());
        }
        Trigger trigger = nextTrigger(situation);
        boolean parked = record.state() == ItemState.QUARANTINED;
        boolean removed = plan.change() != null && plan.change().target() == 0;
        boolean foreign = trigger != null && !trigger.concerns(situation.item);
        if (trigger != null && (parked || removed || foreign || situation.snapshot.disabled(situation.item))) {
            SkipReason reason = foreign
                    ? SkipReason.NOT_CONCERNED
                    : removed ? SkipReason.REMOVED : parked ? SkipReason.QUARANTINED : SkipReason.DISABLED;
            return new Due.Settle(trigger.fire(), record.skipped(trigger.fire(), reason), ItemOutcome.SKIPPED);
        }
        Due scheduled =
                parked || plan.closed() || situation.snapshot.paused() || situation.snapshot.disabled(situation.item)
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
        // what had come before the trigger and no policy keeps is left out now: this run's busy time would hide why
        Instant decided = backlog.kept(situation.snapshot.configuration())
                .map(FireDecision::before)
                .filter(kept -> kept.isBefore(triggeredAt))
                .orElse(triggeredAt.isBefore(backlog.now) ? triggeredAt : backlog.now);
        return start(situation, backlog, trigger.fire(), decided, false);
    }

    /**
     * The oldest trigger that waits for the item. Under a closed plan only if it has begun, or one after it has: an item
     * decides its triggers in order, and one that it passed over would never be due again. One that asks for no item that
     * the job has waits for every item: whichever comes first ends it.
     */
    private static @Nullable Trigger nextTrigger(Situation situation) {
        if (situation.triggers.isEmpty()) {
            return null;
        }
        List<Trigger> waiting = situation.triggers.stream()
                .filter(trigger -> trigger.zxid() > situation.record.triggerCursor()
                        && (trigger.concerns(situation.item) || concernsNobody(trigger, situation)))
                .toList();
        boolean mayStart = !situation.snapshot.plan().closed()
                || waiting.stream()
                        .anyMatch(trigger ->
                                situation.begunFires.contains(trigger.fire().id()));
        return waiting.isEmpty() || !mayStart ? null : waiting.get(0);
    }

    private static boolean concernsNobody(Trigger trigger, Situation situation) {
        return situation.snapshot.plan().keys().stream().noneMatch(trigger::concerns);
    }

    /**
     * Tells when a run that is under way is ended by {@link OverlapPolicy.CancelRunning}: when the first fire comes up after
     * its start. Empty when none ever does.
     */
    public static Optional<Instant> overtaken(JobSnapshot snapshot, String item, Run run) {
        if (!(snapshot.configuration().overlap() instanceof OverlapPolicy.CancelRunning)
                || run.fire().triggered()
                || snapshot.plan().closed()
                || snapshot.paused()
                || snapshot.disabled(item)
                || snapshot.times().patient()) {
            return Optional.empty();
        }
        Duration jitter =
                jitter(snapshot.plan().schedule(), snapshot.configuration().jobName(), item);
        Instant after = Backlog.later(run.startedAt().minus(jitter), run.fire().at());
        return snapshot.times().next(after).map(next -> next.plus(jitter));
    }

    private static Due takeOver(Situation situation, Run run) {
        ItemRecord record = situation.record;
        JobConfiguration configuration = situation.snapshot.configuration();
        ShardingPlan.Change change = situation.snapshot.plan().change();
        int crashes = run.crashes() + (situation.interruption == Interruption.CRASHED ? 1 : 0);
        if (!configuration.failover()
                || situation.snapshot.disabled(situation.item)
                || (change != null && change.target() == 0)) {
            String error = "owner " + run.owner() + " ended in mid-run";
            return new Due.Settle(
                    run.fire(),
                    record.completed(situation.now, ItemOutcome.INTERRUPTED, error),
                    ItemOutcome.INTERRUPTED);
        }
        if (crashes >= configuration.maxAttempts()) {
            String error = crashes + " instances died running this fire, the last of them " + run.owner();
            return new Due.Settle(run.fire(), record.quarantined(situation.now, error), ItemOutcome.CRASHED);
        }
        return new Due.Start(
                run.fire(), run.total(), run.attempt() + 1, crashes, run.busySince(), record.cursor(), record.unrun());
    }

    private static Due scheduled(Situation situation) {
        Backlog backlog = Backlog.of(situation);
        if (backlog.onTime != null && backlog.plain) {
            return new Due.Start(
                    Fire.scheduled(backlog.onTime),
                    situation.snapshot.plan().total(),
                    1,
                    0,
                    situation.now,
                    backlog.cursor,
                    List.of(),
                    false);
        }
        Optional<Instant> pick = backlog.plain ? Optional.empty() : backlog.kept(situation.snapshot.configuration());
        if (pick.isPresent()) {
            return start(
                    situation, backlog, Fire.scheduled(pick.get()), before(pick.get()), backlog.misfired(pick.get()));
        }
        Optional<Instant> next = backlog.times.next(backlog.now);
        return next.isEmpty() && !backlog.plain
                ? leaveOut(situation, backlog)
                : new Due.Nothing(next.map(at -> at.plus(situation.jitter())));
    }

    /** No claim will come that could say what was left out after the last one: it is said by itself, once. */
    private static Due leaveOut(Situation situation, Backlog backlog) {
        List<Unrun> unrun =
                backlog.leftOut(backlog.now, situation.snapshot.configuration().overlap());
        if (unrun.isEmpty()) {
            return new Due.Nothing(Optional.empty());
        }
        Instant last = backlog.decided(backlog.now);
        return new Due.Settle(Fire.scheduled(last), situation.record.leftOut(last, unrun), ItemOutcome.SKIPPED);
    }

    private static Instant before(Instant fire) {
        return fire.minusMillis(1);
    }

    /** Starts a fire that is claimed for the first time, and leaves out the scheduled fires up to an instant. */
    private static Due.Start start(Situation situation, Backlog backlog, Fire fire, Instant decided, boolean misfired) {
        return new Due.Start(
                fire,
                situation.snapshot.plan().total(),
                1,
                0,
                backlog.overlappedAfter(decided) ? backlog.busyFrom.plus(situation.jitter()) : situation.now,
                backlog.decided(decided),
                backlog.leftOut(decided, situation.snapshot.configuration().overlap()),
                misfired);
    }

    /**
     * The undecided fires: those in {@code (cursor, from]} are of schedules that are no longer in force, those in {@code
     * (from, busyFrom]} came before the item's last busy time, those in {@code (busyFrom, busyTo]} fell into it, those in
     * {@code (busyTo, now]} came after it.
     *
     * @param plain whether there is none but the one on time, if that: mostly so, and then no policy has anything to say
     */
    private record Backlog(
            FireTimes times,
            Instant cursor,
            Instant from,
            Instant busyFrom,
            Instant busyTo,
            Instant now,
            @Nullable Instant onTime,
            boolean plain) {
        static Backlog of(Situation situation) {
            ItemRecord record = situation.record;
            Duration jitter = situation.jitter();
            Instant now = situation.now.minus(jitter);
            Instant from = later(record.cursor(), situation.snapshot.plan().since());
            Run last = record.run();
            Instant endedAt = record.endedAt();
            Instant busyTo = earlier(later(from, endedAt == null ? from : endedAt.minus(jitter)), later(from, now));
            Instant busyFrom =
                    earlier(later(from, last == null ? from : last.busySince().minus(jitter)), busyTo);
            FireTimes times = situation.times();
            List<Instant> newest = times.latest(from, now, 2);
            Instant latest = newest.isEmpty() ? null : newest.get(newest.size() - 1);
            boolean overlapped = latest != null && latest.isAfter(busyFrom) && !latest.isAfter(busyTo);
            Instant onTime = latest != null
                            && (times.patient()
                                    || (!overlapped
                                            && latest.plus(situation.snapshot.misfireThreshold())
                                                    .isAfter(now)))
                    ? latest
                    : null;
            boolean plain = newest.size() == (onTime == null ? 0 : 1) && from.equals(record.cursor());
            return new Backlog(times, record.cursor(), from, busyFrom, busyTo, now, onTime, plain);
        }

        /** The oldest fire that some policy keeps. */
        Optional<Instant> kept(JobConfiguration configuration) {
            return Stream.of(
                            misfired(configuration),
                            overlapped(configuration.overlap()),
                            onTime == null ? List.<Instant>of() : List.of(onTime))
                    .flatMap(List::stream)
                    .min(Instant::compareTo);
        }

        private List<Instant> misfired(JobConfiguration configuration) {
            MisfirePolicy policy = configuration.misfire();
            if (policy instanceof MisfirePolicy.Skip || (policy instanceof MisfirePolicy.FireOnce && onTime != null)) {
                return List.of();
            }
            int max = policy instanceof MisfirePolicy.FireAll all ? all.max() : 1;
            Instant upTo = onTime == null ? now : onTime.minusMillis(1);
            Instant oldest = configuration.catchUpWindow().map(now::minus).orElse(from);
            List<Instant> latest = new ArrayList<>(times.latest(later(busyTo, oldest), upTo, max));
            if (latest.size() < max) {
                latest.addAll(times.latest(later(from, oldest), earlier(busyFrom, upTo), max - latest.size()));
            }
            return latest;
        }

        private List<Instant> overlapped(OverlapPolicy policy) {
            if (policy instanceof OverlapPolicy.Skip
                    || (onTime != null
                            && (policy instanceof OverlapPolicy.Coalesce
                                    || policy instanceof OverlapPolicy.CancelRunning))) {
                return List.of();
            }
            return times.latest(busyFrom, busyTo, policy instanceof OverlapPolicy.Queue queue ? queue.max() : 1);
        }

        /** The latest fire up to an instant, and of schedules that are no longer in force: the cursor once they are decided. */
        Instant decided(Instant upTo) {
            return times.latest(cursor, later(upTo, from), 1).stream()
                    .findFirst()
                    .orElse(cursor);
        }

        /** Tells whether a fire that is kept came while the item wasn't working, and is late. */
        boolean misfired(Instant fire) {
            return !fire.equals(onTime) && (!fire.isAfter(busyFrom) || fire.isAfter(busyTo));
        }

        /** Tells whether overlapped fires wait, the one that is run included: the item's busy time goes on. */
        boolean overlappedAfter(Instant decided) {
            return !times.latest(later(busyFrom, decided), busyTo, 1).isEmpty();
        }

        /** What lies before the fire that is run, by reason. */
        List<Unrun> leftOut(Instant upTo, OverlapPolicy overlap) {
            SkipReason overlapped =
                    overlap instanceof OverlapPolicy.Coalesce ? SkipReason.COALESCED : SkipReason.OVERLAPPED;
            return Stream.of(
                            times.unrun(cursor, from, SkipReason.SCHEDULE_CHANGED),
                            times.unrun(from, earlier(busyFrom, upTo), SkipReason.MISFIRED),
                            times.unrun(busyFrom, earlier(busyTo, upTo), overlapped),
                            times.unrun(busyTo, upTo, SkipReason.MISFIRED))
                    .flatMap(Optional::stream)
                    .toList();
        }

        private static Instant later(Instant a, Instant b) {
            return a.isAfter(b) ? a : b;
        }

        private static Instant earlier(Instant a, Instant b) {
            return a.isBefore(b) ? a : b;
        }
    }
}
