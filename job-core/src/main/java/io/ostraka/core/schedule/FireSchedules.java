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

/** Converts schedules into the instants at which they fire. Stateless and thread-safe; accepts no null. */
public final class FireSchedules {

    private static final String ACCEPTED_CRON =
            "a cron expression in Quartz's dialect, 6 or 7 fields, seconds first, such as '0/30 * * * * ?'";

    /** Start of the search for time that is not excluded: Quartz knows no earlier time, in any zone. */
    private static final Instant SOME_DAY = Instant.EPOCH.plus(Duration.ofDays(2));

    private FireSchedules() {}

    /**
     * Returns the fires of a schedule in whole milliseconds, for cron in whole seconds. A fixed rate fires at its
     * anchor and every period after it; a cron fires from 1970 to about a century from now, which is how far
     * Quartz looks ahead.
     *
     * @param jobName name for the exception
     * @param anchor first fire of a fixed rate without a start of its own, from 1970 on, truncated to whole
     *     milliseconds; for schedules that count from an item's last run, the earliest end of a run; other
     *     schedules ignore it
     * @throws JobConfigurationException if the schedule is invalid; a schedule that never fires is accepted
     */
    public static FireTimes of(String jobName, Schedule schedule, Instant anchor) {
        if (schedule.unbounded() instanceof Schedule.Once once) {
            return single(jobName, schedule, once.at());
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

    private static FireTimes single(String jobName, Schedule schedule, Instant at) {
        boolean out = schedule instanceof Schedule.Bounded bounds
                && ((bounds.start() != null && at.isBefore(bounds.start()))
                        || (bounds.end() != null && at.isAfter(bounds.end()))
                        || (bounds.excluded() != null
                                && ExcludedTimes.of(jobName, bounds.excluded()).contains(at)));
        return out ? new OnDemandFireTimes() : new SingleFireTimes(at);
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
     * @param jobName name for the exception
     * @throws JobConfigurationException if {@link #of} would throw, if a cron expression matches no existing time,
     *     such as the 30th of February, or only excluded times, or if all times are excluded. A year in the past
     *     is accepted, since that depends on the time of the call
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
     * Returns the fires of a job according to its plan: the fires of each schedule in the time in which it was in
     * force. An effective schedule that is not in the plan yet is ignored, because it would count from a time
     * before it was in force. Unreadable former schedules are ignored too.
     *
     * @param jobName name for the exception
     * @param effective the schedule that is configured now
     * @param plan the plan in force; null before the first plan
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

    /** Returns the fires of a former schedule. */
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
