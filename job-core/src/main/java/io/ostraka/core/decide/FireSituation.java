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
 * The state that a decision about an item is made from.
 *
 * @param snapshot the job
 * @param item the item's key
 * @param record its record
 * @param interruption whether its unfinished fire was interrupted, and how
 * @param triggers the job's manual triggers, oldest first
 * @param begunFires ids of those whose progress is kept already
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
    /** By how much the item starts later than its fires. */
    Duration jitter() {
        return jitter(snapshot.plan().schedule(), snapshot.configuration().jobName(), item);
    }

    /** What fires for the item. */
    FireTimes times() {
        return snapshot.times().of(record);
    }

    /** Returns the delay of an item's fires behind their schedule. */
    public static Duration jitter(Schedule schedule, String job, String item) {
        return schedule instanceof Schedule.Bounded ? Jitter.of(schedule, job, item) : Duration.ZERO;
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
}
