package io.ostraka.core.model;

import io.ostraka.api.ItemOutcome;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How far a whole fire is, where its end must be known.
 *
 * @param trigger name of the trigger's node, deleted by whoever ends the fire; null if the fire was scheduled
 * @param left items still to end
 * @param outcomes how the others ended
 * @param once how far the job's once-listeners are with it; null if it has none
 */
public record FireProgress(
        @Nullable String trigger, Set<String> left, Map<String, ItemOutcome> outcomes, @Nullable Once once) {
    /** How far once-listeners are with a fire. */
    public enum Phase {
        /** It is told to begin; no item's code has started. */
        BEGINNING,
        /** Its items run, until the last has ended. */
        OPEN,
        /** It is told to have ended. */
        CLOSING,
        /** All has been told. */
        ENDED
    }

    /**
     * What once-listeners are told of a fire, and by whom.
     *
     * @param phase how far it is
     * @param caller the instance that tells of it in this phase; null while nobody does, or nothing is told
     * @param attempt how many have been the caller in this phase
     * @param at the fire's logical time
     * @param total how many items the fire is split into
     * @param incarnation of the items that take part in it
     */
    public record Once(Phase phase, @Nullable String caller, int attempt, Instant at, int total, long incarnation) {
        /** Refuses numbers that can't be. */
        public Once {
            Names.requireRange("attempt", attempt, 0, Integer.MAX_VALUE);
        }

        /** Tells whether somebody is to tell of it now. */
        public boolean calling() {
            return phase == Phase.BEGINNING || phase == Phase.CLOSING;
        }

        private Once in(Phase next, @Nullable String by) {
            return new Once(next, by, by == null ? 0 : 1, at, total, incarnation);
        }
    }

    /** Copies, in order. */
    public FireProgress {
        if (trigger != null) {
            Names.require("trigger", trigger);
        }
        Names.require("item", left);
        left = Collections.unmodifiableSet(new TreeSet<>(left));
        outcomes = Collections.unmodifiableMap(new TreeMap<>(outcomes));
    }

    /** Returns the name of a fire's node; a scheduled one is another fire for the items of another incarnation. */
    public static String nodeOf(Fire fire, long incarnation) {
        return fire.triggered() ? fire.id() : fire.id() + "." + incarnation;
    }

    /** Tells whether a node's name is that of a scheduled fire. */
    public static boolean scheduled(String node) {
        return node.matches("-?\\d+\\.\\d+");
    }

    /** Returns the progress at a scheduled fire's beginning. */
    public static FireProgress scheduled(Collection<String> items, Once once) {
        return new FireProgress(null, new TreeSet<>(items), Map.of(), once);
    }

    /** Returns the progress at the beginning of a trigger's fire; items that it names and that don't exist are skipped. */
    public static FireProgress begun(Trigger trigger, Collection<String> keys) {
        Set<String> items = new TreeSet<>(trigger.request().items());
        items.removeAll(keys);
        Map<String, ItemOutcome> outcomes = new TreeMap<>();
        items.forEach(item -> outcomes.put(item, ItemOutcome.SKIPPED));
        return new FireProgress(
                trigger.name(), keys.stream().filter(trigger::concerns).collect(Collectors.toSet()), outcomes, null);
    }

    /** Returns the same fire, of which once-listeners are to be told; unless there is nothing to run. */
    public FireProgress telling(Once from) {
        return left.isEmpty() ? this : new FireProgress(trigger, left, outcomes, from);
    }

    /** Returns the progress once these items have ended too, without saying who is to tell of its end. */
    public FireProgress with(Map<String, ItemOutcome> ended) {
        return with(ended, null);
    }

    /**
     * Returns the progress once these items have ended too.
     *
     * @param closer who is to tell once-listeners if they were the last; null if somebody else
     */
    public FireProgress with(Map<String, ItemOutcome> ended, @Nullable String closer) {
        Set<String> remaining = new TreeSet<>(left);
        Map<String, ItemOutcome> known = new TreeMap<>(outcomes);
        ended.forEach((item, outcome) -> {
            if (remaining.remove(item)) {
                known.put(item, outcome);
            }
        });
        // whose items end before it was told to begin is closed by whoever tells that
        Once next =
                once != null && once.phase == Phase.OPEN && remaining.isEmpty() ? once.in(Phase.CLOSING, closer) : once;
        return new FireProgress(trigger, remaining, known, next);
    }

    /** Returns the progress once this phase is told of by another: the one before is gone, or there was none. */
    public FireProgress takenBy(String caller) {
        Once present = requireOnce();
        return in(
                present.phase == Phase.BEGINNING && left.isEmpty()
                        ? present.in(Phase.CLOSING, caller)
                        : new Once(
                                present.phase,
                                caller,
                                present.attempt + 1,
                                present.at,
                                present.total,
                                present.incarnation));
    }

    /**
     * Returns the progress once all has been told of this phase, or nobody can.
     *
     * @param closer who is to tell of the end if no item is left; null if somebody else
     */
    public FireProgress told(@Nullable String closer) {
        Once present = requireOnce();
        if (present.phase != Phase.BEGINNING) {
            return in(present.in(Phase.ENDED, null));
        }
        return in(left.isEmpty() ? present.in(Phase.CLOSING, closer) : present.in(Phase.OPEN, null));
    }

    private FireProgress in(Once next) {
        return new FireProgress(trigger, left, outcomes, next);
    }

    private Once requireOnce() {
        if (once == null) {
            throw new IllegalStateException("no once-listener is told of " + this);
        }
        return once;
    }

    /** Tells whether every item has ended, and that has been told. */
    public boolean done() {
        return left.isEmpty() && (once == null || once.phase == Phase.ENDED);
    }
}
