package io.ostraka.faults.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RollCommandTest {
    @Test
    void replacesEachWorkerTwiceAndNeverTwoAtATime() {
        List<Fault> replaced = RollCommand.plan().faults().stream()
                .filter(fault -> fault.kind() == Fault.Kind.WORKER_REPLACED)
                .toList();

        assertThat(replaced).extracting(Fault::target).containsExactly(0, 1, 2, 0, 1, 2);
        Stream.iterate(1, i -> i < replaced.size(), i -> i + 1)
                .forEach(i -> assertThat(replaced.get(i).at())
                        .isGreaterThan(replaced.get(i - 1).until()));
    }

    @Test
    void refusesToRollWithoutOtherBuild() {
        assertThatThrownBy(() -> new RollCommand().run(List.of(), System.out))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--other is required");
    }
}
