package io.ostraka.faults.soak;

import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Item;
import io.ostraka.faults.history.Ledger;
import io.ostraka.faults.history.Write;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Finds the workers on which each item depends: the leader, or the candidate that is about to become the leader, and
 * the instance to which the plan assigns the item. A worker is identified by the number of its {@link Place}.
 */
final class InvolvedPlaces {
    private static final String INSTANCES = "/instances/";

    private final Ledger ledger = new Ledger();
    private final Map<Long, Integer> places = new HashMap<>();

    /** Processes the next transaction. Returns the steps of items that it contains. */
    List<Ledger.Step> take(Event.Transaction transaction) {
        for (Write write : transaction.writes()) {
            if (write instanceof Write.Created && write.path().startsWith(INSTANCES)) {
                String instance = write.path().substring(INSTANCES.length());
                Place.of(instance).ifPresent(place -> places.put(Ledger.session(instance), place));
            }
        }
        return ledger.take(transaction);
    }

    Ledger ledger() {
        return ledger;
    }

    /**
     * Returns the number of the place whose worker owns a session. Returns empty if no worker has registered with this
     * session.
     */
    OptionalInt place(long session) {
        Integer place = places.get(session);
        return place == null ? OptionalInt.empty() : OptionalInt.of(place);
    }

    /** Returns the numbers of the places on which an item depends now. */
    Set<Integer> of(Item item) {
        Set<Integer> of = new HashSet<>();
        ledger.leader().map(places::get).ifPresent(of::add);
        ledger.owner(item).map(Ledger::session).map(places::get).ifPresent(of::add);
        return of;
    }
}
