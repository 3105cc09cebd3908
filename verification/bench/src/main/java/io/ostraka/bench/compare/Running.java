package io.ostraka.bench.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The items of a fire that were running at one moment, by worker.
 *
 * @param fire time of the fire, in milliseconds since 1970
 */
record Running(long fire, Map<String, Set<String>> items) {
    /** Maximum number of fires to wait for until all workers of a cluster are busy. */
    private static final int FIRES = 3;

    /** Waits for a moment early in a fire of a job. If possible, this is a fire with running items on all workers. */
    static Running await(Cluster cluster, RecurringJob job, Random random) throws InterruptedException {
        for (int fires = 1; ; fires++) {
            long fire = job.fireAt(HostClock.millis()) + job.periodMillis();
            int from = cluster.ledger().size();
            HostClock.sleepUntil(fire + job.itemMillis() / 8 + random.nextInt(job.itemMillis() / 6));
            Running running = new Running(fire, unfinished(cluster.ledger().since(from), job));
            if (running.items.keySet().containsAll(cluster.workers()) || fires == FIRES) {
                return running;
            }
        }
    }

    private static Map<String, Set<String>> unfinished(List<Entry> entries, RecurringJob job) {
        Map<String, Set<String>> items = new TreeMap<>();
        for (Entry entry : entries) {
            if (entry.is(Entry.Kind.START, job.name())) {
                items.computeIfAbsent(entry.worker(), worker -> new TreeSet<>()).add(entry.key());
            } else if (entry.is(Entry.Kind.END, job.name())) {
                items.getOrDefault(entry.worker(), new TreeSet<>()).remove(entry.key());
            }
        }
        items.values().removeIf(Set::isEmpty);
        return items;
    }

    /** Returns a random busy worker, or a random worker if none is busy. */
    String victim(Cluster cluster, Random random) {
        List<String> all = new ArrayList<>(items.keySet());
        all.retainAll(cluster.workers());
        if (all.isEmpty()) {
            all.addAll(cluster.workers());
        }
        return all.get(random.nextInt(all.size()));
    }

    Set<String> of(String worker) {
        return items.getOrDefault(worker, Set.of());
    }
}
