package io.ostraka.faults.simulation;

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

/** What only every so many scenarios have, each drawn by itself: so a scenario without it is what it was before. */
final class Besides {
    /** The latest at which what fires once does. */
    private static final int LATEST_MILLIS = 100_000;

    private Besides() {}

    /**
     * Whose fires nobody is told of. Where items come and go, one that comes may still run a fire, by a clock that is behind, which
     * others had begun and ended without it: a limit that docs/job-types.md names.
     */
    private static final List<String> UNTOLD = List.of(Scenario.PACED, Scenario.EVERYWHERE, Scenario.ZONED);

    /** Adds to the jobs of a seed what else the seed gives them. */
    static List<JobConfiguration> of(List<JobConfiguration> jobs, long seed) {
        return constrained(tasked(told(heard(scoped(placed(single(jobs, seed), seed), seed), seed), seed), seed), seed);
    }

    private static SplittableRandom random(long seed, int what) {
        return new SplittableRandom(~seed >>> what);
    }

    /** Adds to every fifth scenario a job that each instance runs for itself, and one that each zone runs once. */
    private static List<JobConfiguration> scoped(List<JobConfiguration> jobs, long seed) {
        SplittableRandom random = new SplittableRandom(~seed ^ 7); // seeds beside each other differ in it
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
     * Has the jobs of every fourth scenario say more of where their items may be, of how long these stay there, or of both; and
     * adds in half of them one that keeps apart from another, in some both from each other.
     */
    private static List<JobConfiguration> constrained(List<JobConfiguration> jobs, long seed) {
        SplittableRandom random = new SplittableRandom(~seed ^ 11); // seeds beside each other differ in it
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
                        : job.scope() == Scope.BROADCAST // a zone's item that was interrupted may be nowhere for good
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

    /** Without once-listeners where an item may be nowhere for ever: each fire would wait for it, in a node of its own. */
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
            default -> {} // only what follows
        }
        return switch (random.nextInt(3)) {
            case 0 -> changed.staticSharding(true);
            case 1 -> changed.restartGrace(Duration.ofSeconds(20 + random.nextInt(20)));
            default -> changed;
        };
    }

    private static List<JobConfiguration> each(List<JobConfiguration> jobs, UnaryOperator<JobConfiguration> change) {
        return jobs.stream().map(change).toList();
    }

    /** Gives every other scenario's jobs interceptors and listeners. */
    private static List<JobConfiguration> heard(List<JobConfiguration> jobs, long seed) {
        return random(seed, 2).nextBoolean()
                ? each(jobs, job -> job.toBuilder().jobParameter(Event.HEARD).build())
                : jobs;
    }

    /** Has once-listeners told of the fires of every third scenario's jobs that have whole fires. */
    private static List<JobConfiguration> told(List<JobConfiguration> jobs, long seed) {
        return random(seed, 3).nextInt(3) == 0
                ? each(
                        jobs,
                        job -> UNTOLD.contains(job.jobName())
                                ? job
                                : job.toBuilder()
                                        .labels(Event.TOLD_ONCE)
                                        .maxAttempts(1_000) // a fire whose callers keep dying goes on untold
                                        .build())
                : jobs;
    }

    /** Has the runs of every fourth scenario's jobs leave their work to child tasks. */
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

    /** Adds a job that fires once to every fourth scenario. */
    private static List<JobConfiguration> single(List<JobConfiguration> jobs, long seed) {
        SplittableRandom random = random(seed, 5);
        if (random.nextInt(4) != 0) {
            return jobs;
        }
        Schedule once = Schedule.once(Scenario.START.plusMillis(5_000 + random.nextInt(LATEST_MILLIS)));
        List<JobConfiguration> all = new ArrayList<>(jobs);
        all.add(Scenario.running(random, Scenario.job(random, Scenario.SINGLE, 1 + random.nextInt(Scenario.MOST_ITEMS)))
                .schedule(random.nextInt(4) == 0 ? Scenario.bounded(random, once) : once)
                .build());
        return all;
    }

    /** Has every fourth scenario's first job ask for what few instances have, or for a strategy that must know more; or both. */
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
