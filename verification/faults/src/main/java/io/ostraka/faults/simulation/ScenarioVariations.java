package io.ostraka.faults.simulation;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.AlarmPolicy;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.faults.history.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/**
 * Variations of scenarios that only some seeds have. Each variation has a random source of its own, so that a new
 * variation does not change the scenarios without it.
 */
final class ScenarioVariations {
    /** Length of the time in which the job that fires once is due. */
    private static final int LATEST_MILLIS = 100_000;

    private ScenarioVariations() {}

    /**
     * Jobs that never get once-listeners, because their items come and go. An instance whose clock is behind may run
     * such an item for a fire that the other instances have already completed without the item; docs/job-types.md names
     * this limit.
     */
    private static final List<String> UNTOLD = List.of(Scenario.PACED, Scenario.EVERYWHERE, Scenario.ZONED);

    /** Applies the variations of a seed to its jobs. */
    static List<JobConfiguration> of(List<JobConfiguration> jobs, long seed) {
        return alarmed(
                constrained(
                        tasked(told(heard(scoped(placed(single(jobs, seed), seed), seed), seed), seed), seed), seed),
                seed);
    }

    /** Gives the jobs of two thirds of the scenarios alarms with short limits. */
    private static List<JobConfiguration> alarmed(List<JobConfiguration> jobs, long seed) {
        SplittableRandom random = new SplittableRandom(~seed ^ 13); // unlike in random(), adjacent seeds differ
        if (random.nextInt(3) == 0) {
            return jobs;
        }
        return jobs.stream()
                .map(job -> job.toBuilder()
                        .alarms(AlarmPolicy.defaults()
                                .after(AlarmKind.MISSED, Duration.ofSeconds(10 + random.nextInt(40)))
                                .after(AlarmKind.LATE, Duration.ofSeconds(10 + random.nextInt(40)))
                                .after(AlarmKind.RUNS_TOO_LONG, Duration.ofSeconds(5 + random.nextInt(15)))
                                .after(AlarmKind.UNPLACED, Duration.ofSeconds(10 + random.nextInt(40)))
                                .after(AlarmKind.NO_INSTANCE, Duration.ofSeconds(10 + random.nextInt(40)))
                                .after(AlarmKind.PAUSED_LONG, Duration.ofSeconds(10 + random.nextInt(40)))
                                .after(AlarmKind.OVERRIDE_STALE, Duration.ofSeconds(10 + random.nextInt(40)))
                                .failuresInARow(1 + random.nextInt(3)))
                        .build())
                .toList();
    }

    private static SplittableRandom random(long seed, int what) {
        return new SplittableRandom(~seed >>> what);
    }

    /** Adds to every fifth scenario one job with an item for each instance, and one with an item for each zone. */
    private static List<JobConfiguration> scoped(List<JobConfiguration> jobs, long seed) {
        SplittableRandom random = new SplittableRandom(~seed ^ 7); // unlike in random(), adjacent seeds differ
        if (random.nextInt(5) != 0) {
            return jobs;
        }
        List<JobConfiguration> all = new ArrayList<>(jobs);
        all.add(scoped(random, Scenario.EVERYWHERE, Scope.BROADCAST));
        all.add(scoped(random, Scenario.ZONED, Scope.ONE_PER_ZONE));
        return all;
    }

    private static JobConfiguration scoped(SplittableRandom random, String name, Scope scope) {
        return Scenario.running(random, Scenario.job(random, name, 1))
                .scope(scope)
                .schedule(Schedule.fixedRate(Duration.ofSeconds(5)))
                .build();
    }

    /**
     * Gives the jobs of every fourth scenario placement constraints, or a setting that keeps items in place, or both.
     * Half of these scenarios get an additional job with an anti-affinity to an existing job; in some of them, the
     * anti-affinity is mutual.
     */
    private static List<JobConfiguration> constrained(List<JobConfiguration> jobs, long seed) {
        SplittableRandom random = new SplittableRandom(~seed ^ 11); // unlike in random(), adjacent seeds differ
        if (random.nextInt(4) != 0) {
            return jobs;
        }
        List<String> some = List.of(Scenario.RATE, Scenario.ONCE, Scenario.PACED);
        boolean shy = random.nextBoolean();
        boolean both = shy && random.nextInt(3) == 0;
        List<JobConfiguration> all = new ArrayList<>(each(
                jobs,
                job -> some.contains(job.jobName())
                        ? bounded(constrained(random, job)
                                .antiAffinity(both && job.jobName().equals(Scenario.RATE) ? Scenario.SHY : null)
                                .build())
                        : job.scope() == Scope.BROADCAST // not for zones: an interrupted item could stay unplaced
                                ? job.toBuilder()
                                        .requiredInstances(random.nextBoolean() ? required(random) : "")
                                        .build()
                                : job));
        if (shy) {
            all.add(Scenario.job(random, Scenario.SHY, 1 + random.nextInt(2))
                    .schedule(Schedule.fixedRate(Duration.ofSeconds(5)))
                    .antiAffinity(Scenario.RATE)
                    .build());
        }
        return all;
    }

