package io.ostraka.core.decide;

import io.ostraka.api.SkipReason;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.Unrun;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The due fires that an item has neither claimed nor skipped yet. They fall into four ranges. Fires in {@code (cursor,
 * from]} belong to replaced schedules. The other ranges depend on the busy time: the item's last uninterrupted series
 * of runs. Fires in {@code (from, busyFrom]} became due before the busy time, fires in {@code (busyFrom, busyTo]}
 * during it, and fires in {@code (busyTo, now]} after it.
 *
 * @param plain true if no policy has to decide: no fire is due, or only one that is on time
 */
record Backlog(
        FireTimes times,
        Instant cursor,
        Instant from,
        Instant busyFrom,
        Instant busyTo,
        Instant now,
        @Nullable Instant onTime,
        boolean plain) {
    static Backlog of(FireSituation situation) {
        ItemRecord record = situation.record();
        Duration jitter = situation.jitter();
        Instant now = situation.now().minus(jitter);
        Instant from = later(record.cursor(), situation.snapshot().plan().since());
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
                                        && latest.plus(situation.snapshot().misfireThreshold())
                                                .isAfter(now)))
                ? latest
                : null;
        boolean plain = newest.size() == (onTime == null ? 0 : 1) && from.equals(record.cursor());
        return new Backlog(times, record.cursor(), from, busyFrom, busyTo, now, onTime, plain);
    }

    /**
     * Returns the item's next cursor if all fires up to an instant are claimed or skipped. The cursor is the latest of
     * these fires. All fires of replaced schedules are included.
     */
    Instant decided(Instant upTo) {
        return times.latest(cursor, later(upTo, from), 1).stream().findFirst().orElse(cursor);
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
    List<Unrun> leftOut(Instant upTo, SkipReason overlapped) {
        return Stream.of(
                        times.unrun(cursor, from, SkipReason.SCHEDULE_CHANGED),
                        times.unrun(from, earlier(busyFrom, upTo), SkipReason.MISFIRED),
                        times.unrun(busyFrom, earlier(busyTo, upTo), overlapped),
                        times.unrun(busyTo, upTo, SkipReason.MISFIRED))
                .flatMap(Optional::stream)
                .toList();
    }

    static Instant later(Instant a, Instant b) {
        return a.isAfter(b) ? a : b;
    }

    static Instant earlier(Instant a, Instant b) {
        return a.isBefore(b) ? a : b;
    }
}
