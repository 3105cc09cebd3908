package io.ostraka.api;

import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** When a job fires. Immutable. */
public sealed interface Schedule {
    /** The longest span of time that a schedule or a configuration may name. */
    Duration LONGEST = Duration.ofDays(36_500);

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
            if (expression.isBlank()) {
                throw new IllegalArgumentException(
                        "cron expression is empty; accepted: Quartz's dialect, such as '0/30 * * * * ?'");
            }
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
            if (period.compareTo(Duration.ofMillis(10)) < 0
                    || period.compareTo(LONGEST) > 0
                    || period.toNanosPart() % 1_000_000 != 0) {
                throw new IllegalArgumentException(
                        "fixed rate period is " + period + "; accepted: whole milliseconds, from 10 ms to 36500 days");
            }
        }
    }

    /** Never by itself, only when triggered. */
    record OnDemand() implements Schedule {}

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

    /** See {@link OnDemand}. */
    static Schedule onDemand() {
        return new OnDemand();
    }
}
