package io.ostraka.core.instance;

import java.time.Duration;

/**
 * Deadlines of a shutdown, as times since its beginning. They follow from the shutdown grace of the jobs. Runs may
 * continue until five seconds before the end of the grace. The last five seconds are for stopping runs, handing their
 * items over, and removing the instance. If the grace is shorter than ten seconds, runs get half of it, and the five
 * seconds are added.
 *
 * @param stopped time at which running items are stopped
 * @param returned time at which the wait for stopped code ends
 * @param left time at which the instance is removed, even if user code still runs
 * @param closed time at which the threads have ended or are left to the end of the process
 */
record ShutdownDeadlines(Duration stopped, Duration returned, Duration left, Duration closed) {
    private static final Duration LAST = Duration.ofSeconds(5);
    /** Longer than the two seconds after which a script job that was stopped kills its program. */
    private static final Duration TO_RETURN = Duration.ofSeconds(3);

    private static final Duration TO_LEAVE = Duration.ofMillis(1500);

    /**
     * Returns the deadlines for a grace.
     *
     * @param grace zero or more
     */
    static ShutdownDeadlines of(Duration grace) {
        Duration half = grace.dividedBy(2);
        Duration stopped = half.compareTo(LAST) < 0 ? half : grace.minus(LAST);
        Duration returned = stopped.plus(TO_RETURN);
        return new ShutdownDeadlines(stopped, returned, returned.plus(TO_LEAVE), stopped.plus(LAST));
    }
}
