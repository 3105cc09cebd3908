package io.ostraka.core.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PlacementReasonsTest {
    @Test
    void itemsAreSortedAndEmptyReasonsDropped() {
        PlacementReasons grounds =
                new PlacementReasons(null, "", Map.of("DRAINED a", List.of("10", "9")), Map.of("full", List.of()));

        assertThat(grounds.moves()).containsOnly(Map.entry("DRAINED a", List.of("9", "10")));
        assertThat(grounds.unplaced()).isEmpty();
    }

    @Test
    void stateBelongsToItsStrategy() {
        assertThat(new PlacementReasons("ROUND", "x", Map.of(), Map.of()).stateFor("ROUND"))
                .isEqualTo("x");
        assertThat(new PlacementReasons("ROUND", "x", Map.of(), Map.of()).stateFor("FIRST"))
                .isEmpty();
        assertThat(new PlacementReasons(null, "x", Map.of(), Map.of()).stateFor("STICKY_BALANCED"))
                .isEqualTo("x");
    }

    @Test
    void movesAreBoundedAndLargestAreDroppedFirst() {
        Map<String, List<String>> moves = new HashMap<>();
        moves.put(
                "FAILED_OVER everywhere",
                IntStream.range(0, 20_000).mapToObj(i -> "" + 2 * i).toList());
        moves.put(
                "FAILED_OVER range",
                IntStream.range(50_000, 99_000).mapToObj(i -> "" + i).toList());
        moves.put("DRAINED one", List.of("1"));

        assertThat(new PlacementReasons(null, "", moves, Map.of()).moves())
                .containsOnlyKeys("FAILED_OVER range", "DRAINED one");
        assertThat(new PlacementReasons(null, "", Map.of(), moves).unplaced())
                .as("the truth about what doesn't run isn't bounded")
                .hasSize(3);
    }

    @Test
    void reasonWithLineBreakIsRefused() {
        assertThatThrownBy(() -> new PlacementReasons(null, "", Map.of(), Map.of("x\nERROR", List.of("1"))))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
