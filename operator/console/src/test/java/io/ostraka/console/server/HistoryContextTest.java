package io.ostraka.console.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.fixtures.InfoLog;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HistoryContextTest {
    /** Returns the lines of the log about problems of a history, which reports the given texts one after the other. */
    private static List<String> logged(@Nullable String... problems) throws ReflectiveOperationException {
        HistoryContext context = new HistoryContext("of-this-test");
        try (InfoLog log = new InfoLog(HistoryContext.class.getName())) {
            Arrays.asList(problems).forEach(context::problem);
            return log.lines("'of-this-test': history:");
        }
    }

    @Test
    void eachProblemIsLoggedOnce() throws ReflectiveOperationException {
        assertThat(logged(
                        "history: rows wait",
                        "history: rows wait",
                        "history: rows are lost",
                        null,
                        "history: rows wait"))
                .satisfiesExactly(
                        first -> assertThat(first).contains("WARN", "rows wait"),
                        second -> assertThat(second).contains("WARN", "rows are lost"),
                        third -> assertThat(third).contains("WARN", "rows wait"));
    }

    @Test
    void problemWhoseFiguresChangeIsNotANewProblem() throws ReflectiveOperationException {
        assertThat(logged("history: 9 rows are lost", "history: 10 rows are lost", "history: 11 rows are lost"))
                .hasSize(1);
    }
}
