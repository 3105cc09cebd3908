package io.ostraka.api.metrics;

import io.ostraka.api.AlarmKind;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * State of the jobs as one instance knows it, from which a monitoring system can see that a job does not run. The
 * engine computes the state every few seconds from what it holds in memory, without a request to ZooKeeper. Immutable.
 *
 * @param leader true if this instance leads the namespace. Only the leader has values in {@code led} and
 *     {@code alarms}
 * @param hosted state of the jobs that this instance hosts, by name; a job whose plan has not been read yet is missing
 * @param led what the leader knows about the jobs of the namespace, by name; empty on other instances
 * @param alarms present alarms that concern the whole namespace and not one job; empty on other instances
 */
public record Status(boolean leader, Map<String, Hosted> hosted, Map<String, Led> led, Set<AlarmKind> alarms) {
    /** The state of an instance that hosts no job and does not lead. */
    public static final Status NONE = new Status(false, Map.of(), Map.of(), Set.of());

    /** Copies the collections and sorts the jobs by name. */
    public Status {
        hosted = Collections.unmodifiableMap(new TreeMap<>(hosted));
        led = Collections.unmodifiableMap(new TreeMap<>(led));
        alarms = Set.copyOf(alarms);
    }

    /**
     * State of a job's items in the instance that hosts the job.
     *
     * @param lastSuccess end of the latest successful run of any item, on the clock of the instance that ran it, as far
     *     as the records show that this instance has owned; null if they show none. The record of an item moves with
     *     the item
     * @param failuresInRow largest number of fires in a row that have failed, among the items that this instance owns
     * @param longestRun age of the oldest run in this instance; zero if there is no run
     * @param paused true if the job is paused
     * @param tasks figures of the child tasks
     */
    public record Hosted(
            @Nullable Instant lastSuccess, int failuresInRow, Duration longestRun, boolean paused, TaskMetrics tasks) {}

    /**
     * What the leader knows about a job.
     *
     * @param expected time of the latest scheduled fire that should have begun: the time limit of the alarm
     *     {@link AlarmKind#MISSED} has passed since. Null if there is no such fire since the job or the orders for the
     *     namespace were last changed, and while the job is paused, frozen or removed, while all its items are disabled,
     *     if its policy has no alarm {@code MISSED}, and for schedules whose fires depend on earlier runs or on triggers
     * @param alarms kinds of the job's present alarms, without alarms that an operator has silenced before any handler
     *     received them
     */
    public record Led(@Nullable Instant expected, Set<AlarmKind> alarms) {
        /** Copies the set. */
        public Led {
            alarms = Set.copyOf(alarms);
        }
    }
}
