package io.ostraka.core.schedule;

import io.ostraka.api.Schedule;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.ItemRecord;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The fire times of a schedule whose delay starts at the end of an item's last run. Only one fire is known at a time,
 * because the next fire depends on the end of this fire's run. A fire is always after the record's cursor (the latest
 * fire that was completed or skipped) and never before the end of the last run. If the delay is zero, the fire is due
 * when the last run ends.
 */
final class DelayFireTimes implements FireTimes {
    private static final Duration LEAST = Duration.ofMillis(1);

    private final Schedule.Bounded schedule;
    private final Instant anchor;
    private final @Nullable ExcludedTimes excluded;
    /** Fire times of an item that has never run. */
    private final FireTimes first;

    /**
     * @param jobName name of the job, for exceptions
     * @param schedule a schedule with a fixed delay, an adaptive schedule or a continuous schedule
     * @param anchor instant at which the delay starts if the item has not run since then
     */
    DelayFireTimes(String jobName, Schedule.Bounded schedule, Instant anchor) {
        this.schedule = schedule;
        this.anchor = SupportedYears.clamp(anchor);
        this.excluded = schedule.excluded() == null ? null : ExcludedTimes.of(jobName, schedule.excluded());
        this.first = after(this.anchor, this.anchor, delay(schedule.base(), null));
    }

    @Override
    public FireTimes of(ItemRecord record) {
        Instant decided = later(anchor, record.cursor());
        Instant last = record.endedAt() == null ? decided : later(decided, record.endedAt());
        return after(decided, last, delay(schedule.base(), record.currentDelay()));
    }

    private FireTimes after(Instant decided, Instant last, Duration delay) {
        Instant fire = later(
                last.truncatedTo(ChronoUnit.MILLIS).plus(delay),
                decided.truncatedTo(ChronoUnit.MILLIS).plus(LEAST));
        if (schedule.start() != null && fire.isBefore(schedule.start())) {
            fire = schedule.start();
        }
        for (int piece = 0; excluded != null && excluded.contains(fire); piece++) {
            if (piece == ExcludedTimes.MOST_PIECES) {
                return new OnDemandFireTimes();
            }
            fire = excluded.to(fire);
        }
        return schedule.end() != null && fire.isAfter(schedule.end())
                ? new OnDemandFireTimes()
                : new SingleFireTimes(fire);
    }

    private static Instant later(Instant a, Instant b) {
        return a.isAfter(b) ? a : b;
    }

    /**
     * Returns the pause before the next run. The pause in the record may come from an earlier schedule with other
     * bounds, so it is limited to the bounds of this schedule.
     */
    private static Duration delay(Schedule schedule, @Nullable Duration current) {
        if (schedule instanceof Schedule.FixedDelay fixed) {
            return fixed.delay();
        }
        if (schedule instanceof Schedule.Adaptive adaptive) {
            if (current == null || current.compareTo(adaptive.base()) < 0) {
                return adaptive.base();
            }
            return current.compareTo(adaptive.longest()) < 0 ? current : adaptive.longest();
        }
        Duration idle = ((Schedule.Continuous) schedule).idle();
        return current == null || current.isZero() ? Duration.ZERO : idle;
    }

    @Override
    public Optional<Instant> next(Instant after) {
        return first.next(after);
    }

    @Override
    public List<Instant> latest(Instant after, Instant upTo, int max) {
        return first.latest(after, upTo, max);
    }

    @Override
    public long count(Instant after, Instant upTo) {
        return first.count(after, upTo);
    }

    @Override
    public long shortestGap() {
        return Math.max(LEAST.toMillis(), delay(schedule.base(), null).toMillis());
    }

    @Override
    public boolean patient() {
        return true;
    }
}
