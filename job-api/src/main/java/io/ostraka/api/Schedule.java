package io.ostraka.api;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Defines when a job fires. Immutable.
 *
 * <p>Every schedule except {@link OnDemand} can have a start, an end, excluded times and jitter: {@code
 * Schedule.cron("0 0 * * * ?", zone).excluding(none -> none.weekdays(SATURDAY, SUNDAY)).jitter(ofMinutes(5))}.
 */
public sealed interface Schedule {
    /** Longest duration that a schedule or a configuration accepts: 36500 days. */
    Duration LONGEST = Duration.ofDays(36_500);

    /** Latest instant that a schedule accepts. */
    Instant LATEST = Instant.parse("9999-12-30T00:00:00Z");

    /**
     * Fires at the times that match a cron expression. The expression is written in Quartz's dialect: the first field
     * is for seconds, and an optional last field is for the year.
     *
     * <p>When clocks are set forward or back for daylight saving, the result depends on the hour field. If this field
     * does not allow every hour, the job fires once right after the change for all matching times that the change has
     * skipped. If a matching time occurs twice, the job fires only at the first occurrence. If the hour field allows
     * every hour, as in {@code 0 0/20 * * * ?}, the job does not fire for skipped times and fires twice for repeated
     * times. The distance between fires then usually stays the same.
     *
     * @param expression for example {@code 0/30 * * * * ?}; checked when the job is registered
     * @param zone time zone of the expression
     */
    record Cron(String expression, ZoneId zone) implements Schedule {
        /**
         * Checks that the expression is not blank.
         *
         * @throws IllegalArgumentException if the expression is blank
         */
        public Cron {
            Objects.requireNonNull(zone, "zone");
            if (expression.isBlank()) {
                throw new IllegalArgumentException(
                        "cron expression is empty; accepted: Quartz's dialect, such as '0/30 * * * * ?'");
            }
        }

        @Override
        public String toString() {
            return "cron '" + expression + "' in " + (zone.equals(ZoneOffset.UTC) ? "UTC" : zone);
        }
    }

    /**
     * Fires once in every period. All instances count the periods from the same instant and therefore compute the same
     * fires.
     *
     * @param period time between two fires, from 10 ms to {@link #LONGEST}, in whole milliseconds
     */
    record FixedRate(Duration period) implements Schedule {
        /**
         * Checks the period.
         *
         * @throws IllegalArgumentException if the period is out of range or has a fraction of a millisecond
         */
        public FixedRate {
            Spans.require("fixed rate period", period, 10);
        }

        @Override
        public String toString() {
            return "fixedRate " + period;
        }
    }

    /**
     * Fires when a fixed delay has passed since the end of the item's last run, which may also be a run of a manual
     * trigger. Each item fires independently of the other items; its first fire is one delay after the schedule took
     * effect. Fires of this schedule never misfire or overlap, since the next fire does not exist until the run has
     * ended.
     *
     * @param delay time from the end of a run to the next fire, from 1 ms to {@link #LONGEST}, in whole milliseconds
     */
    record FixedDelay(Duration delay) implements Schedule {
        /**
         * Checks the delay.
         *
         * @throws IllegalArgumentException if the delay is out of range or has a fraction of a millisecond
         */
        public FixedDelay {
            Spans.require("fixed delay", delay, 1);
        }

        @Override
        public String toString() {
            return "fixedDelay " + delay;
        }
    }

    /**
     * Fires when a delay has passed since the end of the item's last run, and lengthens the delay while runs take too
     * long. Each run has the time limit {@code base}. The engine cancels a run that exceeds this limit and doubles the
     * item's delay, up to {@code base} × {@code bound}. The next run that succeeds within the limit resets the delay to
     * {@code base}; a failed run leaves the delay unchanged. Each item has its own delay and keeps it when it moves to
     * another instance.
     *
     * @param base initial delay and time limit of each run, from 1 ms to {@link #LONGEST}, in whole milliseconds
     * @param bound largest multiple of {@code base} that the delay can reach, from 1
     */
    record Adaptive(Duration base, int bound) implements Schedule {
        /**
         * Checks base and bound.
         *
         * @throws IllegalArgumentException if {@code base} is out of range or has a fraction of a millisecond, or if
         *     {@code base} × {@code bound} exceeds {@link #LONGEST}
         */
        public Adaptive {
            Spans.require("adaptive base", base, 1);
            if (bound < 1 || bound > LONGEST.dividedBy(base)) {
                throw new IllegalArgumentException("adaptive bound is " + bound + " with base " + base
                        + "; accepted: 1 or more, and base × bound of at most 36500 days");
            }
        }

