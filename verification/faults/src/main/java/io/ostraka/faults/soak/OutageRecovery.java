package io.ostraka.faults.soak;

import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Item;
import io.ostraka.faults.history.Ledger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * An item that ran again after an outage of all servers.
 *
 * @param item item that ran again
 * @param outage outage before the recovery
 * @param period time between two fires of the item's job; after the outage, the first fire comes due within this time
 * @param ranAgain time of the claim with which the item ran again, by the servers' clock
 * @param places numbers of the places ({@link Place}) of all workers on which the item depended after the end of the
 *     outage
 * @param from index in the history at which the servers served again
 * @param to index of that claim in the history
 */
record OutageRecovery(
        Item item, InjectedFault outage, Duration period, Instant ranAgain, Set<Integer> places, int from, int to) {
    /** Copies the set. */
    OutageRecovery {
        places = Set.copyOf(places);
    }

    /**
     * Finds all recoveries of the given scheduled jobs in a history. {@link Recoveries} checks separately that each
     * item eventually runs again.
     */
    static List<OutageRecovery> of(List<Event> history, Collection<InjectedFault> injectedFaults, Set<String> jobs) {
        var search = new Search(injectedFaults, jobs);
        for (int i = 0; i < history.size(); i++) {
            if (history.get(i) instanceof Event.Transaction transaction) {
                search.see(transaction, i);
            }
        }
        return search.found;
    }

    private record Open(InjectedFault outage, Duration period, Set<Integer> places, int from) {}

    private static final class Search {
        private final List<OutageRecovery> found = new ArrayList<>();
        private final Set<String> jobs;
        private final Deque<InjectedFault> outages;
        private final InvolvedPlaces places = new InvolvedPlaces();
        private final Map<Item, List<Open>> open = new HashMap<>();

        Search(Collection<InjectedFault> injectedFaults, Set<String> jobs) {
            this.jobs = jobs;
            this.outages = new ArrayDeque<>(injectedFaults.stream()
                    .filter(injected -> injected.fault().kind().isOutage())
                    .sorted(Comparator.comparing(InjectedFault::ended))
                    .toList());
        }

        void see(Event.Transaction transaction, int index) {
            while (!outages.isEmpty()
                    && !transaction.at().isBefore(outages.element().ended())) {
                open(outages.remove(), index);
            }
            List<Ledger.Step> steps = places.take(transaction);
            open.forEach((item, all) -> all.forEach(each -> each.places.addAll(places.of(item))));
            for (Ledger.Step step : steps) {
                boolean runs = step.kind() == Ledger.Kind.CLAIMED || step.kind() == Ledger.Kind.TAKEN_OVER;
                for (Open each : runs ? open.getOrDefault(step.item(), List.of()) : List.<Open>of()) {
                    places.place(step.session()).ifPresent(each.places::add);
                    found.add(new OutageRecovery(
                            step.item(), each.outage, each.period, transaction.at(), each.places, each.from, index));
                }
                if (runs) {
                    open.remove(step.item());
                }
            }
        }

        private void open(InjectedFault outage, int index) {
            for (String job : jobs) {
                places.ledger().period(job).ifPresent(period -> places.ledger()
                        .items(job)
                        .forEach(item -> open.computeIfAbsent(item, key -> new ArrayList<>())
                                .add(new Open(outage, period, new TreeSet<>(places.of(item)), index))));
            }
        }
    }
}
