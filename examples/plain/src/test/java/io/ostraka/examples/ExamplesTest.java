package io.ostraka.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.fixtures.ExpectedErrors;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs the examples that take only a moment, since the first code that users read must work. */
@Tag("cluster")
@ExpectedErrors({
    "job 'count-stock' item 2",
    "job 'settle' item 2",
    "job 'settle-orders' item 2",
    "job 'pay-suppliers' item 1"
})
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
    void theDataflowExampleGoesOnWhereTheInstanceBeforeHasEnded() throws Exception {
        assertThat(outputOf(DataflowExample::main))
                .containsSubsequence(
                        "position  0: [entry-1,",
                        "position  8: [entry-9, entry-10]",
                        "the instance has ended",
                        "position 10: [entry-11, entry-12, entry-13, entry-14]")
                .endsWith("position 14: [entry-15]\n");
    }

    @Test
    void theSimpleJobExampleCountsEachStockTwice() throws Exception {
        String output = outputOf(SimpleJobExample::main);
        assertThat(output).startsWith("Registered; a fire comes each second.");
        assertThat(output.lines().filter(line -> line.contains("counting the stock of Athens (item 0 of 3), token ")))
                .hasSizeGreaterThanOrEqualTo(2);
    }

    @Test
    void theOneOffExampleTellsTheOutcomes() throws Exception {
        assertThat(outputOf(OneOffExample::main))
                .contains("closing 2026-01 of branch north")
                .contains("{0=SUCCEEDED, 1=SUCCEEDED, 2=SUCCEEDED}");
    }

    @Test
    void operationsExampleRunsFailedItemAgain() throws Exception {
        assertThat(outputOf(OperationsExample::main))
                .containsSubsequence(
                        "item 0: SUCCEEDED",
                        "item 2: FAILED, java.lang.IllegalStateException: no account for branch 2",
                        "state: PAUSED",
                        "outcomes: {2=SUCCEEDED}");
    }

    @Test
    void anAlarmBeginsAndEndsOnce() throws Exception {
        assertThat(outputOf(AlarmExample::main))
                .contains(
                        "page payments: FAILING: job 'pay-suppliers': item 1 failed in its last fires",
                        "items: [1], runbook: https://wiki.example.org/pay-suppliers",
                        "lasts: FAILING of job pay-suppliers",
                        "page payments: FAILING has ended",
                        "same alarm: true",
                        "different messages: 2");
    }

    @Test
    void historyExampleAccountsForEachFire() throws Exception {
        assertThat(outputOf(HistoryExample::main))
                .containsSubsequence("{SUCCEEDED=1}", "the account:", "RUN until", "SKIPPED OVERLAPPED")
                .endsWith("complete: true\n");
    }

    @Test
    void remoteExampleChangesScheduleWithoutRestart() throws Exception {
        assertThat(outputOf(RemoteExample::main))
                .containsSubsequence(
                        "revision 1: every PT1S, set by the platform: [jobParameter, revision, schedule]",
                        "a run with the parameter 'slowly'",
                        "revision 2: every PT0.2S",
                        "a run with the parameter 'quickly'");
    }

    @Test
    void theFenceFirstExampleRefusesTheLateWriter() throws Exception {
        assertThat(outputOf(FenceFirstExample::main))
                .containsPattern(
                        "balance 100: written .*\nbalance 200: written .*\nbalance 100: REFUSED, job 'book' .*\n$");
    }

    @Test
    void theScriptExampleTellsWhichItemHasFailed() throws Exception {
        assertThat(outputOf(ScriptExample::main))
                .containsPattern("2026-01 of Athens, by token \\d+\n2026-01 of Berlin, by token \\d+\n")
                .contains("{0=SUCCEEDED, 1=SUCCEEDED, 2=FAILED}");
    }

    @Test
    void theHttpExampleTellsWhichItemWasRefused() throws Exception {
        assertThat(outputOf(HttpExample::main))
                .containsPattern("billing: a known client settles branch north, token \\d+\n")
                .contains("{0=SUCCEEDED, 1=SUCCEEDED, 2=FAILED}");
    }

    @Test
    void theTasksExampleBooksEachAccountInOrder() throws Exception {
        assertThat(outputOf(TasksExample::main))
                .contains("ada: 100 -30 -50\n", "bob: 70 -70\n", "eve: 15\n")
                .contains("{0=SUCCEEDED}");
    }

    @Test
    void theBroadcastExampleRefreshesBothInstances() throws Exception {
        String output = outputOf(BroadcastExample::main);
        assertThat(output).containsPattern("outcomes by instance: \\{[^,]+=SUCCEEDED, [^,]+=SUCCEEDED}\n$");

        // The leader may know either instance first, so only the last fire is certain to include both.
        List<String> refreshes =
                output.lines().filter(line -> line.contains("refreshed")).toList();
        String lastPrice = output.replaceAll("(?s).*coffee=(\\d+).*", "$1");
        List<String> last = refreshes.subList(refreshes.size() - 2, refreshes.size());
        assertThat(last).allMatch(line -> line.endsWith("has refreshed its prices: {coffee=" + lastPrice + "}"));
        assertThat(String.join(" ", last))
                .contains("one, number ", "the other, number ", "number 0 of 2", "number 1 of 2");
    }

    @Test
    void thePlacementExampleShowsWhatEachStrategyMoves() throws Exception {
        assertThat(outputOf(PlacementExample::main))
                .contains("STICKY_BALANCED   aaaabbbbcccc  aaaabbbbAABB  aaaabbbbDDDD\n")
                .contains("WEIGHTED          aaabbbbbbccc  aaabbbbbbABB  aaDbbbbDDDDD\n")
                .contains("ZONE_SPREAD       aaabbbcccccc  aaabbbAAABBB  aaabbbDDDDDD\n")
                .hasLineCount(2 + 8);
    }

    @Test
    void theExampleOfATypeOfOnesOwnSharesTheRowsOut() throws Exception {
        assertThat(outputOf(OwnTypeExample::main))
                .contains("item 0: 3 rows", "item 1: 4 rows", "item 2: 3 rows")
                .contains("{0=SUCCEEDED, 1=SUCCEEDED, 2=SUCCEEDED}");
    }

    @Test
    void theAdaptiveExampleAsksASlowServiceLessAndLessUntilItAnswers() throws Exception {
        String output = outputOf(AdaptiveExample::main);
        assertThat(output.replaceAll("\\d+ ms", "? ms").lines().map(line -> line.substring(line.indexOf(": ") + 2)))
                .containsExactly(
                        "answered",
                        "answered",
                        "no answer in time",
                        "no answer in time",
                        "no answer in time",
                        "answered",
                        "answered");
        Matcher matcher = Pattern.compile("(\\d+) ms").matcher(output);
        List<Integer> pauses =
                matcher.results().map(found -> Integer.valueOf(found.group(1))).toList();
        assertThat(pauses.get(3)).isGreaterThanOrEqualTo(2 * 500);
        assertThat(pauses.get(4)).isGreaterThanOrEqualTo(4 * 500);
        assertThat(pauses.get(5)).isGreaterThanOrEqualTo(8 * 500);
        assertThat(pauses.get(6)).as("the interval is back").isLessThan(8 * 500);
    }
}
