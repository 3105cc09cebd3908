package io.ostraka.core.model;

import io.ostraka.api.ItemOutcome;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Progress of a whole fire across all its items. Stored only for manual triggers and for jobs with once-listeners.
 *
 * @param trigger name of the trigger's node, which is deleted at the end of the fire; null for a scheduled fire, and if
 *     the fire's delayed trigger was cancelled
 * @param left items that have not ended yet
 * @param outcomes outcomes of the items that have ended
 * @param once state of the job's once-listeners for this fire; null if the job has none
 * @param cancelled cancellation of the fire's delayed trigger before it was due; null if it was not cancelled
 */
public record FireProgress(
        @Nullable String trigger,
        Set<String> left,
        Map<String, ItemOutcome> outcomes,
        @Nullable Once once,
        @Nullable Cancelled cancelled) {
    /** Name of a scheduled fire's node; both numbers fit into a long. */
    private static final Pattern SCHEDULED = Pattern.compile("-?\\d{1,18}\\.\\d{1,18}");

    /**
     * The cancellation of a delayed trigger.
     *
     * @param key key of the delayed trigger
     * @param by operator who cancelled the trigger
     * @param reason reason for the cancellation; null if unknown
     */
    public record Cancelled(String key, String by, @Nullable String reason) {
        /** Checks the same limits as a {@link Trigger.Request}. */
        public Cancelled {
            Names.requirePrintable("by", by, Trigger.Request.LONGEST_BY);
            if (reason != null) {
                Names.requirePrintable("reason", reason, Trigger.Request.LONGEST_REASON);
            }
        }
    }

    /** Phase of the once-listeners of a fire. */
    public enum Phase {
        /** {@code beforeFirst} is being called; no item's code has started. */
        BEGINNING,
        /** No call is being made; items may run. This phase lasts until the last item has ended. */
        OPEN,
        /** {@code afterLast} is being called. */
        CLOSING,
        /** All calls have ended. */
        ENDED
    }

    /**
     * State of the once-listeners of a fire.
     *
     * @param phase current phase
     * @param caller instance that calls the once-listeners in this phase; null if no instance has been chosen yet, or
     *     if the phase has no call
     * @param attempt number of instances that have been the caller in this phase so far
     * @param at due time of the fire
     * @param total number of items that the fire is split into
     * @param incarnation number of the set of item records (see {@link ShardingPlan}) to which the items of the fire
     *     belong
     */
    public record Once(Phase phase, @Nullable String caller, int attempt, Instant at, int total, long incarnation) {
        /** Checks that the attempt is not negative. */
        public Once {
            Names.requireRange("attempt", attempt, 0, Integer.MAX_VALUE);
        }

        /** Returns whether the once-listeners are called in this phase. */
        public boolean calling() {
            return phase == Phase.BEGINNING || phase == Phase.CLOSING;
        }

        private Once in(Phase next, @Nullable String by) {
            return new Once(next, by, by == null ? 0 : 1, at, total, incarnation);
        }
    }

    /** Copies and sorts the collections. */
    public FireProgress {
        if (trigger != null) {
            Names.require("trigger", trigger);
        }
        Names.require("item", left);
        left = Collections.unmodifiableSet(new TreeSet<>(left));
        outcomes = Collections.unmodifiableMap(new TreeMap<>(outcomes));
    }

    /** Creates the progress of a fire that was not cancelled. */
    public FireProgress(
            @Nullable String trigger, Set<String> left, Map<String, ItemOutcome> outcomes, @Nullable Once once) {
        this(trigger, left, outcomes, once, null);
    }

    /**
     * Returns the name of a fire's node. For a scheduled fire, the name contains the incarnation (see {@link
     * ShardingPlan}); for a triggered fire, the name is the fire's id.
     */
    public static String nodeOf(Fire fire, long incarnation) {
        return fire.triggered() ? fire.id() : fire.id() + "." + incarnation;
    }

    /** Returns whether a node with this name belongs to a scheduled fire. */
    public static boolean scheduled(String node) {
        return SCHEDULED.matcher(node).matches();
    }

    /** Returns the progress at the beginning of a scheduled fire. */
    public static FireProgress scheduled(Collection<String> items, Once once) {
        return new FireProgress(null, new TreeSet<>(items), Map.of(), once);
    }

    /**
     * Returns the progress at the beginning of a triggered fire. Requested items that do not exist, and all items of a
     * trigger that was created too late, get the outcome {@code SKIPPED}.
     */
    public static FireProgress begun(Trigger trigger, Collection<String> keys) {
        Set<String> left = keys.stream().filter(trigger::concerns).collect(Collectors.toSet());
        Set<String> requested = trigger.request().items();
        Map<String, ItemOutcome> outcomes = new TreeMap<>();
        (requested.isEmpty() ? keys : requested).forEach(item -> {
            if (!left.contains(item)) {
                outcomes.put(item, ItemOutcome.SKIPPED);
            }
        });
        return new FireProgress(trigger.name(), left, outcomes, null);
    }

    /** Returns the progress of a fire whose delayed trigger was cancelled: the fire has ended, and no item has run. */
    public static FireProgress cancelled(Cancelled by) {
        return new FireProgress(null, Set.of(), Map.of(), null, by);
    }

    /** Returns the same progress with the given state of the once-listeners, or this progress if no item is left. */
    public FireProgress telling(Once from) {
        return left.isEmpty() ? this : new FireProgress(trigger, left, outcomes, from);
    }

    /**
     * Returns the progress in which these items have ended. If no item is left, the next step is the call of {@code
     * afterLast}, and no instance has been chosen for this call yet.
     */
    public FireProgress with(Map<String, ItemOutcome> ended) {
        return with(ended, null);
    }

    /**
     * Returns the progress in which these items have ended.
     *
     * @param closer instance that calls {@code afterLast} if these items were the last; null if the caller is chosen
     *     later
     */
    public FireProgress with(Map<String, ItemOutcome> ended, @Nullable String closer) {
        Set<String> remaining = new TreeSet<>(left);
        Map<String, ItemOutcome> known = new TreeMap<>(outcomes);
        ended.forEach((item, outcome) -> {
            if (remaining.remove(item)) {
                known.put(item, outcome);
            }
        });
        // the phase BEGINNING stays unchanged here: told() ends this phase after beforeFirst has returned
        Once next =
                once != null && once.phase == Phase.OPEN && remaining.isEmpty() ? once.in(Phase.CLOSING, closer) : once;
        return new FireProgress(trigger, remaining, known, next);
    }

    /**
     * Returns the progress with a new caller of the phase, because the previous caller is gone or there was none. If no
     * item is left in the phase {@link Phase#BEGINNING}, the new caller calls {@code afterLast} instead of {@code
     * beforeFirst}.
     */
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
     * Returns the progress after the call of this phase has ended. A call that was given up, because no instance can
     * make it, also counts as ended.
     *
     * @param closer instance that calls {@code afterLast} if no item is left; null if the caller is chosen later
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
            throw new IllegalStateException("the fire has no once-listeners: " + this);
        }
        return once;
    }

    /** Returns whether every item and every call of once-listeners has ended. */
    public boolean done() {
        return left.isEmpty() && (once == null || once.phase == Phase.ENDED);
    }
}
