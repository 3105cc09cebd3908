package io.ostraka.history.jdbc;

import java.time.Duration;
import java.time.Instant;

/**
 * Counts and run times of a job for one hour and one kind.
 *
 * @param hour beginning of the hour
 * @param kind name of an outcome or of a reason
 * @param count number of runs, or of skipped fires
 * @param kept number of these runs that also have rows of their own
 * @param sum total run time
 * @param times distribution of the run times. Runs without a known run time are missing
 */
public record HourlyRollup(Instant hour, String kind, long count, long kept, Duration sum, RunTimes times) {}
