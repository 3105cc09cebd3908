package io.ostraka.core.instance;

import java.time.Duration;

/**
 * Deadlines of a shutdown, counted from its beginning, within the grace of the jobs. The last five seconds of the grace are
 * for stopped runs, for the hand-over and for removing the instance. Of a grace under ten seconds, runs have half, and the
 * five seconds come on top.
 *
 * @param stopped when running items are stopped
 * @param returned when waiting for stopped code ends
 * @param left when the instance is removed, even if code of jobs and listeners still runs
 * @param closed when the threads have ended, or are left to the end of the process
 */
record ShutdownDeadlines(Duration stopped, Duration returned, Duration left, Duration closed) {
    private static final Duration LAST = Duration.ofSeconds(5);
    /** Script jobs kill their programs two seconds after a stop. */
    private static final Duration TO_RETURN = Duration.ofSeconds(3);

    private static final Duration TO_LEAVE = Duration.ofMillis(1500);

    /** Divides a grace of zero or more. */
    static ShutdownDeadlines of(Duration grace) {
        Duration half = grace.dividedBy(2);
        Duration stopped = half.compareTo(LAST) < 0 ? half : grace.minus(LAST);
        Duration returned = stopped.plus(TO_RETURN);
        return new ShutdownDeadlines(stopped, returned, returned.plus(TO_LEAVE), stopped.plus(LAST));
    }
}
