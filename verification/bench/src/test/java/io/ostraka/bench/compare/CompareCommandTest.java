package io.ostraka.bench.compare;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

class CompareCommandTest {
    private static void refused(boolean alone, String text, String... arguments) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new CompareCommand(alone).run(List.of(arguments), System.out))
                .withMessageContaining(text);
    }

    @Test
    void invalidOptionsAreRefusedBeforeAnythingStarts() {
        refused(true, "there are [kill, pause, outage, churn]", "--scenario", "flood");
        refused(true, "must be 1 to 1000", "--tries", "0");
        refused(true, "must be 1 to 1000", "--tries");
        refused(true, "unknown option '--elasticjob'", "--elasticjob", "x");
        refused(false, "class path is required", "--tries", "1");
    }
}
