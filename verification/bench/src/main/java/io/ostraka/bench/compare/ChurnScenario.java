package io.ostraka.bench.compare;

import io.ostraka.faults.ensemble.TransactionLogs;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A scenario in which workers come and go while other work keeps all processors busy. In the first part, three workers
 * start at once; each repetition uses a new cluster. In the second part, workers join one cluster and later shut down
 * gracefully, each of them during a fire.
 */
final class ChurnScenario implements FaultScenario {
    private static final Duration SESSION = Duration.ofSeconds(4);
    private static final int WORKERS = 3;
    /**
     * Longest wait for the first item of a new worker, and for the items at the end. After this time, the worker counts
     * as idle, and the items count as lost.
     */
    private static final Duration LIMIT = Duration.ofSeconds(15);
    /** Time from a fire to the moment at which a worker joins or shuts down. */
    private static final int INTO_FIRE_MILLIS = 200;

    private static final List<RecurringJob> JOBS = IntStream.range(0, 6)
            .mapToObj(job -> new RecurringJob("job-" + job, 12, 3, 1500))
            .toList();
    private static final long PERIOD_MILLIS = JOBS.get(0).periodMillis();
    private static final String COMING_AND_GOING = "coming-and-going";

    /**
     * Results of one cluster.
     *
     * @param from first counted fire; 0 to count from the first fire of each job
     * @param joins seconds from the start of each worker to the start of its first item
     * @param stuck number of workers that did not shut down on request
     */
    private record Done(String namespace, List<Entry> entries, long from, long to, List<Double> joins, int stuck) {}

    @Override
    public String name() {
        return "churn";
    }

    @Override
    public int tries() {
        return 40;
    }

    @Override
    public Findings run(Site site, int tries) throws IOException, InterruptedException {
        List<Done> starts = new ArrayList<>();
        int comings = Math.max(1, tries * 3 / 10);
        Done comingAndGoing;
        try (BusyProcessors load = new BusyProcessors()) {
            for (int i = 1; i <= tries; i++) {
                starts.add(start(site, "start-" + i));
                site.done(name() + ", starts,", i, tries);
            }
            comingAndGoing = comeAndGo(site, comings);
            site.done(name() + ", joins and leaves,", comings, comings);
        }
        return findings(site.entrant(), starts, comingAndGoing, site.logs(SESSION));
    }

    private static Done start(Site site, String namespace) throws IOException, InterruptedException {
        try (Cluster cluster = site.cluster(namespace, SESSION, JOBS)) {
            List<ContenderWorker> three = cluster.prepare(WORKERS);
            List<Double> joins = join(cluster, three);
            long to = nextFire();
            cluster.awaitEndsAfter(to, LIMIT);
            return new Done(namespace, cluster.ledger().since(0), 0, to, joins, 0);
        }
    }

    private static Done comeAndGo(Site site, int times) throws IOException, InterruptedException {
        try (Cluster cluster = site.cluster(COMING_AND_GOING, SESSION, JOBS)) {
            join(cluster, cluster.prepare(WORKERS));
            long from = nextFire();
            List<Double> joins = new ArrayList<>();
            int stuck = 0;
            for (int i = 0; i < times; i++) {
                List<ContenderWorker> newcomer = cluster.prepare(1);
                HostClock.sleepUntil(nextFire() + INTO_FIRE_MILLIS);
                joins.addAll(join(cluster, newcomer));
                HostClock.sleepUntil(nextFire() + INTO_FIRE_MILLIS);
                stuck += cluster.leave(cluster.workers().get(0)) ? 0 : 1;
            }
            long to = nextFire();
            cluster.awaitEndsAfter(to, LIMIT);
            return new Done(COMING_AND_GOING, cluster.ledger().since(0), from, to, joins, stuck);
        }
    }

    /** Starts workers, and waits until each of them has run an item. Returns the seconds that each worker needed. */
    private static List<Double> join(Cluster cluster, List<ContenderWorker> workers) throws InterruptedException {
        int known = cluster.ledger().size();
        long begun = System.nanoTime();
        cluster.join(workers);
        Map<String, Double> seconds = new HashMap<>();
        workers.forEach(worker -> seconds.put(worker.name(), Measure.NEVER));
        cluster.ledger().await(known, LIMIT, entry -> {
            if (entry.kind() == Entry.Kind.START) {
                seconds.computeIfPresent(
                        entry.worker(),
                        (worker, before) -> Math.min(before, HostClock.secondsBetween(begun, entry.nanos())));
            }
            return !seconds.containsValue(Measure.NEVER);
        });
        return List.copyOf(seconds.values());
    }

    private static long nextFire() {
        return JOBS.get(0).fireAt(HostClock.millis()) + PERIOD_MILLIS;
    }

    private Findings findings(Participant entrant, List<Done> starts, Done comingAndGoing, TransactionLogs logs) {
        Measure idle = Measure.of("of three workers started at once, those left without items")
                .atMost(0);
        Measure all = Measure.of("s until all three have items");
        Measure lost = Measure.of("fires of items lost in a start").atMost(0);
        Measure twice = Measure.of("fires of items run twice in a start").atMost(0);
        Measure skipped = Measure.of("fires of items skipped in a start, and said so");
        for (Done start : starts) {
            idle.add(
                    start.joins.stream().filter(seconds -> seconds.isInfinite()).count());
            all.add(start.joins.stream().mapToDouble(Double::doubleValue).max().orElse(Measure.NEVER));
            FireCounts.Count count = count(start, logs);
            lost.add(count.lost());
            twice.add(count.twice());
            skipped.add(count.skipped());
        }
        Measure newcomer =
                Measure.of("s until who joins while fires run has items").atMost(LIMIT.toSeconds());
        comingAndGoing.joins.forEach(newcomer::add);
        Measure stuck = Measure.of("of those who leave while fires run, those who have not left within 90 s")
                .atMost(0);
        stuck.add(comingAndGoing.stuck);
        FireCounts.Count count = count(comingAndGoing, logs);
        Measure lostLater =
                Measure.of("fires of items lost in all joins and leaves").atMost(0);
        lostLater.add(count.lost());
        Measure twiceLater =
                Measure.of("fires of items run twice in all joins and leaves").atMost(0);
        twiceLater.add(count.twice());
        Measure skippedLater = Measure.of("fires of items skipped in all joins and leaves, and said so");
        skippedLater.add(count.skipped());
        return new Findings(
                name(),
                entrant.name(),
                List.of(idle, all, lost, twice, skipped, newcomer, stuck, lostLater, twiceLater, skippedLater));
    }

    private static FireCounts.Count count(Done done, TransactionLogs logs) {
        FireCounts fires = new FireCounts(done.entries, logs.of(done.namespace));
        return JOBS.stream()
                .map(job -> fires.count(job, done.from == 0 ? fires.first(job) : done.from, done.to))
                .reduce(FireCounts.Count::plus)
                .orElseThrow();
    }
}
