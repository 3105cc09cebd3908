package io.ostraka.faults.simulation;

import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Item;
import java.util.HashMap;
import java.util.Map;

/**
 * The store to which jobs write. It remembers the largest token of each item, and refuses writes with smaller tokens.
 */
final class FencedStore {
    private final Map<Item, Long> fence = new HashMap<>();

    /** Returns whether the write was accepted. */
    boolean write(Event.RunKey run) {
        return fence.merge(run.item(), run.token(), Math::max) == run.token();
    }
}
