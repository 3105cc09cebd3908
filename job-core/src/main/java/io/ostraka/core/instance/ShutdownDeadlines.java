package io.ostraka.core.instance;

import java.time.Duration;

/**
 * How the time of a shutdown is spent, so that all of it is within the grace that its jobs have: its last five seconds are for
 * runs that are told to end, for handing over and for leaving. Of a grace under ten seconds runs have half, and the five
 * seconds come on top, since hand-over and leaving need their time. All are counted from the shutdown's beginning.
 *
 * @param told when runs that still go on are told to end
 * @param returned when nobody waits for code any more that was told to
 * @param left when the instance has left, whatever users' code of jobs and listeners does meanwhile
 * @param closed when the threads have ended, or are left to the process's end
 */
record ShutdownDeadlines(Duration told, Duration returned, Duration left, Duration closed) {
    private static final Duration LAST = Duration.ofSeconds(5);
    /** Programs of script jobs are killed two seconds after they were told. */
    private static final Duration TO_RETURN = Duration.ofSeconds(3);

    private static final Duration TO_LEAVE = Duration.ofMillis(1500);

    /** Divides a grace, zero or more. */
    static ShutdownDeadlines of(Duration grace) {
        Duration half = grace.dividedBy(2);
        Duration told = half.compareTo(LAST) < 0 ? half : grace.minus(LAST);
        Duration returned = told.plus(TO_RETURN);
        return new ShutdownDeadlines(told, returned, returned.plus(TO_LEAVE), told.plus(LAST));
    }
}
