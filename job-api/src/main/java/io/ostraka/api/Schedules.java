package io.ostraka.api;

import java.time.Instant;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** Previews the fires of schedules. Stateless and thread-safe. No method accepts null. */
public final class Schedules {
    /**
     * The calculator of {@code job-core}; null if {@code job-core} is not on the class path, for example in a module
     * that contains only jobs.
     */
    private static final @Nullable ScheduleCalculator CALCULATOR = ServiceLoader.load(
                    ScheduleCalculator.class, ScheduleCalculator.class.getClassLoader())
            .findFirst()
            .orElse(null);

    private Schedules() {}

    /**
     * Returns the next fires of a schedule, for a preview. The preview assumes that a fixed rate without a start begins
     * at {@code after}. For schedules that count from the last run, it assumes that runs take no time, find work and
     * meet their time limits. The preview ignores jitter.
     *
     * @param schedule any schedule, such as {@code configuration.schedule()}
     * @param after instant after which the returned fires begin, such as {@code Instant.now()}; a fire at this instant
     *     is not returned
     * @param count maximum number of fires to return, from 1 to 10,000; the result is shorter if the schedule has fewer
     *     fires
     * @return the fires in ascending order, in whole milliseconds; for cron schedules in whole seconds
     * @throws JobConfigurationException if the schedule is not valid
     * @throws IllegalArgumentException if {@code count} is out of range
     * @throws IllegalStateException if {@code job-core} is not on the class path
     */
    public static List<Instant> nextFires(Schedule schedule, Instant after, int count) {
        if (CALCULATOR == null) {
            throw new IllegalStateException(
                    "schedules cannot be computed without ostraka-job-core; add it to the class path");
        }
        return CALCULATOR.nextFires(schedule, after, count);
    }

    /** Checks a schedule if {@code job-core} is on the class path; otherwise does nothing. */
    static void validate(String job, Schedule schedule) {
        if (CALCULATOR != null) {
            CALCULATOR.validate(job, schedule);
        }
    }
}
