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
 * State of the jobs as one instance knows it. It shows a monitoring system whether jobs run. The engine computes the
 * state every few seconds from data in memory, without a request to ZooKeeper. Immutable.
 *
 * @param leader true if this instance leads the namespace. Only the leader has values in {@code led} and
 *     {@code alarms}
 * @param hosted state of the jobs that this instance hosts, by name; a job whose plan has not been read yet is missing
 * @param led state that only the leader computes, by the name of the job, for all jobs of the namespace; empty on other
 *     instances
 * @param alarms kinds of current alarms that concern the whole namespace and not one job; empty on other instances
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
     * @param lastSuccess end of the latest successful run of any item, by the clock of the instance that ran it. Only
     *     runs in the records of items that this instance owns or has owned are known; null if these records show no
     *     success. A record moves with its item, so it also shows runs on former owners
     * @param failuresInRow largest number of consecutive failed fires of an item, among the items that this instance
     *     owns
     * @param longestRun age of the oldest run in this instance; zero if there is no run
     * @param paused true if the job is paused
     * @param tasks figures of the child tasks
     */
    public record Hosted(
            @Nullable Instant lastSuccess, int failuresInRow, Duration longestRun, boolean paused, TaskMetrics tasks) {}

    /**
     * State of a job that only the leader computes.
     *
     * @param expected time of the latest scheduled fire that should have begun, because the time limit of the alarm
     *     {@link AlarmKind#MISSED} has passed since then. Fires before the latest change of the job, or of the
     *     operators' settings for the namespace, do not count. Null if there is no such fire; while the job is paused
     *     or removed, the namespace is frozen, or all items are disabled; if the job's alarm policy has no alarm {@code
     *     MISSED}; and for schedules whose fires depend on earlier runs or on triggers
     * @param alarms kinds of the job's current alarms, without those that an operator silences
     */
    public record Led(@Nullable Instant expected, Set<AlarmKind> alarms) {
        /** Copies the set. */
        public Led {
            alarms = Set.copyOf(alarms);
        }
    }
}
