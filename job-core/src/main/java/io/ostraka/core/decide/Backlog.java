package io.ostraka.core.decide;

import io.ostraka.api.SkipReason;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Skipped;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The due fires that an item has neither claimed nor skipped yet. They fall into five ranges. Fires in {@code (cursor,
 * since]} belong to replaced schedules. An operator has skipped the fires in {@code (since, from]}. The other ranges
 * depend on the busy time, which is the item's last uninterrupted series of runs. Fires in {@code (from, busyFrom]}
 * became due before the busy time, fires in {@code (busyFrom, busyTo]} during it, and fires in {@code (busyTo, now]}
 * after it.
 *
 * @param times fire times of the item, without {@code ranAhead}
 * @param skipTo instant up to which no fire starts; in the future if an operator has skipped future fires
 * @param ranAhead fire that the item has run before the fire's due time; null if there is none
 * @param plain true if no policy has to decide, because no fire is due or the only due fire is on time
 */
record Backlog(
        FireTimes times,
        Instant cursor,
        Instant since,
        Instant skipTo,
        Instant from,
        Instant busyFrom,
        Instant busyTo,
        Instant now,
        @Nullable Instant onTime,
        @Nullable Instant ranAhead,
        boolean plain) {
    static Backlog of(FireSituation situation) {
        ItemRecord record = situation.record();
        Duration jitter = situation.jitter();
        Instant now = situation.now().minus(jitter);
        ShardingPlan plan = situation.snapshot().plan();
        Instant since = later(record.cursor(), plan.since());
        // the cursor must not be in the future, so fires that are not due yet stay undecided
        Instant from = later(since, earlier(plan.startsAfter(), now));
        Run last = record.run();
        Instant endedAt = record.endedAt();
        Instant busyTo = earlier(later(from, endedAt == null ? from : endedAt.minus(jitter)), later(from, now));
        Instant busyFrom =
                earlier(later(from, last == null ? from : last.busySince().minus(jitter)), busyTo);
        Instant ranAhead = ShardingPlan.canSkip(plan.schedule()) ? record.ranAhead() : null;
        FireTimes times = ranAhead == null ? situation.times() : new OtherFireTimes(situation.times(), ranAhead);
        List<Instant> newest = times.latest(from, now, 2);
        Instant latest = newest.isEmpty() ? null : newest.get(newest.size() - 1);
        boolean overlapped = latest != null && latest.isAfter(busyFrom) && !latest.isAfter(busyTo);
        Instant onTime = latest != null
                        && (times.patient()
                                || (!overlapped
                                        && latest.plus(situation.snapshot().misfireThreshold())
                                                .isAfter(now)))
                ? latest
                : null;
        boolean plain = ranAhead == null && newest.size() == (onTime == null ? 0 : 1) && from.equals(record.cursor());
        return new Backlog(
                times,
                record.cursor(),
                since,
                plan.startsAfter(),
                from,
                busyFrom,
                busyTo,
                now,
                onTime,
                ranAhead,
                plain);
    }

    /**
     * Returns the same backlog, in which an operator's skip ends at a limit. The fires after the limit stay undecided.
     * Used for claims of manual triggers, which may start even if this instance's clock is ahead of the server's clock.
     */
    Backlog skippingUpTo(Instant limit) {
        return new Backlog(
                times,
                cursor,
                since,
                skipTo,
                later(since, earlier(from, limit)),
                busyFrom,
                busyTo,
                now,
                onTime,
                ranAhead,
                plain);
    }

    /**
     * Returns the time of the next fire that needs a decision: the first future fire that an operator has not skipped.
     * If there is no such fire, returns the last skipped fire, because no later claim would record the skip.
     */
    Optional<Instant> next() {
        Optional<Instant> next = times.next(later(now, skipTo));
        return next.isPresent() || !skipTo.isAfter(now)
                ? next
                : times.latest(now, skipTo, 1).stream().findFirst();
    }

    /**
     * Returns the cursor that the item gets if all fires up to an instant are claimed or skipped. The cursor is the
     * latest of these fires, which include all fires of replaced schedules.
     */
    Instant decided(Instant upTo) {
        Instant until = later(upTo, from);
        Instant last = times.latest(cursor, until, 1).stream().findFirst().orElse(cursor);
        return ranAhead != null && !ranAhead.isAfter(until) ? later(last, ranAhead) : last;
    }

    /** Returns whether a fire is misfired: it is late, and it became due outside the busy time. */
    boolean misfired(Instant fire) {
        return !fire.equals(onTime) && (!fire.isAfter(busyFrom) || fire.isAfter(busyTo));
    }

    /**
     * Returns whether any overlapped fire is later than an instant. If so, the item's busy time continues with its next
     * run.
     */
    boolean overlappedAfter(Instant decided) {
        return !times.latest(later(busyFrom, decided), busyTo, 1).isEmpty();
    }

    /**
     * Returns all fires up to an instant as skipped fires, grouped by the reason for skipping them.
     *
     * @param overlapped reason for skipping overlapped fires
     */
    List<Skipped> skipped(Instant upTo, SkipReason overlapped) {
        return Stream.of(
                        times.skipped(cursor, since, SkipReason.SCHEDULE_CHANGED),
                        times.skipped(since, from, SkipReason.SKIPPED_BY_OPERATOR),
                        times.skipped(from, earlier(busyFrom, upTo), SkipReason.MISFIRED),
                        times.skipped(busyFrom, earlier(busyTo, upTo), overlapped),
                        times.skipped(busyTo, upTo, SkipReason.MISFIRED),
                        ranAhead(later(upTo, from)))
                .flatMap(Optional::stream)
                .toList();
    }

    /** Returns the misfires up to an instant as skipped fires. */
    List<Skipped> misfires(Instant upTo) {
        return Stream.of(
                        times.skipped(from, earlier(busyFrom, upTo), SkipReason.MISFIRED),
                        times.skipped(busyTo, upTo, SkipReason.MISFIRED))
                .flatMap(Optional::stream)
                .toList();
    }

    /** Returns the fire that ran before its due time if the cursor passes this fire; otherwise empty. */
    private Optional<Skipped> ranAhead(Instant upTo) {
        return ranAhead == null || !ranAhead.isAfter(cursor) || ranAhead.isAfter(upTo)
                ? Optional.empty()
                : Optional.of(new Skipped(ranAhead, ranAhead, 1, SkipReason.RAN_AHEAD));
    }

    static Instant later(Instant a, Instant b) {
        return a.isAfter(b) ? a : b;
    }

    static Instant earlier(Instant a, Instant b) {
        return a.isBefore(b) ? a : b;
    }
}
