package io.ostraka.faults.worker;

import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Item;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * Accepts or refuses writes by their tokens. It stores the largest token of each item and the largest generation of
 * each job, and refuses writes with smaller values. It logs each decision before it answers. Thread-safe.
 */
final class FencedLedger {
    private final EventLog log;
    private final Map<Item, Long> tokens = new HashMap<>();
    private final Map<String, Long> generations = new HashMap<>();

    FencedLedger(EventLog log) {
        this.log = log;
    }

    synchronized boolean take(WriteRequest request) {
        Item item = new Item(request.job(), request.item());
        boolean accepted = request.token() >= tokens.getOrDefault(item, 0L)
                && request.generation() >= generations.getOrDefault(request.job(), 0L);
        if (accepted) {
            tokens.put(item, request.token());
            generations.put(request.job(), request.generation());
        }
        Event.RunKey run = new Event.RunKey(item, request.token());
        log.append(new Event.Effect(Instant.now(), request.process(), run, accepted, request.position()));
        return accepted;
    }
}
