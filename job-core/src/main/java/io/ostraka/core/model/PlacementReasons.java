package io.ostraka.core.model;

import io.ostraka.api.JobConfiguration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The reasons for the owners of a plan's items, or for their absence. An item without a reason is where the strategy placed
 * it, so a job with no events keeps no reasons.
 *
 * <p>Items are grouped by reason and sorted, so that they are written as ranges. Moves are bounded: if there are many
 * different ones, those that take the most space are dropped.
 *
 * @param strategy type of the strategy that placed the items; null for {@link JobConfiguration#DEFAULT_STRATEGY}, or if not
 *     known
 * @param state state that the strategy gets back at its next call; empty for none
 * @param moves items by the reason of their move
 * @param unplaced items without an owner, by reason, in words for operators
 * @param awaited unplaced items that wait for an instance, by its name. A space after the name means a wait for its restart,
 *     followed by the instant at which the wait ends
 */
public record PlacementReasons(
        @Nullable String strategy,
        String state,
        Map<String, List<String>> moves,
        Map<String, List<String>> unplaced,
        Map<String, List<String>> awaited) {
    /** No reasons. */
    public static final PlacementReasons NONE = new PlacementReasons(null, "", Map.of(), Map.of());

    /** Largest size of all moves, in characters. */
    private static final int ROOM = 65_536;
    /** Size of a range with its comma, in characters. */
    private static final int RANGE = 12;

    /** Reason for the move of an item. */
    public enum Cause {
        /** The session of its owner ended. */
        FAILED_OVER,
        /** Its owner takes no more items: it is drained, or shuts down. */
        DRAINED,
        /** Its owner no longer hosts the job. */
        UNHOSTED,
        /** An operator disabled its owner. */
        DISABLED,
        /** The clock of its owner is ahead. */
        CLOCK_AHEAD,
        /** Its owner is not a required instance. */
        REQUIRED,
        /** Its owner has items of the job that this job avoids. */
        ANTI_AFFINITY,
        /** Its owner has reached the maximum number of items. */
        MAXIMUM,
        /** Its owner is not a preferred instance. */
        PREFERRED,
        /** Its owner still runs it for an earlier session. */
        UNRETURNED,
        /** Its zone has instances again; the item ran in another zone before. */
        CAME_HOME,
        /** The strategy moved it. */
        STRATEGY;

        /** Returns the key of a move: the cause and the previous owner. */
        public String of(String from) {
            return name() + ' ' + from;
        }
    }

    /** Creates the reasons of a job without waiting items. */
    public PlacementReasons(
            @Nullable String strategy,
            String state,
            Map<String, List<String>> moves,
            Map<String, List<String>> unplaced) {
        this(strategy, state, moves, unplaced, Map.of());
    }

    /** Copies the items, sorted, and drops moves beyond the limit. */
    public PlacementReasons {
        awaited = sorted(awaited);
        moves = bounded(sorted(moves));
        unplaced = sorted(unplaced);
    }

    private static Map<String, List<String>> sorted(Map<String, List<String>> items) {
        Map<String, List<String>> copy = new TreeMap<>();
        items.forEach((reason, keys) -> {
            Names.require("item", keys);
            Names.requirePrintable("reason", reason);
            List<String> inOrder = new ArrayList<>(keys);
            inOrder.sort(ItemKeys.ORDER);
            if (!inOrder.isEmpty()) {
                copy.put(reason, Collections.unmodifiableList(inOrder));
            }
        });
        return Collections.unmodifiableMap(copy);
    }

    private static Map<String, List<String>> bounded(Map<String, List<String>> moves) {
        if (moves.entrySet().stream().mapToInt(PlacementReasons::room).sum() <= ROOM) {
            return moves;
        }
        Map<String, List<String>> kept = new TreeMap<>();
        int left = ROOM;
        for (var move : moves.entrySet().stream()
                .sorted(Comparator.comparingInt(PlacementReasons::room))
                .toList()) {
            left -= room(move);
            if (left < 0) {
                break;
            }
            kept.put(move.getKey(), move.getValue());
        }
        return Collections.unmodifiableMap(kept);
    }

    private static int room(Map.Entry<String, List<String>> move) {
        int ranges = 1;
        List<String> keys = move.getValue();
        for (int i = 1; i < keys.size(); i++) {
            ranges += ItemKeys.follows(keys.get(i - 1), keys.get(i)) ? 0 : 1;
        }
        return (int) Math.min(ROOM + 1L, move.getKey().length() + (long) ranges * RANGE);
    }

    /** Returns the state for a strategy; empty if another strategy left it. */
    public String stateFor(String type) {
        return Objects.requireNonNullElse(strategy, JobConfiguration.DEFAULT_STRATEGY)
                        .equals(type)
                ? state
                : "";
    }

    /** Returns the reason of each item that has one. */
    public static Map<String, String> byItem(Map<String, List<String>> reasons) {
        Map<String, String> byItem = new HashMap<>();
        reasons.forEach((reason, items) -> items.forEach(item -> byItem.put(item, reason)));
        return byItem;
    }
}
