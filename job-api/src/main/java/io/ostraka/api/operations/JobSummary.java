package io.ostraka.api.operations;

import io.ostraka.api.Schedule;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A job in the list of all jobs. Immutable.
 *
 * @param job name of the job
 * @param state state of the job
 * @param stateText description of the state for people, with the command that caused it. If the leader has not copied
 *     the latest command into the plan yet, the text says that the command has no effect so far. Empty for an active
 *     job that skips no future fires and has an up-to-date plan
 * @param health reasons why the job does not run as configured, most severe first, from the reports of the live
 *     instances; empty if they report none. Even then the job may have a reason if {@link InstanceDetails#healthGap} of
 *     an instance is not null. Unmodifiable
 * @param schedule current schedule; null if the job has no readable plan
 * @param items number of items; 0 if the job has no readable plan
 * @param owners number of assigned items by instance id; unmodifiable
 * @param nextFire next fire of the schedule, after the end of a pause; null if there is none, if the job is removed or
 *     paused without an end, if all items are disabled, or if the fire depends on the end of a run. The freeze of the
 *     namespace has no effect
 * @param triggers number of manual triggers that are waiting or being processed
 * @param at time of this view by ZooKeeper's clock, as this client estimates it. A client that has written nothing yet
 *     uses the clock of its host
 */
public record JobSummary(
        String job,
        JobState state,
        String stateText,
        List<ReportedReason> health,
        @Nullable Schedule schedule,
        int items,
        Map<String, Integer> owners,
        @Nullable Instant nextFire,
        int triggers,
        Instant at) {
    /** Copies the collections. */
    public JobSummary {
        health = List.copyOf(health);
        owners = Collections.unmodifiableMap(new TreeMap<>(owners));
    }

    /** Returns the number of items without an owner. */
    public int unassigned() {
        return items - owners.values().stream().mapToInt(Integer::intValue).sum();
    }
}
