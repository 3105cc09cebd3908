package io.ostraka.core.decide;

import io.ostraka.api.Schedule;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.Trigger;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * The state from which the next step of an item is decided.
 *
 * @param item key of the item
 * @param interruption whether and how the item's unfinished fire was interrupted
 * @param triggers manual triggers of the job, oldest first
 * @param begunFires ids of the fires that already have a progress node
 * @param now this instance's clock
 */
public record FireSituation(
        JobSnapshot snapshot,
        String item,
        ItemRecord record,
        Interruption interruption,
        List<Trigger> triggers,
        Set<String> begunFires,
        Instant now) {
    /** Returns the delay between a fire and its start for the item. */
    Duration jitter() {
        return jitter(snapshot.plan().schedule(), snapshot.configuration().jobName(), item);
    }

    /** Returns the fires of the item. */
    FireTimes times() {
        return snapshot.times().of(record);
    }

    /** Returns the delay between a fire of a schedule and its start for an item. */
    public static Duration jitter(Schedule schedule, String job, String item) {
        return schedule instanceof Schedule.Bounded ? Jitter.of(schedule, job, item) : Duration.ZERO;
    }

    /** The state of an unfinished fire. */
    public enum Interruption {
        /** The item has no unfinished fire, or its owner still runs it. */
        NONE,
        /** The owner died running it. */
        CRASHED,
        /** The owner handed it over, or lives on under a new session. */
        GIVEN_UP
    }
}
