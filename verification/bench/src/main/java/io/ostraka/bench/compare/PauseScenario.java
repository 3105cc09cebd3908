package io.ostraka.bench.compare;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A scenario in which a worker is stopped while it runs its items, and continues after three times its session timeout.
 * The same happens when a virtual machine is migrated or a JVM pauses for a long time.
 */
final class PauseScenario implements FaultScenario {
    private static final Duration SESSION = Duration.ofSeconds(4);
    private static final Duration PAUSE = Duration.ofSeconds(12);
    private static final RecurringJob BUSY = new RecurringJob("busy", 12, 20, 8000);
    /** A job whose runs show which workers have items. */
    private static final RecurringJob PULSE = new RecurringJob("pulse", 12, 1, 0);

    private static final int MARGIN_MILLIS = 500;

    /** One repetition: the stopped worker, the time at which it continued, and the evaluated time span. */
    private record Try(String victim, long went, long from, long until) {}

    @Override
    public String name() {
        return "pause";
    }

    @Override
    public Findings run(Site site, int tries) throws IOException, InterruptedException {
        List<Try> all = new ArrayList<>();
        try (Cluster cluster = site.cluster(name(), SESSION, List.of(BUSY, PULSE))) {
            cluster.start(3);
            for (int i = 1; i <= tries; i++) {
                Running running = Running.await(cluster, BUSY, site.random());
                String victim = running.victim(cluster, site.random());
                ContenderWorker worker = cluster.worker(victim);
                worker.stop();
                Thread.sleep(PAUSE.toMillis());
                long went = HostClock.millis();
                worker.go();
                long until = running.fire() + 2 * BUSY.periodMillis() - MARGIN_MILLIS;
                HostClock.sleepUntil(until);
                all.add(new Try(victim, went, running.fire(), until));
                site.done(name(), i, tries);
            }
            return findings(site.entrant(), all, cluster.ledger().since(0));
        }
    }

    private Findings findings(Participant entrant, List<Try> tries, List<Entry> entries) {
        Measure overlaps =
                Measure.of("items that two ran at a time, neither refused").atMost(0);
        Measure back = Measure.of("s from SIGCONT until its items run on it again")
                .medianAtMost(3)
                .atMost(5);
        for (Try one : tries) {
            long from = HostClock.nanos(one.from);
            long until = HostClock.nanos(one.until);
            List<Entry> part = entries.stream()
                    .filter(entry -> entry.nanos() > from && entry.nanos() < until)
                    .toList();
            overlaps.add(overlapping(part).size());
            long went = HostClock.nanos(one.went);
            back.add(part.stream()
                    .filter(entry -> entry.is(Entry.Kind.START, PULSE.name())
                            && entry.worker().equals(one.victim)
                            && entry.fire() > one.went)
                    .mapToLong(Entry::nanos)
                    .min()
                    .stream()
                    .mapToDouble(nanos -> HostClock.secondsBetween(went, nanos))
                    .findFirst()
                    .orElse(Measure.NEVER));
        }
        return new Findings(name(), entrant.name(), List.of(overlaps, back));
    }

    /** Returns the items for which a worker reported an effect after another worker had begun a run of the item. */
    private static Set<String> overlapping(List<Entry> entries) {
        Map<String, String> latest = new HashMap<>();
        Set<String> overlapping = new TreeSet<>();
        for (Entry entry : entries) {
            if (entry.is(Entry.Kind.START, BUSY.name())) {
                latest.put(entry.key(), entry.worker());
            } else if (entry.is(Entry.Kind.EFFECT, BUSY.name())
                    && !entry.worker().equals(latest.getOrDefault(entry.key(), entry.worker()))) {
                overlapping.add(entry.key());
            }
        }
        return overlapping;
    }
}
