package io.ostraka.api;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Kinds of alarms. A job has at most one alarm of each kind at a time. */
public enum AlarmKind {
    /**
     * A due fire of an item has not begun within the time limit of this alarm, or an item has skipped fires because
     * they were too late. The alarm begins 5 minutes after the fire was due, unless configured otherwise. It ends when
     * the item starts a fire in time.
     */
    MISSED(Duration.ofMinutes(5), true),
    /**
     * The latest fire of an item began late. The alarm begins if the fire started 5 minutes after it was due or later,
     * unless configured otherwise. It ends when the item starts a fire in time. A fire that was reported as missed is
     * not reported as late.
     */
    LATE(Duration.ofMinutes(5), true),
    /**
     * A run of an item takes too long. Without a configured limit, this means one of two cases: the run has lasted an
     * hour, the item's next fire is due, and the job has neither a timeout nor streaming; or the run has lasted a day,
     * and the job's schedule counts from the last run. The alarm ends with the run.
     */
    RUNS_TOO_LONG(null, true),
    /**
     * A configured number of consecutive fires of an item have failed. Without a configured number, one failed fire is
     * enough if the job's fires are an hour or more apart; otherwise three are necessary. The alarm ends when the item
     * succeeds.
     */
    FAILING(null, false),
    /** An item is quarantined. The alarm ends when an operator releases the item. */
    QUARANTINED(null, false),
    /**
     * An item has no instance, or the job has no plan, although instances host the job. The alarm begins after 10
     * minutes, unless configured otherwise. It ends when all items of the job have an instance.
     */
    UNPLACED(Duration.ofMinutes(10), true),
    /**
     * No registered instance hosts the job. The alarm begins after 10 minutes, unless configured otherwise. It ends
     * when an instance hosts the job.
     */
    NO_INSTANCE(Duration.ofMinutes(10), true),
    /**
     * The job has been paused for a long time. The alarm begins after 7 days, unless configured otherwise. It ends with
     * the pause.
     */
    PAUSED_LONG(Duration.ofDays(7), true),
    /**
     * An operator's override without an end has been in effect for a long time. The alarm begins after 30 days, unless
     * configured otherwise. It ends when the override is removed. Overrides of the fields {@code fenceEpoch} and {@code
     * paused} do not count.
     */
    OVERRIDE_STALE(Duration.ofDays(30), true),
    /**
     * The history of an instance has dropped rows. This alarm concerns the whole namespace, not one job. It ends an
     * hour after the latest loss.
     */
    HISTORY_LOST(null, false);

    private final @Nullable Duration limit;
    private final boolean limited;

    AlarmKind(@Nullable Duration limit, boolean limited) {
        this.limit = limit;
        this.limited = limited;
    }

    /** Returns the default time limit; null if the kind has none, or if it depends on the job. */
    public @Nullable Duration limit() {
        return limit;
    }

    /** Returns whether a job may set a time limit for this kind. */
    public boolean isLimited() {
        return limited;
    }

    /** Returns whether alarms of this kind concern a job, and not the whole namespace. */
    public boolean isOfJob() {
        return this != HISTORY_LOST;
    }
}
