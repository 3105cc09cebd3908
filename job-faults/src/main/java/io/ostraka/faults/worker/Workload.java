package io.ostraka.faults.worker;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.SessionLossPolicy;
import java.time.Duration;
import java.util.List;

/**
 * The jobs that every worker hosts, and how the code of each behaves.
 *
 * <p>Fires keep their count in the calm, where code takes no time: a policy keeps whatever comes a moment late of the jobs
 * that fire often.
 */
public final class Workload {
    /** Cron, every second, 8 items. */
    public static final String CRON = "cron";
    /** A fixed rate of 200 ms, 8 items, failover off, sessions lost are worked through. */
    public static final String RATE = "rate";
    /** A streaming dataflow of 8 items that go on from their checkpoints; its effects are numbered. */
    public static final String STREAM = "stream";
    /** Only triggered, 8 items. */
    public static final String ONCE = "once";
    /** One item that works for seconds. */
    public static final String SLOW = "slow";
    /** 40 items, every 2 s. */
    public static final String LARGE = "large";

    /** Processes die by the hundreds here, so nothing is quarantined. */
    private static final int MAX_ATTEMPTS = 1_000;

    private Workload() {}

    /** Returns all of them. */
    public static List<JobConfiguration> jobs() {
        return List.of(
                job(CRON, 8)
                        .schedule(Schedule.cron("0/1 * * * * ?"))
                        .misfire(MisfirePolicy.fireAll(5))
                        .overlap(OverlapPolicy.coalesce())
                        .build(),
                job(RATE, 8)
                        .schedule(Schedule.fixedRate(Duration.ofMillis(200)))
                        .failover(false)
                        .misfire(MisfirePolicy.fireAll(20))
                        .overlap(OverlapPolicy.queue(20))
                        .sessionLoss(SessionLossPolicy.KEEP_RUNNING)
                        .build(),
                job(STREAM, 8)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(2)))
                        .streaming(true)
                        .misfire(MisfirePolicy.fireOnce())
                        .overlap(OverlapPolicy.skip())
                        .build(),
                job(ONCE, 8).shutdownGrace(Duration.ZERO).build(),
                job(SLOW, 1)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(8)))
                        .misfire(MisfirePolicy.skip())
                        .overlap(OverlapPolicy.queue(2))
                        .sessionLoss(SessionLossPolicy.KEEP_RUNNING)
                        .shutdownGrace(Duration.ofSeconds(1))
                        .build(),
                job(LARGE, 40)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(2)))
                        .misfire(MisfirePolicy.skip())
                        .overlap(OverlapPolicy.skip())
                        .build());
    }

    private static JobConfiguration.Builder job(String name, int items) {
        return JobConfiguration.newBuilder(name, items)
                .maxAttempts(MAX_ATTEMPTS)
                .sessionLoss(SessionLossPolicy.INTERRUPT)
                .shutdownGrace(Duration.ofSeconds(2));
    }

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

        static Manner of(String job) {
            return switch (job) {
                case CRON -> new Manner(10, 400, 2, 40, 10);
                case RATE -> new Manner(5, 120, 1, 100, 50);
                case STREAM -> new Manner(50, 250, 1, 50, 20);
                case SLOW -> new Manner(3_000, 6_000, 8, 8, 4);
                case LARGE -> new Manner(10, 600, 2, 60, 20);
                default -> new Manner(20, 1_500, 3, 20, 10);
            };
        }
    }
}
