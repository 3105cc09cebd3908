package io.ostraka.api;

import java.time.Instant;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** Tells beforehand when a schedule fires. Stateless and thread-safe; null is accepted nowhere. */
public final class Schedules {
    /** Computed by {@code job-core}, which an application has that hosts jobs; a module with nothing but jobs may not. */
    private static final @Nullable ScheduleCalculator CALCULATOR = ServiceLoader.load(
                    ScheduleCalculator.class, ScheduleCalculator.class.getClassLoader())
            .findFirst()
            .orElse(null);

    private Schedules() {}

    /**
     * Returns the next fires of a schedule, for a preview. A fixed rate without a start is taken to begin at the instant
     * asked for; what counts from an item's last run, to take no time, to find work, and to make its time limit; and a
     * jitter, which no fire's instant tells of, is left out.
     *
     * @param schedule any, such as {@code configuration.schedule()}
     * @param after the fires after this instant, such as {@code Instant.now()}
     * @param count how many at most, from 1 to 10,000; fewer if there are no more
     * @return whole milliseconds, for cron whole seconds, in order
     * @throws JobConfigurationException when the schedule can't be read
     * @throws IllegalArgumentException when the count is another
     * @throws IllegalStateException without {@code job-core} on the class path
     */
    public static List<Instant> nextFires(Schedule schedule, Instant after, int count) {
        if (CALCULATOR == null) {
            throw new IllegalStateException("ostraka-job-core, which computes schedules, is not on the class path");
        }
        return CALCULATOR.nextFires(schedule, after, count);
    }

    /** Checks a schedule where that can be computed. */
    static void validate(String job, Schedule schedule) {
        if (CALCULATOR != null) {
            CALCULATOR.validate(job, schedule);
        }
    }
}
