package io.ostraka.history.jdbc;

import java.time.Instant;

/**
 * Run times of a job in one hour, with all outcomes.
 *
 * @param hour beginning of the hour
 * @param times distribution of the run times
 */
public record HourlyTimes(Instant hour, RunTimes times) {}
