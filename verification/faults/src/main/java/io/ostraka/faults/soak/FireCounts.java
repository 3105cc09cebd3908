package io.ostraka.faults.soak;

import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Ledger;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The counts of the fires in a history.
 *
 * @param jobs counts by job
 * @param transactions transactions of the servers
 * @param asked manually triggered runs
 * @param effects writes to the resource by the code of the items
 * @param refused writes that the resource refused because their fencing token was too old
 * @param fenced runs with at least one refused write
 * @param cut calls of once-listeners that ended because their process died
 */
public record FireCounts(
        Map<String, Fires> jobs, long transactions, long asked, long effects, long refused, long fenced, long cut) {
    /** Copies the map. */
    public FireCounts {
        jobs = Collections.unmodifiableMap(new TreeMap<>(jobs));
    }

    /**
     * Counts of the fires of one job; each item of a fire counts separately.
     *
     * @param begun first claims
     * @param failedOver further claims of fires that had not ended
     * @param retried further attempts within a claim, because an earlier attempt failed
     * @param outcomes ended fires, by outcome
     * @param skipped skipped fires, by reason
     */
    public record Fires(
            long begun, long failedOver, long retried, Map<String, Long> outcomes, Map<String, Long> skipped) {
        static final Fires NONE = new Fires(0, 0, 0, Map.of(), Map.of());
        private static final Fires RETRY = new Fires(0, 0, 1, Map.of(), Map.of());

        /** Copies the maps. */
        public Fires {
            outcomes = Collections.unmodifiableMap(new TreeMap<>(outcomes));
            skipped = Collections.unmodifiableMap(new TreeMap<>(skipped));
        }

        /** Returns the number of fires that were decided: begun or skipped. */
        long due() {
            return begun + skipped.values().stream().mapToLong(Long::longValue).sum();
        }

        /** Returns the number of runs. */
        long runs() {
            return begun + failedOver;
        }

        Fires plus(Fires other) {
            return new Fires(
                    begun + other.begun,
                    failedOver + other.failedOver,
                    retried + other.retried,
                    merged(outcomes, other.outcomes),
                    merged(skipped, other.skipped));
        }

        private static Map<String, Long> merged(Map<String, Long> a, Map<String, Long> b) {
            Map<String, Long> sum = new TreeMap<>(a);
            b.forEach((key, count) -> sum.merge(key, count, Long::sum));
            return sum;
        }
    }

    /** Returns the counts of all jobs together. */
    Fires all() {
        return jobs.values().stream().reduce(Fires.NONE, Fires::plus);
    }

    /** Counts the fires of a history. */
    static FireCounts of(List<Event> history) {
        Ledger ledger = new Ledger();
        Map<String, Fires> jobs = new TreeMap<>();
        Set<Event.RunKey> fenced = new HashSet<>();
        Map<Event.RunKey, Integer> tries = new HashMap<>();
        long transactions = 0;
        long asked = 0;
        long effects = 0;
        long refused = 0;
        long cut = 0;
        Map<String, Integer> telling = new HashMap<>();
        for (Event event : history) {
            if (event instanceof Event.Transaction transaction) {
                transactions++;
                for (Ledger.Step step : ledger.take(transaction)) {
                    jobs.merge(step.item().job(), of(step), Fires::plus);
                }
            } else if (event instanceof Event.Began began) {
                Integer last = tries.put(began.run(), began.attempt());
                if (last != null && last < began.attempt()) {
                    jobs.merge(began.run().item().job(), Fires.RETRY, Fires::plus);
                }
            } else if (event instanceof Event.Announced announced) {
                telling.merge(announced.process(), announced.returned() ? -1 : 1, Integer::sum);
            } else if (event instanceof Event.Killed killed) {
                Integer calls = telling.remove(killed.process());
                cut += calls == null ? 0 : calls;
            } else if (event instanceof Event.Asked) {
                asked++;
            } else if (event instanceof Event.Effect effect) {
                effects++;
                if (!effect.accepted()) {
                    refused++;
                    fenced.add(effect.run());
                }
            }
        }
        return new FireCounts(jobs, transactions, asked, effects, refused, fenced.size(), cut);
    }

    private static Fires of(Ledger.Step step) {
        return new Fires(
                step.kind() == Ledger.Kind.CLAIMED ? 1 : 0,
                step.kind() == Ledger.Kind.TAKEN_OVER ? 1 : 0,
                0,
                step.kind() == Ledger.Kind.ENDED ? Map.of(step.outcome(), 1L) : Map.of(),
                step.skipped());
    }

    /** Adds up several counts. */
    static FireCounts sum(Collection<FireCounts> parts) {
        return parts.stream().reduce(new FireCounts(Map.of(), 0, 0, 0, 0, 0, 0), FireCounts::plus);
    }

    private FireCounts plus(FireCounts other) {
        Map<String, Fires> sum = new TreeMap<>(jobs);
        other.jobs.forEach((job, fires) -> sum.merge(job, fires, Fires::plus));
        return new FireCounts(
                sum,
                transactions + other.transactions,
                asked + other.asked,
                effects + other.effects,
                refused + other.refused,
                fenced + other.fenced,
                cut + other.cut);
    }
}
