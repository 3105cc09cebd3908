package io.ostraka.faults.worker;

import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Item;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * Accepts and refuses writes by their tokens. It keeps the largest token of each item and the largest generation of
 * each job, and refuses smaller ones. Each decision is logged before the answer is sent. Thread-safe.
 */
final class FencedLedger {
    private final EventLog log;
    private final Map<Item, Long> tokens = new HashMap<>();
    private final Map<String, Long> generations = new HashMap<>();

    FencedLedger(EventLog log) {
        this.log = log;
    }

    synchronized boolean take(Attempt attempt) {
        Item item = new Item(attempt.job(), attempt.item());
        boolean accepted = attempt.token() >= tokens.getOrDefault(item, 0L)
                && attempt.generation() >= generations.getOrDefault(attempt.job(), 0L);
        if (accepted) {
            tokens.put(item, attempt.token());
            generations.put(attempt.job(), attempt.generation());
        }
        Event.RunKey run = new Event.RunKey(item, attempt.token());
        log.append(new Event.Effect(Instant.now(), attempt.process(), run, accepted, attempt.position()));
        return accepted;
    }
}
