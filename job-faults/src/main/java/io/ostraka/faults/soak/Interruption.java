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
import java.util.Set;

/**
 * An item whose owner was lost in mid-run, and when it went on.
 *
 * @param item which
 * @param fire what ran
 * @param killed when its owner's process was killed; empty if it lost its session in another way
 * @param expired when the servers ended its owner's session; empty if somebody went on before
 * @param wentOn when it was claimed once more, or the fire came to its end without that; by the servers' clock
 * @param from where in the history it was claimed
 * @param to where in the history it went on
 */
record Interruption(
        Item item, String fire, Optional<Instant> killed, Optional<Instant> expired, Instant wentOn, int from, int to) {

    /** Finds all in a history that went on; whether the others should have is the history checker's matter. */
    static List<Interruption> of(List<Event> history) {
        var search = new Search();
        for (int i = 0; i < history.size(); i++) {
            search.see(history.get(i), i);
        }
        return search.found;
    }

    private record Open(Item item, Optional<Instant> killed, Optional<Instant> expired) {}

    private static final class Search {
        private final List<Interruption> found = new ArrayList<>();
        private final Ledger ledger = new Ledger();
        private final Map<String, Set<Long>> sessions = new HashMap<>();
        private final Map<Item, Open> open = new HashMap<>();
        private final Map<Item, Integer> claimedAt = new HashMap<>();

        void see(Event event, int index) {
            if (event instanceof Event.Began began) {
                sessions.computeIfAbsent(began.process(), process -> new HashSet<>())
                        .add(Ledger.session(began.instance()));
            } else if (event instanceof Event.Killed killed) {
                for (long session : sessions.getOrDefault(killed.process(), Set.of())) {
                    ledger.heldBy(session)
                            .forEach(item ->
                                    open.putIfAbsent(item, new Open(item, Optional.of(killed.at()), Optional.empty())));
                }
            } else if (event instanceof Event.Transaction transaction) {
                see(transaction, index);
            }
        }

        private void see(Event.Transaction transaction, int index) {
            List<Item> losing = transaction.endsSession() ? ledger.heldBy(transaction.session()) : List.of();
            for (Item item : losing) {
                Optional<Instant> killed = Optional.ofNullable(open.get(item)).flatMap(Open::killed);
                open.put(item, new Open(item, killed, Optional.of(transaction.at())));
            }
            for (Ledger.Step step : ledger.take(transaction)) {
                Open interrupted = step.kind() == Ledger.Kind.NOTED ? null : open.remove(step.item());
                // what was under way when a process was killed may still have been completed
                boolean completed =
                        interrupted != null && interrupted.expired.isEmpty() && step.kind() == Ledger.Kind.ENDED;
                if (interrupted != null && !completed) {
                    found.add(new Interruption(
                            step.item(),
                            step.fire(),
                            interrupted.killed,
                            interrupted.expired,
                            transaction.at(),
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