        /** Returns the longest delay, {@code base} × {@code bound}. */
        public Duration longest() {
            return base.multipliedBy(bound);
        }

        @Override
        public String toString() {
            return "adaptive " + base + ", bound " + bound;
        }
    }

    /**
     * Runs each item in an endless loop. The next run follows at once if the last run found work, and after a pause if
     * it found none or failed. A run reports that it found no work by calling {@link ShardingContext#idle()}; a {@link
     * DataflowJob} does so when its first fetch returns no data. Code that never calls {@code idle()} runs without
     * pauses. This includes scripts and HTTP requests, which cannot call it.
     *
     * @param idle pause after a run that found no work, from 1 ms to {@link #LONGEST}, in whole milliseconds
     */
    record Continuous(Duration idle) implements Schedule {
        /**
         * Checks the pause.
         *
         * @throws IllegalArgumentException if the pause is out of range or has a fraction of a millisecond
         */
        public Continuous {
            Spans.require("continuous idle pause", idle, 1);
        }

        @Override
        public String toString() {
            return "continuous, idle " + idle;
        }
    }

    /**
     * Fires a single time. If the fire cannot run at its instant, it runs later; it never misfires or overlaps. If the
     * instant has passed before the schedule takes effect, the misfire policy decides whether the fire runs then: it
     * does not run with {@link MisfirePolicy.Skip} or after {@link JobConfiguration#catchUpWindow()}.
     *
     * @param at instant of the fire, from 1970 to {@link #LATEST}; cut to whole milliseconds
     */
    record Once(Instant at) implements Schedule {
        /**
         * Checks the instant and cuts it to whole milliseconds.
         *
         * @throws IllegalArgumentException if the instant is out of range
         */
        public Once {
            at = Spans.require("once", at);
        }

        @Override
        public String toString() {
            return "once at " + at;
        }
    }

    /** Never fires by itself. The job runs only when it is triggered manually. */
    record OnDemand() implements Schedule {
        @Override
        public String toString() {
            return "onDemand";
        }
    }

    /**
     * Limits another schedule by a start, an end and excluded times, and adds jitter. The schedule does not fire before
     * {@code start}, after {@code end} or during an excluded time. Such times have no fires that could misfire or that
     * a policy could run later. A schedule that counts from the last run ({@link FixedDelay}, {@link Adaptive}, {@link
     * Continuous}) instead postpones the fire to the start or to the end of the excluded time.
     *
     * @param base schedule to limit; a {@code Bounded} or {@link OnDemand} schedule is not accepted
     * @param start instant before which the schedule does not fire; null for no start. A fixed rate counts its periods
     *     from this instant
     * @param end instant after which the schedule does not fire; null for no end
     * @param excluded times without fires; null for none
     * @param jitter upper bound (exclusive) of the delay between a fire and the start of each item; zero for no jitter.
     *     Each item has its own delay, which is the same for all fires. The fire time does not include the delay
     */
    record Bounded(
            Schedule base,
            @Nullable Instant start,
            @Nullable Instant end,
            @Nullable Exclusions excluded,
            Duration jitter)
            implements Schedule {
        /**
         * Checks that the components are consistent.
         *
         * @throws IllegalArgumentException if components contradict each other, or if one of them is out of range
         */
        public Bounded {
            Objects.requireNonNull(base, "base");
            Objects.requireNonNull(jitter, "jitter");
            if (base instanceof Bounded || base instanceof OnDemand) {
                throw new IllegalArgumentException("schedule within bounds is " + base
                        + "; accepted: one that fires by itself, without bounds of its own");
            }
            start = start == null ? null : Spans.require("start", start);
            end = end == null ? null : Spans.require("end", end);
            if (start != null && end != null && end.isBefore(start)) {
                throw new IllegalArgumentException("end is " + end + "; accepted: not before the start, " + start);
            }
            if (!jitter.isZero()) {
                Spans.require("jitter", jitter, 1);
            }
        }

        @Override
        public String toString() {
            return base
                    + (start == null ? "" : ", starting at " + start)
                    + (end == null ? "" : ", ending at " + end)
                    + (excluded == null ? "" : ", excluding " + excluded)
                    + (jitter.isZero() ? "" : ", jitter " + jitter);
        }
    }

