package io.ostraka.core.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PacedScanTest {
    private static final Duration ROUND = Duration.ofSeconds(60);
    private static final Duration TICK = Duration.ofSeconds(5);

    private final PacedScan pass = new PacedScan(ROUND);

    private static List<String> names(int count) {
        return IntStream.range(0, count).mapToObj(i -> "job-" + i).toList();
    }

    @Test
    void spreadsThousandKeysEvenlyOverPeriod() {
        List<String> names = names(1000);
        List<String> dealt = new ArrayList<>();
        for (int tick = 0; tick < 12; tick++) {
            List<String> turn = pass.next(names, TICK);
            assertThat(turn).hasSizeBetween(83, 84);
            dealt.addAll(turn);
        }

        assertThat(dealt).containsExactlyInAnyOrderElementsOf(names);
    }

    @Test
    void visitsSingleKeyOncePerPeriod() {
        for (int round = 0; round < 3; round++) {
            for (int tick = 1; tick < 12; tick++) {
                assertThat(pass.next(Set.of("only"), TICK)).isEmpty();
            }
            assertThat(pass.next(Set.of("only"), TICK)).containsExactly("only");
        }
    }

    @Test
    void addedAndRemovedKeysDelayNoOther() {
        List<String> dealt = new ArrayList<>();
        for (int tick = 0; tick < 12; tick++) {
            List<String> names = new ArrayList<>(names(24));
            names.add("visitor-" + tick);
            dealt.addAll(pass.next(names, TICK));
        }

        assertThat(dealt).containsAll(names(24));
    }

    @Test
    void visitsEachKeyOnceAfterLongPause() {
        assertThat(pass.next(names(10), Duration.ofHours(5))).containsExactlyInAnyOrderElementsOf(names(10));
        assertThat(pass.next(Set.of(), TICK)).isEmpty();
    }
}
