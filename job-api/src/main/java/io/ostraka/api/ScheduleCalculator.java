package io.ostraka.api;

import java.time.Instant;
import java.util.List;

/**
 * Computes schedules. {@code job-core} provides it through {@link java.util.ServiceLoader}; applications ask {@link Schedules}.
 * Stateless and thread-safe.
 */
public interface ScheduleCalculator {
    /** Does what {@link Schedules#nextFires} promises. */
    List<Instant> nextFires(Schedule schedule, Instant after, int count);

    /**
     * Checks a schedule as a user or an operator gives it.
     *
     * @param job named in the exception
     * @throws JobConfigurationException when the schedule can't be read, or when a cron expression names no time that exists,
     *     such as the 30th of February, or none that isn't excluded, or when all times are excluded; a year that has passed is
     *     accepted, since that depends on when one asks
     */
    void validate(String job, Schedule schedule);
}
