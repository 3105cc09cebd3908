package io.ostraka.faults.soak;

import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Item;
import io.ostraka.faults.history.Ledger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

/**
 * An item whose owner was lost in the middle of a run, and the time at which the item's fire continued.
 *
 * @param item interrupted item
 * @param fire interrupted fire
 * @param lost number of the lost owner's {@link Place}; empty if the owner is not a worker of a soak
 * @param killed time at which the owner's process was killed; empty if the owner lost its session for another reason
 * @param expired time at which the servers ended the owner's session; empty if another instance continued the fire
 *     earlier
 * @param wentOn time at which the fire was claimed again, or ended without another claim; by the servers' clock
 * @param places numbers of the places of all workers on which the item depended after the loss of its owner: the owner,
 *     the leaders, and the instances to which the item was assigned
 * @param from index of the interrupted claim in the history
 * @param to index in the history at which the fire continued
 */
record Interruption(
        Item item,
        String fire,
        OptionalInt lost,
        Optional<Instant> killed,
        Optional<Instant> expired,
        Instant wentOn,
        Set<Integer> places,
        int from,
        int to) {

    /** Copies the set. */
    Interruption {
        places = Set.copyOf(places);
    }

    /** Finds all interrupted items that continued. The history checker reports the items that did not continue. */
    static List<Interruption> of(List<Event> history) {
        var search = new Search();
        for (int i = 0; i < history.size(); i++) {
            search.see(history.get(i), i);
        }
        return search.found;
    }

    /**
     * Returns the time at which the owner was lost: the kill, or else the end of its session. If neither is known,
     * returns the time of the continuation.
     */
    Instant since() {
        return killed.or(() -> expired).orElse(wentOn);
    }

    private record Open(OptionalInt lost, Optional<Instant> killed, Optional<Instant> expired, Set<Integer> places) {
        Open expired(Instant at) {
            return new Open(lost, killed, Optional.of(at), places);
        }
    }

    private static final class Search {
        private final List<Interruption> found = new ArrayList<>();
        private final InvolvedPlaces places = new InvolvedPlaces();
        private final Map<String, Set<Long>> sessions = new HashMap<>();
        private final Map<Item, Open> open = new HashMap<>();
        private final Map<Item, Integer> claimedAt = new HashMap<>();

        void see(Event event, int index) {
            if (event instanceof Event.Began began) {
                sessions.computeIfAbsent(began.process(), process -> new HashSet<>())
                        .add(Ledger.session(began.instance()));
            } else if (event instanceof Event.Killed killed) {
                for (long session : sessions.getOrDefault(killed.process(), Set.of())) {
                    for (Item item : places.ledger().heldBy(session)) {
                        open.putIfAbsent(
                                item,
                                opened(item, Place.of(killed.process()), Optional.of(killed.at()), Optional.empty()));
                    }
                }
            } else if (event instanceof Event.Transaction transaction) {
                see(transaction, index);
            }
        }

        private Open opened(Item item, OptionalInt lost, Optional<Instant> killed, Optional<Instant> expired) {
            Set<Integer> all = new TreeSet<>(places.of(item));
            lost.ifPresent(all::add);
            return new Open(lost, killed, expired, all);
        }

        private void see(Event.Transaction transaction, int index) {
            long session = transaction.session();
            for (Item item : transaction.endsSession() ? places.ledger().heldBy(session) : List.<Item>of()) {
                Instant at = transaction.at();
                Open known = open.get(item);
                open.put(
                        item,
                        known == null
                                ? opened(item, places.place(session), Optional.empty(), Optional.of(at))
                                : known.expired(at));
            }
            List<Ledger.Step> steps = places.take(transaction);
            open.forEach((item, each) -> each.places.addAll(places.of(item)));
            for (Ledger.Step step : steps) {
                Open interrupted = step.kind() == Ledger.Kind.NOTED ? null : open.remove(step.item());
                // not interrupted: the killed process had already sent the request that completed the run
                boolean completed =
                        interrupted != null && interrupted.expired.isEmpty() && step.kind() == Ledger.Kind.ENDED;
                if (interrupted != null && !completed) {
                    places.place(step.session()).ifPresent(interrupted.places::add);
                    found.add(new Interruption(
                            step.item(),
                            step.fire(),
                            interrupted.lost,
                            interrupted.killed,
                            interrupted.expired,
                            transaction.at(),
                            interrupted.places,
                            claimedAt.getOrDefault(step.item(), index),
                            index));
                }
                if (step.claim() == transaction.zxid()) {
                    claimedAt.put(step.item(), index);
                }
            }
        }
    }
}
