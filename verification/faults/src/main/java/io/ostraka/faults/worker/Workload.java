package io.ostraka.faults.worker;

import io.ostraka.api.Exclusions;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.api.SessionLossPolicy;
import io.ostraka.faults.history.Event;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * The jobs that every worker hosts. {@link WorkProfile} describes the behaviour of their code.
 *
 * <p>Jobs with frequent fires have policies under which a fire that starts a moment late still runs. In the calm phase,
 * in which code takes no time, every fire therefore runs and can be counted.
 */
public final class Workload {
    /** Cron, every second, 8 items. */
    public static final String CRON = "cron";
    /** Fires every 200 ms; 8 items, failover off. Its runs continue after a session loss. */
    public static final String RATE = "rate";
    /**
     * A streaming dataflow of 8 items that continue from their checkpoints. Its writes to the resource are numbered.
     */
    public static final String STREAM = "stream";
    /** Has no schedule and runs only when triggered; 8 items. */
    public static final String ONCE = "once";
    /** One item that works for seconds. */
    public static final String SLOW = "slow";
    /** 40 items, every 2 s. */
    public static final String LARGE = "large";
    /** Fails often, and is retried. */
    public static final String RETRIED = "retried";
    /** Sometimes exceeds its time limit. */
    public static final String LIMITED = "limited";
    /** Has a fixed delay between the end of a run and the next run. */
    public static final String DELAYED = "delayed";
    /**
     * Has an adaptive interval. In every third time span of {@link WorkProfile#SLOW_SECONDS}, its runs take longer than
     * the interval.
     */
    public static final String ADAPTIVE = "adaptive";
    /** Fires every second and runs for up to 1.6 s. A later fire cancels a run that has not ended. */
    public static final String OVERTAKEN = "overtaken";
    /** Runs in an endless loop. */
    public static final String LOOP = "loop";
    /** Has only two slots in each process for its six items. */
    public static final String NARROW = "narrow";
    /** Each item starts with a delay of its own. */
    public static final String SHIFTED = "shifted";
    /** Has a once-listener, whose calls take some time. */
    public static final String ANNOUNCED = "announced";
    /** Its runs submit child tasks. */
    public static final String TASKED = "tasked";
    /** Fires once, during the phase with faults. */
    public static final String SINGLE = "single";
    /** Runs a program for each item. */
    public static final String SCRIPT = "script";
    /** Sends a request for each item. */
    public static final String REQUEST = "request";
    /** Fails often. Its items are quarantined and released again and again. */
    public static final String PARKED = "parked";
    /** Does not fire during four of every twenty seconds. */
    public static final String GAPS = "gaps";
    /** Its items are distributed by load over the tagged instances, with at most two items on each. */
    public static final String PLACED = "placed";
    /** Has one item. Each fire runs on a different instance than the fire before. */
    public static final String ROUTED = "routed";
    /** Has an item for each instance. */
    public static final String EVERYWHERE = "everywhere";
    /** Has one item in each zone. */
    public static final String ZONED = "zoned";
    /** Has a single item for all zones together. */
    public static final String LONE = "lone";
    /** Has at most one item on each tagged instance. While one of these instances is away, an item is unplaced. */
    public static final String CROWDED = "crowded";

    /** Tag of the instances that may own items of {@link #PLACED} and {@link #CROWDED}. */
    static final String TAG = "disk";

    private static final Duration UNTIL_SINGLE = Duration.ofSeconds(45);
    private static final int GAP_EVERY_SECONDS = 20;
    private static final int GAP_SECONDS = 4;
    /** Number of gaps. They cover the longest soak of one seed, including its start. */
    private static final int GAPS_IN_ALL = 45;

    /** Limit of attempts, so large that no item is quarantined although hundreds of processes die. */
    private static final int MAX_ATTEMPTS = 1_000;

    private Workload() {}

    /** Returns all jobs. Their fixed fire times and exclusions are in the distant past. */
    public static List<JobConfiguration> jobs() {
        return jobs(Instant.EPOCH);
    }

