package io.ostraka.core.instance;

import java.time.Duration;

/**
 * Deadlines of a shutdown, as times since its beginning. They are derived from the shutdown grace. Runs may continue
 * until five seconds before the end of the grace. In the last five seconds, the remaining runs are stopped, their items
 * are handed over, and the instance is removed. If the grace is shorter than ten seconds, runs may continue for half of
 * the grace, and the shutdown takes up to five more seconds.
 *
 * @param stopped time at which running items are stopped
 * @param returned time at which the wait for stopped code ends
 * @param left time at which the instance is removed, even if user code still runs
 * @param closed time at which the wait for the threads ends; threads that still run then may run until the process ends
 */
record ShutdownDeadlines(Duration stopped, Duration returned, Duration left, Duration closed) {
    private static final Duration LAST = Duration.ofSeconds(5);
    /**
     * Time for stopped code to return. Longer than the two seconds after which a stopped script job kills its program.
     */
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
