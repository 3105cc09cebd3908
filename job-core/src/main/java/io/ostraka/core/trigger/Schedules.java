package io.ostraka.core.trigger;

import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.Schedule;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.trigger.SuccessiveFireTimes.Span;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Turns schedules into the instants at which they fire. Stateless and thread-safe; null is accepted nowhere. */
public final class Schedules {

    private static final String ACCEPTED_CRON =
            "a cron expression in Quartz's dialect, 6 or 7 fields, seconds first, such as '0/30 * * * * ?'";

    private static final Pattern CRON = Pattern.compile("Cron\\[expression=(.*), zone=(.*)]", Pattern.DOTALL);
    private static final Pattern FIXED_RATE = Pattern.compile("FixedRate\\[period=(.*)]");

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

    /**
     * Returns the fires of a job as its plan tells of them: those of each schedule in its own time. What is effective
     * but not in the plan yet would count from a time when it wasn't, so it doesn't count at all; nor does a text that
     * can't be read.
     *
     * @param jobName named in the exception
     * @param effective the schedule that is wanted by now
     * @param plan null before the first, when nothing is in force
     * @throws JobConfigurationException when the effective schedule can't be read
     */
    public static FireTimes inForce(String jobName, Schedule effective, @Nullable ShardingPlan plan) {
        if (plan == null) {
            validate(jobName, effective);
            return new OnDemandFireTimes();
        }
        boolean planned = plan.schedule().equals(effective.toString());
        if (!planned) {
            validate(jobName, effective);
        }
        FireTimes present = planned ? of(jobName, effective, plan.anchor()) : read(plan.schedule(), plan.anchor());
        List<Span> spans = new ArrayList<>();
        spans.add(new Span(() -> present, plan.since(), Instant.MAX));
        for (ShardingPlan.Former former : plan.former()) {
            spans.add(0, new Span(() -> read(former.schedule(), former.anchor()), former.since(), former.until()));
        }
        return new SuccessiveFireTimes(spans);
    }

    /** Reads a schedule that has been in force from its text, in the form that the schedules' own records give it. */
    private static FireTimes read(String text, Instant anchor) {
        Matcher cron = CRON.matcher(text);
        Matcher rate = FIXED_RATE.matcher(text);
        try {
            if (cron.matches()) {
                return of("", Schedule.cron(cron.group(1), ZoneId.of(cron.group(2))), anchor);
            }
            if (rate.matches()) {
                return of("", Schedule.fixedRate(Duration.parse(rate.group(1))), anchor);
            }
        } catch (RuntimeException e) {
            // somebody has damaged it, or a newer version knows more
            return new OnDemandFireTimes();
        }
        return new OnDemandFireTimes();
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
