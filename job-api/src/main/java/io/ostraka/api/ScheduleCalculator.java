package io.ostraka.api;

import java.time.Instant;
import java.util.List;

/**
 * Computes the fires of schedules. {@code job-core} provides the implementation through {@link
 * java.util.ServiceLoader}; applications use {@link Schedules}. Stateless and thread-safe.
 */
public interface ScheduleCalculator {
    /** Returns the next fires of a schedule; see {@link Schedules#nextFires}. */
    List<Instant> nextFires(Schedule schedule, Instant after, int count);

    /**
     * Checks a schedule that a user or an operator has set.
     *
     * @param job job name for the exception's message
     * @param schedule the schedule
     * @throws JobConfigurationException if a cron expression has a syntax error, if it matches no existing date (such
     *     as the 30th of February), or if all its times are excluded. An expression whose years have passed is
     *     accepted, since otherwise the result of this check would change with time
     */
    void validate(String job, Schedule schedule);
}
