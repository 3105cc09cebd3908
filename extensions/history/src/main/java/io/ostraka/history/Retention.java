package io.ostraka.history;

import java.time.Duration;
import java.util.Collections;
import java.util.List;

/**
 * How long the history keeps its rows. One instance deletes older rows, in small steps, so the database is never locked
 * for long. Immutable.
 *
 * @param runs time for which runs that have succeeded are kept, from their end; default 30 days
 * @param failures time for which all other runs, and skipped fires, are kept; default 90 days
 * @param events time for which events are kept; default 90 days
 * @param audit time for which the audit is kept; default 400 days
 * @param rollups time for which roll-ups are kept; default 400 days
 * @param runsPerJob largest number of runs that are kept for each job, rounded up to the runs of whole hours; default
 *     1,000,000
 */
public record Retention(
        Duration runs, Duration failures, Duration events, Duration audit, Duration rollups, long runsPerJob) {
    /** The defaults. */
    public static final Retention DEFAULT = new Retention(
            Duration.ofDays(30),
            Duration.ofDays(90),
            Duration.ofDays(90),
            Duration.ofDays(400),
            Duration.ofDays(400),
            1_000_000);

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a duration is shorter than an hour, or if the number is less than 1
     */
    public Retention {
        require("runs", runs);
        require("failures", failures);
        require("events", events);
        require("audit", audit);
        require("rollups", rollups);
        if (runsPerJob < 1) {
            throw new IllegalArgumentException("retention runsPerJob is " + runsPerJob + "; accepted: 1 or more");
        }
    }

    /** Returns the longest time for which rows of an account are kept. */
    Duration longestOfAccount() {
        return Collections.max(List.of(runs, failures, events));
    }

    private static void require(String what, Duration value) {
        if (value.compareTo(Duration.ofHours(1)) < 0 || value.compareTo(Duration.ofDays(36_500)) > 0) {
            throw new IllegalArgumentException(
                    "retention " + what + " is " + value + "; accepted: an hour to 36500 days");
        }
    }

    /** Returns this retention with another time for runs that have succeeded. */
    public Retention withRuns(Duration time) {
        return new Retention(time, failures, events, audit, rollups, runsPerJob);
    }

    /** Returns this retention with another time for other runs and for skipped fires. */
    public Retention withFailures(Duration time) {
        return new Retention(runs, time, events, audit, rollups, runsPerJob);
    }

    /** Returns this retention with another time for events. */
    public Retention withEvents(Duration time) {
        return new Retention(runs, failures, time, audit, rollups, runsPerJob);
    }

    /** Returns this retention with another time for the audit. */
    public Retention withAudit(Duration time) {
        return new Retention(runs, failures, events, time, rollups, runsPerJob);
    }

    /** Returns a copy of this retention that keeps roll-ups for the given time. */
    public Retention withRollups(Duration time) {
        return new Retention(runs, failures, events, audit, time, runsPerJob);
    }

    /** Returns this retention with another number of runs for each job. */
    public Retention withRunsPerJob(long most) {
        return new Retention(runs, failures, events, audit, rollups, most);
    }
}
