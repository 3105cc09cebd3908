package io.ostraka.faults.worker;

import java.time.Instant;

/**
 * How the code of a job behaves: of so many runs or batches one does it.
 *
 * @param leastMillis how long a run works, or a batch of a stream
 * @param mostMillis at most
 * @param pieces an effect after each
 * @param failures throw in the end
 * @param stubborn work on for up to {@link #STUBBORN_MILLIS} when told to end, and write what they have then
 */
record Manner(int leastMillis, int mostMillis, int pieces, int failures, int stubborn) {
    static final int STUBBORN_MILLIS = 2_500;
    /** How long slow code is slow, and for twice as long it isn't. */
    static final int SLOW_SECONDS = 10;
    /** How much longer it works then. */
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

    /** Whether the code of a job works for longer than it should: so does all that is due at that time. */
    static boolean isSlow(String job, Instant due) {
        return job.equals(Workload.ADAPTIVE) && due.getEpochSecond() / SLOW_SECONDS % 3 == 0;
    }
}
