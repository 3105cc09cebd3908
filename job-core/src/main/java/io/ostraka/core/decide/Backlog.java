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
 * The undecided fires of an item. Fires in {@code (cursor, from]} belong to replaced schedules, fires in {@code (from,
 * busyFrom]} precede the item's last busy time, fires in {@code (busyFrom, busyTo]} fell into it, and fires in {@code
 * (busyTo, now]} follow it.
 *
 * @param plain true if no policy has to decide: there is no undecided fire, or only the one on time
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

    /** Returns the latest fire up to an instant, replaced schedules included: the cursor once these fires are decided. */
    Instant decided(Instant upTo) {
        return times.latest(cursor, later(upTo, from), 1).stream().findFirst().orElse(cursor);
    }

    /** Returns whether a fire came due while the item was not working, and is late. */
    boolean misfired(Instant fire) {
        return !fire.equals(onTime) && (!fire.isAfter(busyFrom) || fire.isAfter(busyTo));
    }

    /** Returns whether overlapped fires remain after an instant; the item's busy time continues then. */
    boolean overlappedAfter(Instant decided) {
        return !times.latest(later(busyFrom, decided), busyTo, 1).isEmpty();
    }

    /**
     * Returns the fires that are skipped up to an instant, by reason.
     *
     * @param overlapped reason of the overlapped fires
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
