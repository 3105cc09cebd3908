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

/** Turns schedules into the instants at which they fire. Stateless and thread-safe; null is accepted nowhere. */
public final class FireSchedules {

    private static final String ACCEPTED_CRON =
            "a cron expression in Quartz's dialect, 6 or 7 fields, seconds first, such as '0/30 * * * * ?'";

    /** Where time that isn't excluded is looked for: Quartz knows none before 1970, in any zone. */
    private static final Instant SOME_DAY = Instant.EPOCH.plus(Duration.ofDays(2));

    private FireSchedules() {}

    /**
     * Returns the fires of a schedule, whole milliseconds, for cron whole seconds. A fixed rate fires at its anchor and
     * every period after it; a cron fires from 1970 to about a century from now, as far as Quartz looks ahead.
     *
     * @param jobName named in the exception
     * @param anchor the first fire of a fixed rate that has no start of its own, from 1970 on, cut to whole milliseconds;
     *     what counts from an item's last run counts from it at the earliest; other schedules have none
     * @throws JobConfigurationException when the schedule can't be read; one that never fires is no error here
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
     * Checks a schedule as a user or an operator gives it.
     *
     * @param jobName named in the exception
     * @throws JobConfigurationException when {@link #of} would throw, or when a cron expression names no time that
     *     exists, such as the 30th of February, or none that isn't excluded, or when all times are excluded; a year that
     *     has passed is accepted, since that depends on when one asks
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
     * Returns the fires of a job as its plan tells of them: those of each schedule in its own time. What is effective
     * but not in the plan yet would count from a time when it wasn't, so it doesn't count at all; nor does a schedule of
     * the past that can't be read.
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

    /** The fires of a schedule that has been in force. */
    private static FireTimes past(Schedule schedule, Instant anchor) {
        try {
            return of("", schedule, anchor);
        } catch (JobConfigurationException e) {
            return new OnDemandFireTimes(); // somebody has damaged it
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
