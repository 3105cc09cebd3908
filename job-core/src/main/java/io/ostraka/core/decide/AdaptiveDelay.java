package io.ostraka.core.decide;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.Schedule;
import io.ostraka.core.model.ItemRecord;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Decides the pause before an item's next run. Adaptive and continuous schedules derive this pause from the result of
 * the previous run.
 */
public final class AdaptiveDelay {
    private AdaptiveDelay() {}

    /**
     * Returns the record with the pause before the item's next run. Only adaptive and continuous schedules have this
     * pause.
     *
     * @param ended the record after the run has ended
     * @param idle true if the user code reported that the run had nothing to do
     */
    public static ItemRecord after(ItemRecord ended, Schedule schedule, boolean idle) {
        Duration pause = null;
        if (schedule.unbounded() instanceof Schedule.Adaptive adaptive) {
            pause = adaptive(adaptive, ended.outcome(), ended.currentDelay());
        } else if (schedule.unbounded() instanceof Schedule.Continuous continuous) {
            boolean worked = ended.outcome() == ItemOutcome.SUCCEEDED && !idle;
            pause = worked ? Duration.ZERO : continuous.idle();
        }
        return ended.pausing(pause);
    }

    /**
     * Returns the delay before the next run; null for the schedule's base delay. Each timeout doubles the delay, up to
     * the schedule's longest delay.
     */
    private static @Nullable Duration adaptive(
            Schedule.Adaptive schedule, @Nullable ItemOutcome outcome, @Nullable Duration current) {
        if (outcome == ItemOutcome.SUCCEEDED) {
            return null;
        }
        if (outcome != ItemOutcome.TIMED_OUT) {
            return current;
        }
        Duration from = current == null || current.compareTo(schedule.base()) < 0 ? schedule.base() : current;
        Duration doubled = from.compareTo(schedule.longest()) < 0 ? from.multipliedBy(2) : from;
        return doubled.compareTo(schedule.longest()) < 0 ? doubled : schedule.longest();
    }
}
