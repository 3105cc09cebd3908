package io.ostraka.remote;

import java.time.Duration;

/**
 * Pauses between the requests of one instance. They are partly random, because otherwise all instances of an
 * application would ask at the same time after a deployment or an outage of the platform.
 *
 * @param interval average pause while the platform answers
 */
record Pauses(Duration interval) {
    /** Longest pause while the platform does not answer, unless the interval is longer. */
    static final Duration LONGEST = Duration.ofMinutes(5);

    private static final double JITTER = 0.2;
    private static final int MOST_DOUBLINGS = 10;

    /** Returns the pause between the start and the first request: a random part of the interval. */
    Duration first(double random) {
        return of(interval, random);
    }

    /**
     * Returns the pause after a request.
     *
     * @param failures number of failures in a row
     * @param random random number from 0 to 1
     * @param least shortest pause that the platform has asked for; zero if it has asked for none
     */
    Duration next(int failures, double random, Duration least) {
        if (failures == 0) {
            return of(interval, 1 - JITTER + 2 * JITTER * random);
        }
        Duration doubled = interval.multipliedBy(1L << Math.min(failures, MOST_DOUBLINGS));
        Duration longest = interval.compareTo(LONGEST) > 0 ? interval : LONGEST;
        Duration pause = of(doubled.compareTo(longest) < 0 ? doubled : longest, 0.5 + random / 2);
        Duration asked = least.compareTo(longest) < 0 ? least : longest;
        return pause.compareTo(asked) < 0 ? asked.plus(of(interval, random)) : pause;
    }

    private static Duration of(Duration whole, double part) {
        return Duration.ofMillis(Math.round(whole.toMillis() * part));
    }
}