    /**
     * Removes the labels, and thereby the once-listeners, from a job whose items can stay unplaced. Each fire of the
     * job would wait for these items, and the fire's node would remain.
     */
    private static JobConfiguration bounded(JobConfiguration job) {
        boolean nowhere = job.staticSharding()
                || job.maxItemsPerInstance() > 0
                || job.requiredInstances().isPresent();
        return nowhere ? job.toBuilder().labels(Map.of()).build() : job;
    }

    private static String required(SplittableRandom random) {
        return Scenario.pick(
                random,
                "disk=ssd | zone=b",
                "!disk",
                "disk & !(zone=b | host=host-0)",
                "!(disk=ssd & !host=host-2)",
                "zone=b & !disk | host=host-0");
    }

    private static JobConfiguration.Builder constrained(SplittableRandom random, JobConfiguration job) {
        JobConfiguration.Builder changed = job.toBuilder();
        switch (random.nextInt(5)) {
            case 0 -> changed.requiredInstances(required(random));
            case 1 -> changed.maxItemsPerInstance(1 + random.nextInt(3));
            case 2 -> changed.preferredInstances(required(random));
            case 3 -> changed.preferredInstances(required(random)).maxItemsPerInstance(1 + random.nextInt(3));
            default -> {} // no constraint; the job gets only the setting below
        }
        return switch (random.nextInt(3)) {
            case 0 -> changed.staticSharding(true);
            case 1 -> changed.restartGrace(Duration.ofSeconds(20 + random.nextInt(20)));
            default -> changed;
        };
    }

    /** Adds operators that stop fires to every third scenario. */
    static List<Fault> stopped(List<Fault> faults, long seed) {
        SplittableRandom random = new SplittableRandom(~seed ^ 13); // unlike in random(), adjacent seeds differ
        if (random.nextInt(3) != 0) {
            return faults;
        }
        List<Fault> all = new ArrayList<>(faults);
        for (int stops = 1 + random.nextInt(12); stops > 0; stops--) {
            all.add(Scenario.fault(random, Fault.Kind.STOP_FIRE, (int) Scenario.FAULT_PHASE.toMillis()));
        }
        return Scenario.numbered(all);
    }

    /**
     * Adds operators that skip fires to every third scenario. In some of these scenarios, they also set back cursors.
     */
    static List<Fault> skipped(List<Fault> faults, long seed) {
        SplittableRandom random = new SplittableRandom(~seed ^ 17); // unlike in random(), adjacent seeds differ
        if (random.nextInt(3) != 0) {
            return faults;
        }
        boolean setsBack = random.nextBoolean();
        List<Fault> all = new ArrayList<>(faults);
        for (int skips = 1 + random.nextInt(8); skips > 0; skips--) {
            Fault.Kind kind = setsBack && random.nextInt(3) == 0 ? Fault.Kind.SET_BACK : Fault.Kind.SKIP_FIRES;
            all.add(Scenario.fault(random, kind, (int) Scenario.FAULT_PHASE.toMillis()));
        }
        return Scenario.numbered(all);
    }

    /** Adds an operator that starts backfills to every third scenario. */
    static List<Fault> backfilled(List<Fault> faults, long seed) {
        SplittableRandom random = new SplittableRandom(~seed ^ 19); // unlike in random(), adjacent seeds differ
        if (random.nextInt(3) != 0) {
            return faults;
        }
        List<Fault> all = new ArrayList<>(faults);
        for (int backfills = 1 + random.nextInt(5); backfills > 0; backfills--) {
            all.add(Scenario.fault(random, Fault.Kind.BACKFILL, (int) Scenario.FAULT_PHASE.toMillis()));
        }
        return Scenario.numbered(all);
    }

