package io.ostraka.faults.worker;

import java.time.Instant;

/**
 * The behaviour of the code of a job.
 *
 * @param leastMillis shortest duration of the work of a run, or of a batch of a stream
 * @param mostMillis upper limit of that duration
 * @param pieces number of pieces of work; a write to the resource follows each piece
 * @param failures one in this number of runs or batches throws an exception at its end
 * @param stubborn one in this number of runs or batches ignores a cancellation for up to {@link #STUBBORN_MILLIS},
 *     and then writes to the resource
 */
record WorkProfile(int leastMillis, int mostMillis, int pieces, int failures, int stubborn) {
    static final int STUBBORN_MILLIS = 2_500;
    /** Length of each slow phase of a job whose code is slow at times. The normal phases are twice as long. */
    static final int SLOW_SECONDS = 10;
    /** Additional work of a run in a slow phase. */
    static final int SLOW_MILLIS = 600;

    static WorkProfile of(String job) {
        return switch (job) {
            case Workload.CRON -> new WorkProfile(10, 400, 2, 40, 10);
            case Workload.RATE -> new WorkProfile(5, 120, 1, 100, 50);
            case Workload.STREAM -> new WorkProfile(50, 250, 1, 50, 20);
            case Workload.SLOW -> new WorkProfile(3_000, 6_000, 8, 8, 4);
            case Workload.LARGE -> new WorkProfile(10, 600, 2, 60, 20);
            case Workload.RETRIED -> new WorkProfile(10, 200, 1, 2, 20);
            case Workload.LIMITED -> new WorkProfile(50, 600, 2, 6, 6);
            case Workload.DELAYED -> new WorkProfile(10, 300, 1, 20, 20);
            case Workload.ADAPTIVE -> new WorkProfile(20, 200, 1, 30, 20);
            case Workload.OVERTAKEN -> new WorkProfile(100, 1_600, 2, 30, 8);
            case Workload.LOOP -> new WorkProfile(10, 200, 1, 30, 20);
            case Workload.NARROW -> new WorkProfile(20, 200, 1, 40, 20);
            case Workload.SHIFTED -> new WorkProfile(10, 300, 1, 40, 20);
            case Workload.ANNOUNCED -> new WorkProfile(10, 500, 1, 20, 20);
            case Workload.TASKED -> new WorkProfile(10, 300, 1, 40, 20);
            case Workload.SINGLE -> new WorkProfile(1_000, 4_000, 4, 20, 20);
            case Workload.PARKED -> new WorkProfile(10, 200, 1, 2, 20);
            case Workload.GAPS,
                    Workload.PLACED,
                    Workload.ROUTED,
                    Workload.EVERYWHERE,
                    Workload.ZONED,
                    Workload.LONE,
                    Workload.CROWDED -> new WorkProfile(10, 400, 1, 40, 20);
            default -> new WorkProfile(20, 1_500, 3, 20, 10);
        };
    }

    /** Returns whether the fire comes due in a slow phase of its job. */
    static boolean isSlow(String job, Instant due) {
        return job.equals(Workload.ADAPTIVE) && due.getEpochSecond() / SLOW_SECONDS % 3 == 0;
    }
}
