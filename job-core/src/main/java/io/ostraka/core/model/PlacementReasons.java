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
 * Explains the placement of a plan's items: why an item moved, or why it has no owner. Items that stay where the
 * strategy first placed them have no reason.
 *
 * <p>Items are grouped by reason and sorted, so the plan's node can store ranges of items. The space for moves is
 * limited. If there are too many moves, the reasons that take the most space are dropped.
 *
 * @param strategy type of the strategy that placed the items; null for {@link JobConfiguration#DEFAULT_STRATEGY}, or if
 *     unknown
 * @param state state that the strategy returned; the engine passes it to the next call of the strategy. Empty if none
 * @param moves moved items, by the reason for the move
 * @param unplaced items without an owner, by the reason; the reason is a text for operators
 * @param awaited unplaced items that wait for an instance, by the name of that instance. If the items wait for the
 *     instance's restart, the name is followed by a space and the instant at which the wait ends
 */
public record PlacementReasons(
        @Nullable String strategy,
        String state,
        Map<String, List<String>> moves,
        Map<String, List<String>> unplaced,
        Map<String, List<String>> awaited) {
    /** No reasons. */
    public static final PlacementReasons NONE = new PlacementReasons(null, "", Map.of(), Map.of());

    private static final int ROOM = 65_536;
    /** Assumed size of a range with its comma, in characters. */
    private static final int RANGE = 12;

    /** Reason for the move of an item. */
    public enum Cause {
        /** The owner's session ended. */
        FAILED_OVER,
        /** The owner is drained or shuts down. */
        DRAINED,
        /** The owner no longer hosts the job. */
        UNHOSTED,
        /** An operator disabled the owner. */
        DISABLED,
        /** The owner's clock is too far ahead of ZooKeeper's clock. */
        CLOCK_AHEAD,
        /** The owner is not one of the required instances. */
        REQUIRED,
        /** The owner has items of a job that this job avoids. */
        ANTI_AFFINITY,
        /** The owner had more items than the configured maximum. */
        MAXIMUM,
        /** A preferred instance is available again; the previous owner is not preferred. */
        PREFERRED,
        /** The owner's process is still executing a run of the item that began in an earlier session. */
        UNRETURNED,
        /** The item ran outside its own zone, and its own zone has instances again. */
        CAME_HOME,
        /** The sharding strategy moved the item. */
        STRATEGY;

        /** Returns the key of a move: the cause and the previous owner. */
        public String of(String from) {
            return name() + ' ' + from;
        }
    }

    /** Creates reasons in which no item waits for an instance. */
    public PlacementReasons(
            @Nullable String strategy,
            String state,
            Map<String, List<String>> moves,
            Map<String, List<String>> unplaced) {
        this(strategy, state, moves, unplaced, Map.of());
    }

    /** Copies and sorts the items, and drops moves beyond the size limit. */
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

    /** Returns the state for a strategy; empty if the state belongs to a different strategy. */
    public String stateFor(String type) {
        return Objects.requireNonNullElse(strategy, JobConfiguration.DEFAULT_STRATEGY)
                        .equals(type)
                ? state
                : "";
    }

    /** Returns the reasons by item. */
    public static Map<String, String> byItem(Map<String, List<String>> reasons) {
        Map<String, String> byItem = new HashMap<>();
        reasons.forEach((reason, items) -> items.forEach(item -> byItem.put(item, reason)));
        return byItem;
    }
}
