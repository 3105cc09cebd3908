package io.ostraka.faults.worker;

import java.time.Instant;

/**
 * The behaviour of the code of a job. The last two values are the n of "one in n runs or batches".
 *
 * @param leastMillis shortest work of a run, or of a batch of a stream
 * @param mostMillis upper limit of that work
 * @param pieces number of pieces of work, each followed by an effect
 * @param failures one in so many runs or batches throws at its end
 * @param stubborn one in so many works on for up to {@link #STUBBORN_MILLIS} after a cancellation, and then writes
 */
record Manner(int leastMillis, int mostMillis, int pieces, int failures, int stubborn) {
    static final int STUBBORN_MILLIS = 2_500;
    /** Length of the slow phases of slow code; the normal phases between them are twice as long. */
    static final int SLOW_SECONDS = 10;
    /** Additional work of a run in a slow phase. */
    static final int SLOW_MILLIS = 600;

    static Manner of(String job) {
        return switch (job) {
            case Workload.CRON -> new Manner(10, 400, 2, 40, 10);
            case Workload.RATE -> new Manner(5, 120, 1, 100, 50);
            case Workload.STREAM -> new Manner(50, 250, 1, 50, 20);
            case Workload.SLOW -> new Manner(3_000, 6_000, 8, 8, 4);
            case Workload.LARGE -> new Manner(10, 600, 2, 60, 20);
            case Workload.RETRIED -> new Manner(10, 200, 1, 2, 20);
            case Workload.LIMITED -> new Manner(50, 600, 2, 6, 6);
            case Workload.DELAYED -> new Manner(10, 300, 1, 20, 20);
            case Workload.ADAPTIVE -> new Manner(20, 200, 1, 30, 20);
            case Workload.OVERTAKEN -> new Manner(100, 1_600, 2, 30, 8);
            case Workload.LOOP -> new Manner(10, 200, 1, 30, 20);
            case Workload.NARROW -> new Manner(20, 200, 1, 40, 20);
            case Workload.SHIFTED -> new Manner(10, 300, 1, 40, 20);
            case Workload.ANNOUNCED -> new Manner(10, 500, 1, 20, 20);
            case Workload.TASKED -> new Manner(10, 300, 1, 40, 20);
            case Workload.SINGLE -> new Manner(1_000, 4_000, 4, 20, 20);
            case Workload.PARKED -> new Manner(10, 200, 1, 2, 20);
            case Workload.GAPS,
                    Workload.PLACED,
                    Workload.ROUTED,
                    Workload.EVERYWHERE,
                    Workload.ZONED,
                    Workload.LONE,
                    Workload.CROWDED -> new Manner(10, 400, 1, 40, 20);
            default -> new Manner(20, 1_500, 3, 20, 10);
        };
    }

    /** Returns whether the fire is due in a slow phase of its job. */
    static boolean isSlow(String job, Instant due) {
        return job.equals(Workload.ADAPTIVE) && due.getEpochSecond() / SLOW_SECONDS % 3 == 0;
    }
}
