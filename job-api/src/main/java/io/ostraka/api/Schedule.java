package io.ostraka.api;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * When a job fires. Immutable.
 *
 * <p>Every schedule but {@link OnDemand} can be given a beginning, an end, times at which it doesn't fire, and a jitter:
 * {@code Schedule.cron("0 0 * * * ?", zone).excluding(none -> none.weekdays(SATURDAY, SUNDAY)).jitter(ofMinutes(5))}.
 */
public sealed interface Schedule {
    /** The longest span of time that a schedule or a configuration may name. */
    Duration LONGEST = Duration.ofDays(36_500);

    /** The latest instant that a schedule may name. */
    Instant LATEST = Instant.parse("9999-12-30T00:00:00Z");

    /**
     * A cron expression in Quartz's dialect (seconds first, optional year last), read in a time zone.
     *
     * <p>A fixed time that falls into the gap of a daylight-saving change fires once right after the gap; in the overlap
     * it fires once, the first time. An expression that fires in every hour keeps its rhythm in elapsed time both ways.
     *
     * @param expression for example {@code 0/30 * * * * ?}; checked when the job is registered
     * @param zone any zone
     */
    record Cron(String expression, ZoneId zone) implements Schedule {
        /** Refuses an empty expression. */
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
     * Instants at a fixed distance, counted from an anchor that all instances share, so that each computes the same.
     *
     * @param period from 10 ms to {@link #LONGEST}, whole milliseconds
     */
    record FixedRate(Duration period) implements Schedule {
        /** Refuses periods under 10 ms or with a fraction of a millisecond. */
        public FixedRate {
            Spans.require("fixed rate period", period, 10);
        }

        @Override
        public String toString() {
            return "fixedRate " + period;
        }
    }

    /**
     * One fire, then a pause that begins when the item's run has ended, and so on: each item for itself, its first time a
     * pause after the schedule came into force. A manual trigger's run counts as well. Such a fire is never too late and
     * never overlapped, since nothing comes after it before it has run.
     *
     * @param delay from 1 ms to {@link #LONGEST}, whole milliseconds
     */
    record FixedDelay(Duration delay) implements Schedule {
        /** Refuses delays under 1 ms or with a fraction of a millisecond. */
        public FixedDelay {
            Spans.require("fixed delay", delay, 1);
        }

        @Override
        public String toString() {
            return "fixedDelay " + delay;
        }
    }

    /**
     * A fixed delay that makes way when runs take too long. The delay is the runs' time limit as well: one that exceeds
     * {@code base} is cancelled and doubles the item's delay, up to {@code base} × {@code bound}. The next run that makes
     * it in time and succeeds brings the delay back to {@code base}; a failure leaves it as it is. It is the item's own,
     * and stays with it when the item moves.
     *
     * @param base the delay, and the time limit of a run; from 1 ms to {@link #LONGEST}, whole milliseconds
     * @param bound how many times {@code base} the delay grows to at most, from 1
     */
    record Adaptive(Duration base, int bound) implements Schedule {
        /** Refuses a base under 1 ms or with a fraction of a millisecond, and a bound that leads beyond {@link #LONGEST}. */
        public Adaptive {
            Spans.require("adaptive base", base, 1);
            if (bound < 1 || bound > LONGEST.dividedBy(base)) {
                throw new IllegalArgumentException("adaptive bound is " + bound + " with base " + base
                        + "; accepted: 1 or more, and base × bound of at most 36500 days");
            }
        }

        /** Returns what the delay grows to at most. */
        public Duration longest() {
            return base.multipliedBy(bound);
        }

        @Override
        public String toString() {
            return "adaptive " + base + ", bound " + bound;
        }
    }

    /**
     * An endless loop: the next pass at once while there was work, after a pause when there was none. A run says that it
     * found none by {@link ShardingContext#idle()}; a {@link DataflowJob} says it by a first fetch that returns nothing.
     * After a pass that failed the pause is kept too. Code that never says so, which a script or a request can't, is run
     * without a pause for ever.
     *
     * @param idle from 1 ms to {@link #LONGEST}, whole milliseconds
     */
    record Continuous(Duration idle) implements Schedule {
        /** Refuses pauses under 1 ms or with a fraction of a millisecond. */
        public Continuous {
            Spans.require("continuous idle pause", idle, 1);
        }

        @Override
        public String toString() {
            return "continuous, idle " + idle;
        }
    }

    /**
     * A single fire, however late it can run: it is never missed and never overlapped. Registered after that instant, the
     * job doesn't fire.
     *
     * @param at from 1970 to {@link #LATEST}; cut to whole milliseconds
     */
    record Once(Instant at) implements Schedule {
        /** Refuses an instant that can't be. */
        public Once {
            at = Spans.require("once", at);
        }

        @Override
        public String toString() {
            return "once at " + at;
        }
    }

    /** Never by itself, only when triggered. */
    record OnDemand() implements Schedule {
        @Override
        public String toString() {
            return "onDemand";
        }
    }

    /**
     * Another schedule within bounds. What lies before {@code start} or after {@code end}, or is excluded, is no fire at
     * all: it isn't missed, and nothing is made up for. Where the next fire counts from the last run ({@link FixedDelay},
     * {@link Adaptive}, {@link Continuous}) it waits for the beginning, or for the end of what is excluded, instead.
     *
     * @param base the schedule, itself without bounds
     * @param start from when on; a fixed rate counts from it; null for no beginning
     * @param end until when, itself included; null for no end
     * @param excluded when it doesn't fire; null for never
     * @param jitter each item starts later than its fires by a time of its own, always the same, under this bound; zero
     *     for none. Fires keep their instants, by which they are known everywhere
     */
    record Bounded(
            Schedule base,
            @Nullable Instant start,
            @Nullable Instant end,
            @Nullable Exclusions excluded,
            Duration jitter)
            implements Schedule {
        /** Refuses what can't be together. */
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

    /** Returns the same schedule from an instant on; a fixed rate counts from it. */
    default Schedule startingAt(Instant start) {
        Bounded bounds = bounds();
        return new Bounded(bounds.base, start, bounds.end, bounds.excluded, bounds.jitter);
    }

    /** Returns the same schedule up to an instant, itself included. */
    default Schedule endingAt(Instant end) {
        Bounded bounds = bounds();
        return new Bounded(bounds.base, bounds.start, end, bounds.excluded, bounds.jitter);
    }

    /** Returns the same schedule without the fires that fall into excluded times. */
    default Schedule excluding(Exclusions excluded) {
        Bounded bounds = bounds();
        return new Bounded(bounds.base, bounds.start, bounds.end, excluded, bounds.jitter);
    }

    /**
     * The same, with times as the schedule's own zone has them, which is a cron's, and otherwise UTC:
     * {@code Schedule.cron("0 0 * * * ?", zone).excluding(none -> none.weekdays(SATURDAY, SUNDAY))}.
     *
     * @param times given exclusions of nothing, returns what is to be excluded
     */
    default Schedule excluding(UnaryOperator<Exclusions> times) {
        ZoneId zone = unbounded() instanceof Cron cron ? cron.zone() : ZoneOffset.UTC;
        return excluding(times.apply(Exclusions.in(zone)));
    }

    /**
     * Returns the same schedule with its items spread: each starts a while after its fires that is always the same, and
     * under a bound. Two jobs or items that fire together start apart.
     *
     * @param bound whole milliseconds, up to {@link #LONGEST}; zero for none
     */
    default Schedule jitter(Duration bound) {
        Bounded bounds = bounds();
        return new Bounded(bounds.base, bounds.start, bounds.end, bounds.excluded, bound);
    }

    private Bounded bounds() {
        return this instanceof Bounded bounded ? bounded : new Bounded(this, null, null, null, Duration.ZERO);
    }

    /** Returns the schedule itself, without its bounds. */
    default Schedule unbounded() {
        return this instanceof Bounded bounded ? bounded.base : this;
    }

    /** See {@link Cron}. */
    static Schedule cron(String expression, ZoneId zone) {
        return new Cron(expression, zone);
    }

    /** The same in UTC. */
    static Schedule cron(String expression) {
        return new Cron(expression, ZoneOffset.UTC);
    }

    /** See {@link FixedRate}. */
    static Schedule fixedRate(Duration period) {
        return new FixedRate(period);
    }

    /** See {@link FixedDelay}. */
    static Schedule fixedDelay(Duration delay) {
        return new FixedDelay(delay);
    }

    /** See {@link Adaptive}. */
    static Schedule adaptive(Duration base, int bound) {
        return new Adaptive(base, bound);
    }

    /** See {@link Continuous}. */
    static Schedule continuous(Duration idle) {
        return new Continuous(idle);
    }

    /** See {@link Once}. */
    static Schedule once(Instant at) {
        return new Once(at);
    }

    /** See {@link OnDemand}. */
    static Schedule onDemand() {
        return new OnDemand();
    }
}
