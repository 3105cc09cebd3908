package io.ostraka.core.trigger;

import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.Schedule;
import io.ostraka.core.model.FireTimes;
import java.text.ParseException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Turns schedules into the instants at which they fire. Stateless and thread-safe; null is accepted nowhere. */
public final class Schedules {

    private static final String ACCEPTED_CRON =
            "a cron expression in Quartz's dialect, 6 or 7 fields, seconds first, such as '0/30 * * * * ?'";

    private Schedules() {}

    /**
     * Returns the fires of a schedule, whole milliseconds, for cron whole seconds. A fixed rate fires at its anchor and
     * every period after it; a cron fires from 1970 to about a century from now, as far as Quartz looks ahead.
     *
     * @param jobName named in the exception
     * @param anchor the first fire of a fixed rate, from 1970 on, cut to whole milliseconds; other schedules have none
     * @throws JobConfigurationException when the schedule can't be read; one that never fires is no error here
     */
    public static FireTimes of(String jobName, Schedule schedule, Instant anchor) {
        if (schedule instanceof Schedule.Cron cron) {
            return new CronFireTimes(
                    parse(jobName, cron),
                    LocalCron.firesInEveryHour(cron.expression()),
                    cron.zone().getRules());
        }
        if (schedule instanceof Schedule.FixedRate rate) {
            return new FixedRateFireTimes(anchor, rate.period());
        }
        return new OnDemandFireTimes();
    }

    /**
     * Checks a schedule as a user or an operator gives it.
     *
     * @param jobName named in the exception
     * @throws JobConfigurationException when {@link #of} would throw, or when a cron expression names no time that
     *     exists, such as the 30th of February; a year that has passed is accepted, since that depends on when one asks
     */
    public static void validate(String jobName, Schedule schedule) {
        FireTimes unused = of(jobName, schedule, Instant.EPOCH);
        if (schedule instanceof Schedule.Cron cron
                && parse(jobName, cron).atOrAfter(LocalCron.FIRST).isEmpty()) {
            throw refused(jobName, cron.expression(), "a cron expression that fires at some time from 1970 on", null);
        }
    }

    private static LocalCron parse(String jobName, Schedule.Cron cron) {
        try {
            return LocalCron.parse(cron.expression());
        } catch (ParseException e) {
            throw refused(jobName, cron.expression(), ACCEPTED_CRON + " (" + e.getMessage() + ")", e);
        }
    }

    private static JobConfigurationException refused(
            String jobName, Object value, String accepted, @Nullable Throwable cause) {
        return new JobConfigurationException(jobName, "schedule", value, accepted, cause);
    }
}
