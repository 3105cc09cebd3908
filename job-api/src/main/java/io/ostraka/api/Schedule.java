package io.ostraka.api;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A schedule: defines when a job fires. Immutable.
 *
 * <p>Every schedule except {@link OnDemand} can have a start, an end, excluded times and a jitter: {@code
 * Schedule.cron("0 0 * * * ?", zone).excluding(none -> none.weekdays(SATURDAY, SUNDAY)).jitter(ofMinutes(5))}.
 */
public sealed interface Schedule {
    /** Longest duration that a schedule or a configuration accepts: 36500 days. */
    Duration LONGEST = Duration.ofDays(36_500);

    /** Latest instant that a schedule accepts. */
    Instant LATEST = Instant.parse("9999-12-30T00:00:00Z");

    /**
     * Fires at the times that a cron expression in Quartz's dialect matches in a time zone. The first field is the
     * seconds; a last field for the year is optional.
     *
     * <p>A fixed time in the gap of a daylight-saving change fires once, right after the gap. A fixed time in the
     * overlap fires once, at its first occurrence. An expression that fires in every hour keeps its rhythm in elapsed
     * time through both changes.
     *
     * @param expression for example {@code 0/30 * * * * ?}; checked when the job is registered
     * @param zone time zone of the expression
     */
    record Cron(String expression, ZoneId zone) implements Schedule {
        /**
         * Checks that the expression is not blank.
         *
         * @throws IllegalArgumentException if it is
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
     * Fires at a fixed distance, counted from an anchor that all instances share, so that each instance computes the
     * same instants.
     *
     * @param period distance between two fires, from 10 ms to {@link #LONGEST}, in whole milliseconds
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
     * Fires when a fixed delay has passed since the end of the item's last run. Each item fires independently, for the
     * first time one delay after the schedule came into force. Runs of manual triggers count as runs, too. Fires of
     * this schedule never misfire or overlap, since the next fire does not exist until the run has ended.
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
     * A fixed delay that grows while runs take too long. {@code base} is also the time limit of each run. A run that
     * exceeds it is cancelled and doubles the delay of its item, up to {@code base} × {@code bound}. The next run that
     * succeeds within the limit resets the delay to {@code base}; a failed run leaves it unchanged. Each item has its
     * own delay, which it keeps when it moves to another instance.
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
     * Runs each item in an endless loop: the next run follows at once while there is work, and after a pause when there
     * was none. A run reports that it found no work with {@link ShardingContext#idle()}; a {@link DataflowJob} does so
     * when its first fetch returns no data. A failed run is followed by the pause as well. Code that never reports this
     * runs without any pause; scripts and HTTP requests cannot report it.
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
     * Fires a single time. The fire runs however late it is; it never misfires or overlaps. A job that is registered
     * after the instant does not fire.
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

    /** Never fires by itself, only when triggered. */
    record OnDemand() implements Schedule {
        @Override
        public String toString() {
            return "onDemand";
        }
    }

    /**
     * A schedule with a start, an end, excluded times or a jitter. A time before {@code start}, after {@code end} or in
     * an excluded time is no fire at all: it does not misfire and is not made up for. If the next fire depends on the
     * last run ({@link FixedDelay}, {@link Adaptive}, {@link Continuous}), it moves to the start or to the end of the
     * excluded time.
     *
     * @param base schedule without such bounds of its own
     * @param start earliest instant of a fire; a fixed rate counts from it. Null for no start
     * @param end latest instant of a fire; null for no end
     * @param excluded times without fires; null for none
     * @param jitter upper bound, not included, of a delay after each fire; zero for none. Each item has its own delay,
     *     which is always the same. The fires keep their instants, by which they are identified
     */
    record Bounded(
            Schedule base,
            @Nullable Instant start,
            @Nullable Instant end,
            @Nullable Exclusions excluded,
            Duration jitter)
            implements Schedule {
        /**
         * Checks that the parts fit together.
         *
         * @throws IllegalArgumentException if they do not
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
     * Returns this schedule with an earliest instant of a fire. A fixed rate counts from it.
     *
     * @param start earliest instant of a fire
     */
    default Schedule startingAt(Instant start) {
        Bounded bounds = bounds();
        return new Bounded(bounds.base, start, bounds.end, bounds.excluded, bounds.jitter);
    }

    /**
     * Returns this schedule with a latest instant of a fire.
     *
     * @param end latest instant of a fire
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
     * Returns this schedule without the fires at excluded times, which are local times in the cron expression's time
     * zone, or in UTC for other schedules: {@code Schedule.cron("0 0 * * * ?", zone).excluding(none ->
     * none.weekdays(SATURDAY, SUNDAY))}.
     *
     * @param times receives empty exclusions and returns the exclusions to apply
     */
    default Schedule excluding(UnaryOperator<Exclusions> times) {
        ZoneId zone = unbounded() instanceof Cron cron ? cron.zone() : ZoneOffset.UTC;
        return excluding(times.apply(Exclusions.in(zone)));
    }

    /**
     * Returns this schedule with a jitter: each item starts some time after each of its fires. The delay differs
     * between jobs and items but is always the same for one item. Use it to spread jobs and items that fire at the same
     * time.
     *
     * @param bound upper bound of the delay, not included, in whole milliseconds, up to {@link #LONGEST}; zero for no
     *     jitter
     */
    default Schedule jitter(Duration bound) {
        Bounded bounds = bounds();
        return new Bounded(bounds.base, bounds.start, bounds.end, bounds.excluded, bound);
    }

    private Bounded bounds() {
        return this instanceof Bounded bounded ? bounded : new Bounded(this, null, null, null, Duration.ZERO);
    }

    /** Returns this schedule without start, end, excluded times and jitter. */
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
