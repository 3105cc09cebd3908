package io.ostraka.bench.compare;

import io.ostraka.faults.history.Event;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A scenario in which a worker is killed while it runs its items. Its session expires while the other workers are still
 * busy. A replacement joins during the next fire.
 */
final class KillScenario implements FaultScenario {
    static final String DROPPED = "items of the next fire dropped";
    static final String AGAIN = "items begun once too often";
    static final String RESTART = "ms from expiry until the last lost item runs again";

    /** Time between the evaluation of a repetition and the next fire. */
    private static final int MARGIN_MILLIS = 500;

    private final RecurringJob job;
    private final Duration session;

    /**
     * One repetition: the time of the kill, the end of its evaluation, and the items that the killed worker was
     * running.
     */
    private record Try(long killed, long until, Set<String> lost) {}

    /** Creates the scenario with the given job and session timeout. */
    KillScenario(RecurringJob job, Duration session) {
        this.job = job;
        this.session = session;
    }

    /** Creates the scenario with a job that fires every 20 s, items that take 8 s, and a session timeout of 4 s. */
    KillScenario() {
        this(new RecurringJob("busy", 12, 20, 8000), Duration.ofSeconds(4));
    }

    @Override
    public String name() {
        return "kill";
    }

    @Override
    public Findings run(Site site, int tries) throws IOException, InterruptedException {
        List<Try> all = new ArrayList<>();
        List<Entry> entries;
        try (Cluster cluster = site.cluster(name(), session, List.of(job))) {
            cluster.start(3);
            for (int i = 1; i <= tries; i++) {
                Running running = Running.await(cluster, job, site.random());
                String victim = running.victim(cluster, site.random());
                long killed = System.nanoTime();
                cluster.kill(victim);
                HostClock.sleepUntil(running.fire() + job.periodMillis() + job.itemMillis() / 2);
                if (i < tries) {
                    cluster.start(1);
                }
                long until = running.fire() + 2 * job.periodMillis() - MARGIN_MILLIS;
                HostClock.sleepUntil(until);
                all.add(new Try(killed, HostClock.nanos(until), running.of(victim)));
                site.done(name(), i, tries);
            }
            entries = cluster.ledger().since(0);
        }
        List<Long> expiries = site.logs(session).of(name()).stream()
                .filter(Event.Transaction::endsSession)
                .map(end -> HostClock.nanos(end.at()))
                .toList();
        return findings(site.entrant(), all, entries, expiries);
    }

    private Findings findings(Participant entrant, List<Try> tries, List<Entry> entries, List<Long> expiries) {
        Measure restart = Measure.of(RESTART).medianAtMost(500);
        Measure apart = Measure.of("ms from the first to the last of them").atMost(1000);
        Measure dropped = Measure.of(DROPPED).atMost(0);
        Measure again = Measure.of(AGAIN).atMost(0);
        for (Try one : tries) {
            List<Long> restarts = new ArrayList<>();
            int missing = 0;
            int tooMany = 0;
            for (int item = 0; item < job.items(); item++) {
                int number = item;
                List<Long> starts = entries.stream()
                        .filter(entry -> entry.is(Entry.Kind.START, job.name()) && entry.item() == number)
                        .map(Entry::nanos)
                        .filter(nanos -> nanos > one.killed && nanos < one.until)
                        .sorted()
                        .toList();
                boolean lost = one.lost.contains(job.name() + "/" + item);
                if (lost) {
                    restarts.add(starts.isEmpty() ? Long.MAX_VALUE : starts.get(0));
                }
                int due = lost ? 2 : 1;
                missing += starts.size() < due ? 1 : 0;
                tooMany += Math.max(0, starts.size() - due);
            }
            restarts.sort(null);
            long expiry = expiries.stream()
                    .filter(nanos -> nanos > one.killed && nanos < one.until)
                    .findFirst()
                    .orElse(Long.MAX_VALUE);
            boolean known = expiry < Long.MAX_VALUE
                    && !restarts.isEmpty()
                    && restarts.get(restarts.size() - 1) < Long.MAX_VALUE;
            long last = known ? restarts.get(restarts.size() - 1) : 0;
            restart.add(known ? HostClock.millisBetween(expiry, last) : Measure.NEVER);
            apart.add(known ? HostClock.millisBetween(restarts.get(0), last) : Measure.NEVER);
            dropped.add(missing);
            again.add(tooMany);
        }
        return new Findings(name(), entrant.name(), List.of(restart, apart, dropped, again));
    }
}
