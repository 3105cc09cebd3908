package io.ostraka.api.metrics;

import java.time.Duration;

/**
 * Figures of the {@linkplain io.ostraka.api.Tasks child tasks} of one job in this instance. The counts cover the time
 * since the instance registered the job. Immutable.
 *
 * @param waiting number of tasks that wait for a slot, or for an earlier task with the same key
 * @param running number of tasks whose code or callbacks run
 * @param duration run time of the tasks' code, without their callbacks
 * @param succeeded number of tasks that have succeeded
 * @param failed number of tasks whose code or callbacks have failed, and of tasks that exceeded their time limit
 * @param cancelled number of tasks that never began, because their run had failed or was stopped
 */
public record TaskMetrics(
        long waiting, long running, Distribution duration, long succeeded, long failed, long cancelled) {
    /** The figures of a job without child tasks. */
    public static final TaskMetrics NONE =
            new TaskMetrics(0, 0, new Distribution(0, Duration.ZERO, Duration.ZERO, Duration.ZERO), 0, 0, 0);

    /** Returns the number of all tasks that the job's runs have submitted. */
    public long submitted() {
        return waiting + running + succeeded + failed + cancelled;
    }
}
