package io.ostraka.faults.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ModelCommandTest {
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @Test
    void printsTheTrailToTheViolationWithoutARule() {
        assertThat(run("--without", "next-attempt")).isFalse();

        assertThat(printed()).contains(" 1. A starts").contains("=> I3: fire 1 is claimed twice as attempt 1");
        assertThat(printed().lines().reduce((first, second) -> second).orElseThrow())
                .startsWith("VIOLATED: ")
                .contains(" states, ");
    }

    @Tag("slow")
    @Test
    void checksAModelOfAnotherSize() {
        assertThat(run("claim", "--processes", "1", "--fires", "2", "--failover", "off"))
                .isTrue();
        assertThat(printed()).startsWith("claim: 1 processes, 2 sessions").contains("failover off", "holds: ");

        assertThat(run("change", "--totals", "1,2", "--triggers", "0")).isTrue();
        assertThat(printed()).contains("change: item count 1 to 2, 0 triggers, failover on");

        assertThat(run("backfill", "--dates", "2", "--flight", "2", "--epoch", "off"))
                .isTrue();
        assertThat(printed()).contains("backfill: 2 dates, at most 2 in flight", "epoch unchecked");

        assertThat(run("delayed", "--runs", "1", "--sweeps", "on")).isTrue();
        assertThat(printed()).contains("delayed: 1 runs with one key, sweeps on, epoch checked");

        assertThat(run("override", "--ends", "1", "--epoch", "off")).isTrue();
        assertThat(printed()).contains("override: 2 fields, 1 ends, purges off, epoch unchecked");

        assertThat(run("history", "--claims", "2", "--reports", "late")).isTrue();
        assertThat(printed()).contains("history: 2 claims, reports late");
    }

    @Test
    void listsEveryRule() {
        assertThat(run("--rules")).isTrue();

        assertThat(printed()).contains("fence-first ").endsWith(Rule.values().length + " rules\n");
    }

    @Test
    void rejectsInvalidArgumentsAndNamesTheAcceptedOnes() {
        assertThatThrownBy(() -> run("--without", "luck"))
                .hasMessageContaining("'luck'")
                .hasMessageContaining("--rules");
        assertThatThrownBy(() -> run("claim", "--fires", "many"))
                .hasMessage("--fires 'many' is not accepted: expected 1 to 4");
        assertThatThrownBy(() -> run("change", "--totals", "2,3")).hasMessageContaining("such as 2,1,2");
        assertThatThrownBy(() -> run("claim", "--totals", "2")).hasMessage("unknown option --totals");
        assertThatThrownBy(() -> run("election"))
                .hasMessageContaining("claim, change, once, backfill, delayed, override, history or alarm");
    }

    private boolean run(String... arguments) {
        return new ModelCommand().run(List.of(arguments), new PrintStream(printed, true, StandardCharsets.UTF_8));
    }

    private String printed() {
        return printed.toString(StandardCharsets.UTF_8);
    }
}
