package io.ostraka.faults.simulation;

import io.ostraka.api.Exclusions;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.SessionLossPolicy;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The complete description of a simulation, derived from a seed: the cluster, its jobs, and every fault.
 *
 * @param seed source of all choices, including the order of steps
 * @param instances number of instances at the start
 * @param drainDeadline longest time for which a change of an item count waits for running items
 * @param skews time by which the wall clock of each instance is ahead
 * @param latencies latency of the requests of each instance
 * @param jobs jobs of the cluster
 * @param faults faults, in order
 */
public record Scenario(
        long seed,
        int instances,
        Duration drainDeadline,
        List<Duration> skews,
        List<Duration> latencies,
        List<JobConfiguration> jobs,
        List<Fault> faults) {
    static final String RATE = "rate";
    static final String ONCE = "once";
    static final String PACED = "paced";
    static final String FLOW = "flow";
    static final String LARGE = "large";
    static final String HOSTILE = "hostile";
    static final String SINGLE = "single";
    /** A job with a single item, because its strategies allow only one. */
    static final String ROUTED = "routed";

    /** A job with an item for each instance. */
    static final String EVERYWHERE = "everywhere";
    /** A job with an item for each zone. */
    static final String ZONED = "zoned";

    /** A job with an anti-affinity to {@link #RATE}. */
    static final String SHY = "shy";

    /** Jobs whose item count never changes. */
    static final List<String> FIXED = List.of(HOSTILE, ROUTED, EVERYWHERE, ZONED, SHY);

    /** Tag of every second host. */
    static final String TAG = "disk";

    /** Description of jobs whose runs have child tasks. */
    static final String TASKS = "with tasks";

    /** Time at which a simulation begins. */
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    /** Maximum number of items of each job except the large one. */
    static final int MOST_ITEMS = 6;
    /** Length of the phase with faults. */
    static final Duration FAULT_PHASE = Duration.ofMinutes(2);

    /** Lowest latency of slow requests. A lower latency would have no effect except additional steps. */
    static final int FASTEST_MILLIS = 50;

    private static final int MOST_FAULTS = 40;
    private static final int MOST_COMMANDS = 8;
    /** Period of the jobs' fires. Half of the faults happen close to a fire, because most transactions happen there. */
    private static final int PERIOD_MILLIS = 5_000;

    /** Copies the lists. */
    public Scenario {
        skews = List.copyOf(skews);
        latencies = List.copyOf(latencies);
        jobs = List.copyOf(jobs);
        faults = List.copyOf(faults);
    }

    /** Creates the scenario of a seed. */
    public static Scenario of(long seed) {
        var random = new SplittableRandom(seed);
        int instances = 3 + random.nextInt(2);
        Duration drain = pick(random, Duration.ofMinutes(10), Duration.ofMinutes(10), Duration.ofSeconds(20));
        List<Duration> skews = new ArrayList<>();
        List<Duration> latencies = new ArrayList<>();
        int slowest = pick(random, 0, 100, 1_500, 1_500);
        for (int i = 0; i < instances; i++) {
            latencies.add(Duration.ofMillis(slowest == 0 ? 0 : random.nextInt(FASTEST_MILLIS, slowest)));
            skews.add(Duration.ofMillis(random.nextInt(4) == 0 ? random.nextInt(-15_000, 15_000) : 0));
        }
        return new Scenario(
                seed,
                instances,
                drain,
                skews,
                latencies,
                ScenarioVariations.of(
                        jobs(random, new SplittableRandom(~seed), new SplittableRandom(~seed >>> 1)), seed),
                commanded(
                        ScenarioVariations.deleted(
                                ScenarioVariations.redefined(
                                        ScenarioVariations.backfilled(
                                                ScenarioVariations.skipped(
                                                        ScenarioVariations.stopped(faults(random), seed), seed),
                                                seed),
                                        seed),
                                seed),
                        new SplittableRandom(~seed >>> 2)));
    }

    /** Returns whether the faults include operators' commands for the whole namespace or for an instance. */
    boolean commanded() {
        return faults.stream().anyMatch(fault -> fault.kind().command());
    }

    /** Returns this scenario with only some of its faults. */
    public Scenario with(List<Fault> some) {
        return new Scenario(seed, instances, drainDeadline, skews, latencies, jobs, some);
    }

    /**
     * Creates the jobs.
     *
     * @param more random source for variations that only some scenarios have. It is a separate source, so that these
     *     variations do not change the values that {@code random} draws
     * @param runs random source for the outcomes of runs, separate for the same reason
     */
    private static List<JobConfiguration> jobs(SplittableRandom random, SplittableRandom more, SplittableRandom runs) {
        List<JobConfiguration> jobs = new ArrayList<>();
        Schedule often = pick(
                random,
                Schedule.fixedRate(Duration.ofSeconds(10)),
                Schedule.fixedRate(Duration.ofSeconds(5)),
                Schedule.cron("0/10 * * * * ?"));
        jobs.add(running(runs, job(random, RATE, 1 + random.nextInt(MOST_ITEMS)))
                .schedule(more.nextInt(4) == 0 ? bounded(more, often) : often)
                .catchUpWindow(more.nextInt(4) == 0 ? Duration.ofSeconds(30) : null)
                .build());
        jobs.add(
                running(runs, job(random, ONCE, 1 + random.nextInt(MOST_ITEMS))).build());
        if (random.nextInt(3) == 0) {
            jobs.add(running(runs, job(random, FLOW, 1 + random.nextInt(2)))
                    .schedule(Schedule.fixedRate(Duration.ofSeconds(20)))
                    .streaming(random.nextInt(3) != 0)
                    .build());
        }
        if (random.nextInt(8) == 0) {
            jobs.add(job(random, HOSTILE, 2)
                    .schedule(Schedule.fixedRate(Duration.ofSeconds(5)))
                    .shardingStrategy(FailingStrategy.TYPE)
                    .build());
        }
        if (random.nextInt(150) == 0) {
            jobs.add(job(random, LARGE, 401 + random.nextInt(60)).build());
        }
        if (more.nextInt(3) == 0) {
            Schedule paced = paced(more);
            jobs.add(running(runs, job(more, PACED, 1 + more.nextInt(MOST_ITEMS)))
                    .schedule(more.nextInt(4) == 0 ? bounded(more, paced) : paced)
                    .build());
        }
        return jobs;
    }

    /** Returns a schedule under which the next fire of an item depends on the item's last run. */
    static Schedule paced(SplittableRandom random) {
        return pick(
                random,
                Schedule.fixedDelay(Duration.ofSeconds(7)),
                Schedule.fixedDelay(Duration.ofMillis(500)),
                Schedule.adaptive(Duration.ofSeconds(5), 8),
                Schedule.continuous(Duration.ofSeconds(4)));
    }

    static Schedule bounded(SplittableRandom random, Schedule schedule) {
        Schedule bounded = schedule;
        if (random.nextBoolean()) {
            bounded = bounded.startingAt(START.plusMillis(random.nextInt(60_000)));
        }
        if (random.nextBoolean()) {
            LocalTime from = LocalTime.MIDNIGHT.plusSeconds(random.nextInt(200));
            bounded = bounded.excluding(
                    Exclusions.in(ZoneOffset.UTC).daily(from, from.plusSeconds(1 + random.nextInt(40))));
        }
        if (random.nextBoolean()) {
            bounded = bounded.jitter(Duration.ofMillis(1 + random.nextInt(4_000)));
        }
        return bounded;
    }

    static JobConfiguration.Builder job(SplittableRandom random, String name, int items) {
        return JobConfiguration.newBuilder(name, items)
                .misfire(pick(random, MisfirePolicy.fireOnce(), MisfirePolicy.skip(), MisfirePolicy.fireAll(3)))
                .overlap(pick(random, OverlapPolicy.skip(), OverlapPolicy.coalesce(), OverlapPolicy.queue(2)))
                .sessionLoss(pick(random, SessionLossPolicy.INTERRUPT, SessionLossPolicy.KEEP_RUNNING))
                .failover(random.nextInt(4) != 0)
                .shutdownGrace(Duration.ofSeconds(random.nextInt(20)))
                .maxAttempts(pick(random, 1_000, 1_000, 1, 2));
    }

    /** Sets the job's retry, timeout, quarantine and concurrency. Half of all jobs keep the defaults. */
    static JobConfiguration.Builder running(SplittableRandom random, JobConfiguration.Builder job) {
        if (random.nextBoolean()) {
            return job;
        }
        if (random.nextBoolean()) {
            Duration pause = Duration.ofMillis(random.nextInt(10_000));
            job.retry(RetryPolicy.attempts(2 + random.nextInt(3)).backoff(pause, 2, Duration.ofSeconds(30)));
        }
        if (random.nextBoolean()) {
            job.timeout(Duration.ofMillis(100 + random.nextInt(10_000)));
        }
        if (random.nextInt(4) == 0) {
            job.quarantineAfter(1 + random.nextInt(3));
        }
        if (random.nextInt(8) == 0) {
            job.concurrency(1 + random.nextInt(2));
        }
        return random.nextInt(3) == 0 ? job.overlap(OverlapPolicy.cancelRunning()) : job;
    }

    private static List<Fault> faults(SplittableRandom random) {
        int within = pick(random, 20_000, 60_000, (int) FAULT_PHASE.toMillis());
        int number = 1 + random.nextInt(MOST_FAULTS);
        List<Fault.Kind> kinds = List.copyOf(EnumSet.range(Fault.Kind.JOIN, Fault.Kind.TRIGGER_LATER));
        List<Fault> faults = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            Fault.Kind kind = random.nextInt(8) == 0 ? Fault.Kind.TRIGGER : kinds.get(random.nextInt(kinds.size()));
            faults.add(fault(random, kind, within));
        }
        return numbered(faults);
    }

    /** Adds commands of operators to the faults of every third scenario. */
    private static List<Fault> commanded(List<Fault> faults, SplittableRandom random) {
        if (random.nextInt(3) != 0) {
            return faults;
        }
        List<Fault.Kind> kinds = List.of(Fault.Kind.FREEZE, Fault.Kind.DRAIN, Fault.Kind.EVICT);
        List<Fault> all = new ArrayList<>(faults);
        for (int number = 1 + random.nextInt(MOST_COMMANDS); number > 0; number--) {
            all.add(fault(random, kinds.get(random.nextInt(kinds.size())), (int) FAULT_PHASE.toMillis()));
        }
        return numbered(all);
    }

    /** Creates a fault at a random time before the limit, which is in milliseconds. */
    static Fault fault(SplittableRandom random, Fault.Kind kind, int within) {
        int millis = random.nextInt(within);
        if (random.nextBoolean()) {
            millis = millis - millis % PERIOD_MILLIS + random.nextInt(3);
        }
        return new Fault(0, kind, Duration.ofMillis(millis), random.nextInt(60), random.nextLong());
    }

    /** Returns the faults in the order of their times, numbered from 0. */
    static List<Fault> numbered(List<Fault> unordered) {
        List<Fault> faults = new ArrayList<>(unordered);
        faults.sort(Comparator.comparing(Fault::at).thenComparing(Fault::steps).thenComparing(Fault::seed));
        List<Fault> numbered = new ArrayList<>();
        for (Fault fault : faults) {
            numbered.add(new Fault(numbered.size(), fault.kind(), fault.at(), fault.steps(), fault.seed()));
        }
        return numbered;
    }

    @SafeVarargs
    static <T> T pick(SplittableRandom random, T... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