    /**
     * Returns all jobs.
     *
     * @param begun common start time of all workers, from which fixed fire times and exclusions are computed
     */
    static List<JobConfiguration> jobs(Instant begun) {
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
                        .misfireThreshold(Duration.ofSeconds(8))
                        .overlap(OverlapPolicy.skip())
                        .build(),
                job(RETRIED, 4)
                        .jobParameter(Event.HEARD)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(2)))
                        .retry(RetryPolicy.attempts(4).backoff(Duration.ofMillis(150), 2, Duration.ofMillis(600)))
                        .build(),
                job(LIMITED, 4)
                        .jobParameter(Event.HEARD)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(2)))
                        .timeout(Duration.ofMillis(400))
                        .retry(RetryPolicy.attempts(2).backoff(Duration.ofMillis(100), 1, Duration.ofMillis(100)))
                        .misfire(MisfirePolicy.skip())
                        .misfireThreshold(Duration.ofSeconds(6))
                        .build(),
                job(DELAYED, 3)
                        .jobParameter(Event.HEARD)
                        .schedule(Schedule.fixedDelay(Duration.ofSeconds(1)))
                        .build(),
                job(ADAPTIVE, 3)
                        .schedule(Schedule.adaptive(Duration.ofMillis(500), 8))
                        .build(),
                job(OVERTAKEN, 3)
                        .schedule(Schedule.cron("0/1 * * * * ?"))
                        .overlap(OverlapPolicy.cancelRunning())
                        .build(),
                job(LOOP, 2)
                        .schedule(Schedule.continuous(Duration.ofSeconds(2)))
                        .build(),
                job(NARROW, 6)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(2)))
                        .concurrency(2)
                        .build(),
                job(SHIFTED, 4)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(2)).jitter(Duration.ofMillis(900)))
                        .misfire(MisfirePolicy.fireAll(2))
                        .overlap(OverlapPolicy.coalesce())
                        .build(),
                job(ANNOUNCED, 5)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(3)))
                        .misfireThreshold(Duration.ofSeconds(6))
                        .build(),
                job(TASKED, 4)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(2)))
                        .retry(RetryPolicy.attempts(2).backoff(Duration.ofMillis(100), 1, Duration.ofMillis(100)))
                        .build(),
                job(SINGLE, 6).schedule(Schedule.once(begun.plus(UNTIL_SINGLE))).build(),
                job(SCRIPT, 3)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(3)))
                        .build(),
                job(REQUEST, 3)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(3)))
                        .build(),
                job(PARKED, 3)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(2)))
                        .quarantineAfter(2)
                        .build(),
                job(GAPS, 3)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(1)).excluding(gaps(begun)))
                        .build(),
                job(PLACED, 4)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(2)))
                        .shardingStrategy("LOAD_AWARE")
                        .requiredInstances(TAG + "=ssd")
                        .maxItemsPerInstance(2)
                        .build(),
                job(ROUTED, 1)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(3)))
                        .shardingStrategy("ROUND")
                        .build(),
                job(EVERYWHERE, 1)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(3)))
                        .scope(Scope.BROADCAST)
                        .build(),
                job(ZONED, 1)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(2)))
                        .scope(Scope.ONE_PER_ZONE)
                        .build(),
                job(LONE, 1)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(2)))
                        .scope(Scope.SINGLETON)
                        .build(),
                job(CROWDED, 4)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(3)))
                        .failover(false)
                        .requiredInstances(TAG + "=ssd & (zone=a | zone=b)")
                        .maxItemsPerInstance(1)
                        .build());
    }

    private static Exclusions gaps(Instant begun) {
        Exclusions gaps = Exclusions.in(ZoneOffset.UTC);
        for (int i = 1; i <= GAPS_IN_ALL; i++) {
            LocalTime from = LocalTime.ofInstant(begun, ZoneOffset.UTC)
                    .truncatedTo(ChronoUnit.SECONDS)
                    .plusSeconds((long) i * GAP_EVERY_SECONDS);
            gaps = gaps.daily(from, from.plusSeconds(GAP_SECONDS));
        }
        return gaps;
    }

    /** Returns whether every item of the job fires again within a few seconds as long as any instance is alive. */
    public static boolean goesOn(JobConfiguration job) {
        boolean byItself = !(job.schedule() instanceof Schedule.OnDemand || job.schedule() instanceof Schedule.Once);
        boolean gaps = job.schedule() instanceof Schedule.Bounded bounded && bounded.excluded() != null;
        boolean somewhere = isNumbered(job) && !job.jobName().equals(CROWDED);
        return byItself && somewhere && !gaps && job.quarantineAfter() == 0;
    }

    /**
     * Returns whether the item keys of the job are numbers. The other keys are instances or zones, which come and go.
     */
    public static boolean isNumbered(JobConfiguration job) {
        return job.scope() == Scope.SHARDED || job.scope() == Scope.SINGLETON;
    }

    /**
     * Returns whether a run of the job does more than call Java code: it runs a program, sends a request, or has child
     * tasks.
     */
    static boolean reachesOut(String job) {
        return List.of(TASKED, SCRIPT, REQUEST).contains(job);
    }

    private static JobConfiguration.Builder job(String name, int items) {
        return JobConfiguration.newBuilder(name, items)
                .maxAttempts(MAX_ATTEMPTS)
                .sessionLoss(SessionLossPolicy.INTERRUPT)
                .shutdownGrace(Duration.ofSeconds(2));
    }
}
