package io.ostraka.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs the examples that take a moment only: what users read first must work. */
@Tag("cluster")
class ExamplesTest {
    private interface Program {
        void run(String[] args) throws Exception;
    }

    private static String outputOf(Program program) throws Exception {
        var printed = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            program.run(new String[0]);
        } finally {
            System.setOut(before);
        }
        return printed.toString(StandardCharsets.UTF_8);
    }

    @Test
    void theDataflowExampleReadsEveryEntryOnceAndInOrder() throws Exception {
        assertThat(outputOf(DataflowExample::main))
                .contains("position  0: [entry-1,", "position 10: [entry-11, entry-12, entry-13, entry-14]")
                .endsWith("position 14: [entry-15]\n");
    }

    @Test
    void theOneOffExampleTellsTheOutcomes() throws Exception {
        assertThat(outputOf(OneOffExample::main))
                .contains("closing 2026-01 of branch north")
                .contains("{0=SUCCEEDED, 1=SUCCEEDED, 2=SUCCEEDED}");
    }

    @Test
    void theFenceFirstExampleRefusesTheLateWriter() throws Exception {
        assertThat(outputOf(FenceFirstExample::main))
                .containsPattern("balance 100: written\n.*balance 200: written\n.*balance 100: REFUSED\n$");
    }
}
