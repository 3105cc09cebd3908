package io.ostraka.bench.compare;

import io.ostraka.faults.ensemble.Ensemble;
import io.ostraka.faults.history.Event;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** A scenario in which all ZooKeeper servers are killed, and restarted after three times the session timeout. */
final class OutageScenario implements FaultScenario {
    private static final Duration SESSION = Duration.ofSeconds(4);
    private static final Duration AWAY = Duration.ofSeconds(12);
    private static final Duration LIMIT = Duration.ofSeconds(60);
    /** Time without faults before the next outage. */
    private static final Duration WELL = Duration.ofSeconds(5);

    private static final List<RecurringJob> JOBS = IntStream.range(0, 10)
            .mapToObj(job -> new RecurringJob("job-" + job, 6, 1, 100))
            .toList();

    /** One repetition: its beginning and end on the wall clock, and the seconds until all items ran again. */
    private record Try(long from, long to, double back) {}

    @Override
    public String name() {
        return "outage";
    }

    @Override
    public Findings run(Site site, int tries) throws IOException, InterruptedException {
        List<Try> all = new ArrayList<>();
        List<Entry> entries;
        try (Cluster cluster = site.cluster(name(), SESSION, JOBS)) {
            cluster.start(3);
            awaitAll(cluster, System.nanoTime());
            for (int i = 1; i <= tries; i++) {
                Thread.sleep(WELL.toMillis());
                long from = HostClock.millis();
                long serving = outage(site.ensemble());
                double back = awaitAll(cluster, serving);
                all.add(new Try(from, HostClock.millis(), back));
                site.done(name(), i, tries);
            }
            cluster.awaitEndsAfter(HostClock.millis(), LIMIT);
            entries = cluster.ledger().since(0);
        }
        return findings(site.entrant(), all, entries, site.logs(SESSION).of(name()));
    }

    /** Causes an outage. Returns the time by {@link System#nanoTime} at which the servers served again. */
    private static long outage(Ensemble ensemble) throws InterruptedException {
        IntStream.range(0, ensemble.size()).parallel().forEach(ensemble::kill);
        Thread.sleep(AWAY.toMillis());
        IntStream.range(0, ensemble.size()).forEach(ensemble::start);
        while (ensemble.leader().isEmpty()) {
            Thread.sleep(5);
        }
        return System.nanoTime();
    }

    /**
     * Waits until each item of each job has begun a run after the given moment. Returns the seconds from this moment
     * until the last item began.
     */
    private static double awaitAll(Cluster cluster, long sinceNanos) throws InterruptedException {
        Set<String> missing = new HashSet<>();
        JOBS.forEach(job -> IntStream.range(0, job.items()).forEach(item -> missing.add(job.name() + "/" + item)));
        long[] last = {0};
        boolean all = cluster.ledger().await(0, LIMIT, entry -> {
            if (entry.kind() == Entry.Kind.START && entry.nanos() > sinceNanos && missing.remove(entry.key())) {
                last[0] = Math.max(last[0], entry.nanos());
            }
            return missing.isEmpty();
        });
        return all ? HostClock.secondsBetween(sinceNanos, last[0]) : Measure.NEVER;
    }

    private Findings findings(
            Participant entrant, List<Try> tries, List<Entry> entries, List<Event.Transaction> transactions) {
        Measure back = Measure.of("s from service until all items of all jobs run again")
                .medianAtMost(2)
                .atMost(5);
        Measure lost = Measure.of("fires of items lost without a word").atMost(0);
        Measure skipped = Measure.of("fires of items skipped, and said so");
        Measure twice = Measure.of("fires of items run twice");
        FireCounts fires = new FireCounts(entries, transactions);
        for (Try one : tries) {
            back.add(one.back);
            FireCounts.Count count = JOBS.stream()
                    .map(job -> fires.count(job, one.from, one.to))
                    .reduce(FireCounts.Count::plus)
                    .orElseThrow();
            lost.add(count.lost());
            skipped.add(count.skipped());
            twice.add(count.twice());
        }
        return new Findings(name(), entrant.name(), List.of(back, lost, skipped, twice));
    }
}