    /** Adds a platform that changes definitions to every third scenario. */
    static List<Fault> redefined(List<Fault> faults, long seed) {
        SplittableRandom random = new SplittableRandom(~seed ^ 23); // unlike in random(), adjacent seeds differ
        if (random.nextInt(3) != 0) {
            return faults;
        }
        List<Fault> all = new ArrayList<>(faults);
        for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
            all.add(Scenario.fault(random, Fault.Kind.REDEFINE, (int) Scenario.FAULT_PHASE.toMillis()));
        }
        return Scenario.numbered(all);
    }

    /** Adds a person that deletes records to every fourth scenario. */
    static List<Fault> deleted(List<Fault> faults, long seed) {
        SplittableRandom random = new SplittableRandom(~seed ^ 29); // unlike in random(), adjacent seeds differ
        if (random.nextInt(4) != 0) {
            return faults;
        }
        List<Fault> all = new ArrayList<>(faults);
        for (int deletions = 3 + random.nextInt(12); deletions > 0; deletions--) {
            all.add(Scenario.fault(random, Fault.Kind.DELETE_RECORD, (int) Scenario.FAULT_PHASE.toMillis()));
        }
        return Scenario.numbered(all);
    }

    private static List<JobConfiguration> each(List<JobConfiguration> jobs, UnaryOperator<JobConfiguration> change) {
        return jobs.stream().map(change).toList();
    }

    /** Adds interceptors and listeners to the jobs of every other scenario. */
    private static List<JobConfiguration> heard(List<JobConfiguration> jobs, long seed) {
        return random(seed, 2).nextBoolean()
                ? each(jobs, job -> job.toBuilder().jobParameter(Event.HEARD).build())
                : jobs;
    }

    /** Adds once-listeners to the jobs of every third scenario, except the jobs in {@link #UNTOLD}. */
    private static List<JobConfiguration> told(List<JobConfiguration> jobs, long seed) {
        return random(seed, 3).nextInt(3) == 0
                ? each(
                        jobs,
                        job -> UNTOLD.contains(job.jobName())
                                ? job
                                : job.toBuilder()
                                        .labels(Event.TOLD_ONCE)
                                        .maxAttempts(1_000) // with fewer attempts, a fire could skip a call
                                        .build())
                : jobs;
    }

    /** Lets runs submit child tasks in every fourth scenario. */
    private static List<JobConfiguration> tasked(List<JobConfiguration> jobs, long seed) {
        List<String> some = List.of(
                Scenario.RATE, Scenario.ONCE, Scenario.PACED, Scenario.SINGLE, Scenario.EVERYWHERE, Scenario.ZONED);
        return random(seed, 4).nextInt(4) == 0
                ? each(
                        jobs,
                        job -> some.contains(job.jobName())
                                ? job.toBuilder().description(Scenario.TASKS).build()
                                : job)
                : jobs;
    }

    /** Adds to every fourth scenario a job that fires once. */
    private static List<JobConfiguration> single(List<JobConfiguration> jobs, long seed) {
        SplittableRandom random = random(seed, 5);
        if (random.nextInt(4) != 0) {
            return jobs;
        }
        // every fifth instant passes before the job is registered
        Schedule once = Schedule.once(Scenario.START.plusMillis(random.nextInt(LATEST_MILLIS) - LATEST_MILLIS / 5));
        List<JobConfiguration> all = new ArrayList<>(jobs);
        all.add(Scenario.running(random, Scenario.job(random, Scenario.SINGLE, 1 + random.nextInt(Scenario.MOST_ITEMS)))
                .schedule(random.nextInt(4) == 0 ? Scenario.bounded(random, once) : once)
                .build());
        return all;
    }

    /**
     * Gives the first job of every fourth scenario a placement constraint that few instances fulfil, a strategy that
     * also uses zones, weights or run times, or both.
     */
    private static List<JobConfiguration> placed(List<JobConfiguration> jobs, long seed) {
        SplittableRandom random = random(seed, 6);
        if (random.nextInt(4) != 0) {
            return jobs;
        }
        String strategy = Scenario.pick(
                random, JobConfiguration.DEFAULT_STRATEGY, "LOAD_AWARE", "ZONE_SPREAD", "WEIGHTED", "CONSISTENT_HASH");
        String required = random.nextBoolean() ? Scenario.TAG + "=ssd" : "";
        List<JobConfiguration> all = new ArrayList<>(each(
                jobs,
                job -> job.jobName().equals(Scenario.RATE)
                        ? job.toBuilder()
                                .shardingStrategy(strategy)
                                .requiredInstances(required)
                                .build()
                        : job));
        if (random.nextBoolean()) {
            all.add(Scenario.job(random, Scenario.ROUTED, 1)
                    .schedule(Schedule.fixedRate(Duration.ofSeconds(5)))
                    .shardingStrategy(Scenario.pick(random, "ROUND", "LEAST_RECENTLY_USED", "SPREAD"))
                    .build());
        }
        return all;
    }
}