    /**
     * Returns this schedule limited to fires at or after the given instant. A fixed rate counts its periods from this
     * instant.
     *
     * @param start instant before which the schedule does not fire
     */
    default Schedule startingAt(Instant start) {
        Bounded bounds = bounds();
        return new Bounded(bounds.base, start, bounds.end, bounds.excluded, bounds.jitter);
    }

    /**
     * Returns this schedule limited to fires at or before the given instant.
     *
     * @param end instant after which the schedule does not fire
     */
    default Schedule endingAt(Instant end) {
        Bounded bounds = bounds();
        return new Bounded(bounds.base, bounds.start, end, bounds.excluded, bounds.jitter);
    }

    /** Returns this schedule without the fires at excluded times. */
    default Schedule excluding(Exclusions excluded) {
        Bounded bounds = bounds();
        return new Bounded(bounds.base, bounds.start, bounds.end, excluded, bounds.jitter);
    }

    /**
     * Returns this schedule without the fires at excluded times. The times are local times in the time zone of the cron
     * expression, or in UTC for other schedules. Example: {@code Schedule.cron("0 0 * * * ?", zone).excluding(none ->
     * none.weekdays(SATURDAY, SUNDAY))}.
     *
     * @param times function that receives empty exclusions and returns the exclusions to apply
     */
    default Schedule excluding(UnaryOperator<Exclusions> times) {
        ZoneId zone = unbounded() instanceof Cron cron ? cron.zone() : ZoneOffset.UTC;
        return excluding(times.apply(Exclusions.in(zone)));
    }

    /**
     * Returns this schedule with jitter: each item starts some time after each of its fires. The delay is computed from
     * the names of the job and the item, so it is the same for all fires of an item. Use jitter to spread the start of
     * jobs and items that fire at the same time.
     *
     * @param bound exclusive upper bound of the delay, in whole milliseconds, up to {@link #LONGEST}; zero for no
     *     jitter
     */
    default Schedule jitter(Duration bound) {
        Bounded bounds = bounds();
        return new Bounded(bounds.base, bounds.start, bounds.end, bounds.excluded, bound);
    }

    private Bounded bounds() {
        return this instanceof Bounded bounded ? bounded : new Bounded(this, null, null, null, Duration.ZERO);
    }

    /** Returns the schedule without start, end, excluded times and jitter. */
    default Schedule unbounded() {
        return this instanceof Bounded bounded ? bounded.base : this;
    }

    /**
     * Returns a {@link Cron} schedule in the given time zone.
     *
     * @throws IllegalArgumentException if the expression is blank
     */
    static Schedule cron(String expression, ZoneId zone) {
        return new Cron(expression, zone);
    }

    /**
     * Returns a {@link Cron} schedule in UTC.
     *
     * @throws IllegalArgumentException if the expression is blank
     */
    static Schedule cron(String expression) {
        return new Cron(expression, ZoneOffset.UTC);
    }

    /**
     * Returns a {@link FixedRate} schedule.
     *
     * @throws IllegalArgumentException if the period is not accepted
     */
    static Schedule fixedRate(Duration period) {
        return new FixedRate(period);
    }

    /**
     * Returns a {@link FixedDelay} schedule.
     *
     * @throws IllegalArgumentException if the delay is not accepted
     */
    static Schedule fixedDelay(Duration delay) {
        return new FixedDelay(delay);
    }

    /**
     * Returns an {@link Adaptive} schedule.
     *
     * @throws IllegalArgumentException if {@code base} or {@code bound} is not accepted
     */
    static Schedule adaptive(Duration base, int bound) {
        return new Adaptive(base, bound);
    }

    /**
     * Returns a {@link Continuous} schedule.
     *
     * @throws IllegalArgumentException if the pause is not accepted
     */
    static Schedule continuous(Duration idle) {
        return new Continuous(idle);
    }

    /**
     * Returns a {@link Once} schedule.
     *
     * @throws IllegalArgumentException if the instant is not accepted
     */
    static Schedule once(Instant at) {
        return new Once(at);
    }

    /** Returns an {@link OnDemand} schedule. */
    static Schedule onDemand() {
        return new OnDemand();
    }
}
