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
 * Why a plan's items are where they are, or nowhere. An item of which nothing is said is where the strategy has placed it:
 * a job whose items nothing has happened to has no grounds to keep.
 *
 * <p>Items stand by reason, in their order, so that they are written as ranges. What is said of moves is bounded: of very
 * many different ones those that take the most room are forgotten.
 *
 * @param strategy whose answer it rests on, by type; null is {@link JobConfiguration#DEFAULT_STRATEGY}, or not known
 * @param state what that strategy wants to be told again; empty for nothing
 * @param moves how items came to where they are
 * @param unplaced why items are nowhere, in a sentence's words
 * @param awaited those of them that wait for an instance, by its name; a blank after it says that
 *     its restart is waited for, and an instant after that until when
 */
public record PlacementReasons(
        @Nullable String strategy,
        String state,
        Map<String, List<String>> moves,
        Map<String, List<String>> unplaced,
        Map<String, List<String>> awaited) {
    /** Nothing is to be said. */
    public static final PlacementReasons NONE = new PlacementReasons(null, "", Map.of(), Map.of());

    /** Of what is said of moves, in characters. */
    private static final int ROOM = 65_536;
    /** Of a range with its comma. */
    private static final int RANGE = 12;

    /** How an item came to where it is. */
    public enum Cause {
        /** Its owner's session ended. */
        FAILED_OVER,
        /** Its owner takes nothing more: it is drained, or shuts down. */
        DRAINED,
        /** Its owner doesn't host the job any more. */
        UNHOSTED,
        /** An operator has disabled its owner. */
        DISABLED,
        /** Its owner's clock is ahead. */
        CLOCK_AHEAD,
        /** Its owner isn't one of the required instances. */
        REQUIRED,
        /** Its owner has items of the job that this one keeps apart from. */
        ANTI_AFFINITY,
        /** Its owner has the most items that it may have. */
        MAXIMUM,
        /** Its owner isn't one of the preferred instances. */
        PREFERRED,
        /** Its owner still runs it for an earlier session. */
        UNRETURNED,
        /** Its zone, which it was run outside of, has instances again. */
        CAME_HOME,
        /** The strategy wanted it elsewhere. */
        STRATEGY;

        /** Returns the text that items stand under: what happened, and whose they were. */
        public String of(String from) {
            return name() + ' ' + from;
        }
    }

    /** Those of a job whose items wait for no instance. */
    public PlacementReasons(
            @Nullable String strategy,
            String state,
            Map<String, List<String>> moves,
            Map<String, List<String>> unplaced) {
        this(strategy, state, moves, unplaced, Map.of());
    }

    /** Copies, in order, and forgets what is too much. */
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

    /** Returns the state that a strategy is to be told: another one's is none of its. */
    public String stateFor(String type) {
        return Objects.requireNonNullElse(strategy, JobConfiguration.DEFAULT_STRATEGY)
                        .equals(type)
                ? state
                : "";
    }

    /** Returns which reason there is for each item, of those that have one. */
    public static Map<String, String> byItem(Map<String, List<String>> reasons) {
        Map<String, String> byItem = new HashMap<>();
        reasons.forEach((reason, items) -> items.forEach(item -> byItem.put(item, reason)));
        return byItem;
    }
}
