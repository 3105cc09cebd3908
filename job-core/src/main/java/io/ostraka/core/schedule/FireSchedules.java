package io.ostraka.core.schedule;

import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.Schedule;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.schedule.SuccessiveFireTimes.Span;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Converts schedules into fire times. Stateless and thread-safe; does not accept null. */
public final class FireSchedules {

    private static final String ACCEPTED_CRON =
            "a cron expression in Quartz's dialect, 6 or 7 fields, seconds first, such as '0/30 * * * * ?'";

    /** Start of the search for a time that is not excluded. Quartz can evaluate this day in every time zone. */
    private static final Instant SOME_DAY = Instant.EPOCH.plus(Duration.ofDays(2));

    private FireSchedules() {}

    /**
     * Returns the fire times of a schedule, in whole milliseconds; for cron, in whole seconds. A fixed rate fires at
     * its anchor and after each period. A cron expression fires from 1970 to about a century from now, because Quartz
     * searches no further.
     *
     * @param jobName name of the job, for the exception
     * @param anchor for a fixed rate without a start, the instant of the first fire, in 1970 or later, truncated to
     *     whole milliseconds. For schedules with a delay after an item's last run, the instant at which the delay
     *     starts if the item has not run since then. For a one-time schedule, the earliest instant of the fire. Other
     *     schedules ignore the anchor
     * @throws JobConfigurationException if the schedule is invalid; a schedule that never fires is accepted
     */
    public static FireTimes of(String jobName, Schedule schedule, Instant anchor) {
        if (schedule.unbounded() instanceof Schedule.Once once) {
            return single(jobName, schedule, once.at(), anchor);
        }
        if (schedule instanceof Schedule.Bounded bounded) {
            return bounded(jobName, bounded, anchor);
        }
        if (schedule instanceof Schedule.Cron cron) {
            return new CronFireTimes(
                    parse(jobName, cron),
                    CronParser.firesInEveryHour(cron.expression()),
                    cron.zone().getRules());
        }
        if (schedule instanceof Schedule.FixedRate rate) {
            return new FixedRateFireTimes(anchor, rate.period());
        }
        return schedule instanceof Schedule.OnDemand
                ? new OnDemandFireTimes()
                : new DelayFireTimes(jobName, new Schedule.Bounded(schedule, null, null, null, Duration.ZERO), anchor);
    }

    private static FireTimes single(String jobName, Schedule schedule, Instant at, Instant anchor) {
        boolean out = schedule instanceof Schedule.Bounded bounds
                && ((bounds.start() != null && at.isBefore(bounds.start()))
                        || (bounds.end() != null && at.isAfter(bounds.end()))
                        || (bounds.excluded() != null
                                && ExcludedTimes.of(jobName, bounds.excluded()).contains(at)));
        return out ? new OnDemandFireTimes() : new SingleFireTimes(at.isAfter(anchor) ? at : anchor);
    }

    private static FireTimes bounded(String jobName, Schedule.Bounded bounded, Instant anchor) {
        Instant start = bounded.start();
        Instant end = bounded.end();
        FireTimes times = of(jobName, bounded.base(), start == null ? anchor : start);
        if (times instanceof DelayFireTimes) {
            return new DelayFireTimes(jobName, bounded, anchor);
        }
        FireTimes free = bounded.excluded() == null
                ? times
                : new ExcludingFireTimes(times, ExcludedTimes.of(jobName, bounded.excluded()));
        return start == null && end == null
                ? free
                : new SuccessiveFireTimes(List.of(new Span(
                        () -> free,
                        start == null ? Instant.MIN : start.minusMillis(1),
                        end == null ? Instant.MAX : end)));
    }

    /**
     * Validates a schedule from a user or an operator.
     *
     * @param jobName name of the job, for the exception
     * @throws JobConfigurationException if {@link #of} would throw, if all times are excluded, or if a cron expression
     *     matches only excluded times or no existing time, such as the 30th of February. A cron expression with a year
     *     in the past is accepted, because this check does not depend on the current time
     */
    public static void validate(String jobName, Schedule schedule) {
        FireTimes unused = of(jobName, schedule, Instant.EPOCH);
        if (schedule instanceof Schedule.Bounded bounded
                && bounded.excluded() != null
                && !ExcludedTimes.of(jobName, bounded.excluded())
                        .leaveTime(bounded.start() == null ? SOME_DAY : bounded.start())) {
            throw refused(jobName, bounded.excluded(), "exclusions that leave some time", null);
        }
        if (!(schedule.unbounded() instanceof Schedule.Cron cron)) {
            return;
        }
        if (parse(jobName, cron).atOrAfter(LocalCron.FIRST).isEmpty()) {
            throw refused(jobName, cron.expression(), "a cron expression that fires at some time from 1970 on", null);
        }
        if (schedule instanceof Schedule.Bounded bounded
                && bounded.excluded() != null
                && new ExcludingFireTimes(
                                of(jobName, cron, Instant.EPOCH), ExcludedTimes.of(jobName, bounded.excluded()))
                        .next(
                                bounded.start() == null
                                        ? SupportedYears.FIRST
                                        : bounded.start().minusMillis(1))
                        .isEmpty()) {
            throw refused(jobName, cron.expression(), "a cron expression some of whose fires are not excluded", null);
        }
    }

    /**
     * Returns the fire times of a job: those of the plan's current schedule and, for earlier times, those of replaced
     * schedules. A configured schedule that is not in the plan yet is only validated, because the plan determines the
     * time from which the schedule is used. Unreadable replaced schedules are ignored.
     *
     * @param jobName name of the job, for the exception
     * @param effective the schedule that is configured now
     * @param plan the current plan; null if there is none yet
     * @throws JobConfigurationException if the effective schedule is invalid
     */
    public static FireTimes inForce(String jobName, Schedule effective, @Nullable ShardingPlan plan) {
        if (plan == null) {
            validate(jobName, effective);
            return new OnDemandFireTimes();
        }
        boolean planned = plan.schedule().equals(effective);
        if (!planned) {
            validate(jobName, effective);
        }
        FireTimes present = planned ? of(jobName, effective, plan.anchor()) : past(plan.schedule(), plan.anchor());
        List<Span> spans = new ArrayList<>();
        spans.add(new Span(() -> present, plan.since(), Instant.MAX));
        for (ShardingPlan.Former former : plan.former()) {
            spans.add(0, new Span(() -> past(former.schedule(), former.anchor()), former.since(), former.until()));
        }
        return new SuccessiveFireTimes(spans);
    }

    /** Returns the fire times of a replaced schedule; none if the schedule is invalid. */
    private static FireTimes past(Schedule schedule, Instant anchor) {
        try {
            return of("", schedule, anchor);
        } catch (JobConfigurationException e) {
            return new OnDemandFireTimes(); // the schedule in the plan is damaged
        }
    }

    private static LocalCron parse(String jobName, Schedule.Cron cron) {
        try {
            return CronParser.parse(cron.expression());
        } catch (ParseException e) {
            throw refused(jobName, cron.expression(), ACCEPTED_CRON + " (" + e.getMessage() + ")", e);
        }
    }

    private static JobConfigurationException refused(
            String jobName, Object value, String accepted, @Nullable Throwable cause) {
        return new JobConfigurationException(jobName, "schedule", value, accepted, cause);
    }
}
