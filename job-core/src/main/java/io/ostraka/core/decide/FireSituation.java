package io.ostraka.core.decide;

import io.ostraka.api.Schedule;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.Trigger;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The inputs of the decision about an item's next step.
 *
 * @param item key of the item
 * @param interruption reason why the item's unfinished fire was interrupted, or {@link Interruption#NONE}
 * @param triggers manual triggers of the job, oldest first
 * @param begunFires ids of the triggered fires that have begun. A fire has begun if its progress node exists
 * @param stops stops of the job's fires
 * @param now current time by which this instance decides
 * @param scheduledWait true if no scheduled fire may start, because this instance's clock is ahead. Triggers and
 *     interrupted fires do not wait
 */
public record FireSituation(
        JobSnapshot snapshot,
        String item,
        ItemRecord record,
        Interruption interruption,
        List<Trigger> triggers,
        Set<String> begunFires,
        List<FireStop> stops,
        Instant now,
        boolean scheduledWait) {
    /** Returns the operator's stop of the item's part of a fire; empty if that part is not stopped. */
    Optional<FireStop> stop(Fire fire) {
        return FireStop.of(stops, item, fire, record.incarnation());
    }

    /** Returns the jitter of the item: the delay between a fire's due time and its start. */
    Duration jitter() {
        return jitter(snapshot.plan().schedule(), snapshot.configuration().jobName(), item);
    }

    FireTimes times() {
        return snapshot.times().of(record);
    }

    /** Returns the jitter of an item: the delay between a fire's due time and its start. */
    public static Duration jitter(Schedule schedule, String job, String item) {
        return schedule instanceof Schedule.Bounded ? Jitter.of(schedule, job, item) : Duration.ZERO;
    }

    /** The reason why an item's unfinished fire was interrupted. */
    public enum Interruption {
        /** The item has no unfinished fire, or its owner is still running the fire. */
        NONE,
        /** The owner crashed while it ran the fire. */
        CRASHED,
        /** The owner handed the fire over, or the owner's process is still alive under a new session. */
        GIVEN_UP
    }
}
