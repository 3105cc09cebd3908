package io.ostraka.core.model;

import io.ostraka.api.ItemOutcome;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * How far a whole fire is, where its end must be known.
 *
 * @param trigger name of the trigger's node, deleted by whoever ends the last item
 * @param left items still to end
 * @param outcomes how the others ended
 */
public record FireProgress(String trigger, Set<String> left, Map<String, ItemOutcome> outcomes) {
    /** Copies, in order. */
    public FireProgress {
        Names.require("trigger", trigger);
        Names.require("item", left);
        left = Collections.unmodifiableSet(new TreeSet<>(left));
        outcomes = Collections.unmodifiableMap(new TreeMap<>(outcomes));
    }

    /** Returns the progress at the fire's beginning. */
    public static FireProgress begun(String trigger, Collection<String> items) {
        return new FireProgress(trigger, new TreeSet<>(items), Map.of());
    }

    /** Returns the progress at the beginning of a trigger's fire; items that it names and that don't exist are skipped. */
    public static FireProgress begun(Trigger trigger, Collection<String> keys) {
        Set<String> items = new TreeSet<>(trigger.request().items());
        items.removeAll(keys);
        Map<String, ItemOutcome> outcomes = new TreeMap<>();
        items.forEach(item -> outcomes.put(item, ItemOutcome.SKIPPED));
        return new FireProgress(
                trigger.name(), keys.stream().filter(trigger::concerns).collect(Collectors.toSet()), outcomes);
    }

    /** Returns the progress once these items have ended too. */
    public FireProgress with(Map<String, ItemOutcome> ended) {
        Set<String> remaining = new TreeSet<>(left);
        Map<String, ItemOutcome> known = new TreeMap<>(outcomes);
        ended.forEach((item, outcome) -> {
            if (remaining.remove(item)) {
                known.put(item, outcome);
            }
        });
        return new FireProgress(trigger, remaining, known);
    }

    /** Tells whether every item has ended. */
    public boolean done() {
        return left.isEmpty();
    }
}
