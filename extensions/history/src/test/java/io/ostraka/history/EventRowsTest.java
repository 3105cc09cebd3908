package io.ostraka.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.Alarm;
import io.ostraka.api.AlarmKind;
import io.ostraka.api.FailoverReason;
import io.ostraka.api.HistoryLevel;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SkipReason;
import io.ostraka.api.event.AlarmChanged;
import io.ostraka.api.event.CursorSetBack;
import io.ostraka.api.event.FireTriggered;
import io.ostraka.api.event.FiresSkipped;
import io.ostraka.api.event.ItemTakenOver;
import io.ostraka.api.event.JobConfigured;
import io.ostraka.api.event.RunEnded;
import io.ostraka.api.event.RunFenced;
import io.ostraka.api.event.RunLost;
import io.ostraka.api.event.RunRecorded;
import io.ostraka.api.event.SkipRecorded;
import io.ostraka.history.row.ClaimReport;
import io.ostraka.history.row.HistoryEvent;
import io.ostraka.history.row.Measurement;
import io.ostraka.history.row.Row;
import io.ostraka.history.row.Skipped;
import io.ostraka.history.row.TriggeredRun;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EventRowsTest {
    private static final Instant NOW = Instant.parse("2026-11-26T12:00:00Z");

    private final EventRows rows = new EventRows(new Texts((job, kind, name, text) -> text.replace("4711", "***")));

    private List<Row> configured(Schedule schedule, @Nullable HistoryLevel level) {
        return rows.of(new JobConfigured(
                JobConfiguration.newBuilder("job", 1)
                        .schedule(schedule)
                        .history(level)
                        .build(),
                "i1",
                NOW));
    }

    private List<Row> ended(ItemOutcome outcome, Duration ran) {
        return rows.of(new RunEnded(Claims.claim("job", "0", 1), 3, outcome, null, NOW, ran, NOW, NOW));
    }

    @ParameterizedTest
    @CsvSource({
        "ALL, true, true, true",
        "FAILURES, false, false, true",
        "SLOW(PT10S), false, true, true",
        "NONE, false, false, false"
    })
    void theLevelDecidesWhichRunsHaveARow(String level, boolean quick, boolean slow, boolean failed) {
        configured(Schedule.onDemand(), HistoryLevel.of(level));
        assertThat(ended(ItemOutcome.SUCCEEDED, Duration.ofSeconds(9)).get(0) instanceof ClaimReport)
                .isEqualTo(quick);
        assertThat(ended(ItemOutcome.SUCCEEDED, Duration.ofSeconds(10)).get(0) instanceof ClaimReport)
                .isEqualTo(slow);
        assertThat(ended(ItemOutcome.FAILED, Duration.ofSeconds(1)).get(0) instanceof ClaimReport)
                .isEqualTo(failed);
    }

    @Test
    void aRunWithoutARowCountsInTheRollUp() {
        configured(Schedule.onDemand(), HistoryLevel.NONE);
        assertThat(ended(ItemOutcome.SUCCEEDED, Duration.ofSeconds(9)))
                .containsExactly(new Measurement("job", NOW, "SUCCEEDED", 1, Duration.ofSeconds(9)));
    }

    @ParameterizedTest
    @CsvSource({"PT10S, ALL", "PT9.999S, FAILURES"})
    void aJobThatFiresMoreOftenThanEveryTenSecondsKeepsItsFailuresByDefault(Duration period, String level) {
        assertThat(configured(Schedule.fixedRate(period), null))
                .singleElement()
                .isInstanceOfSatisfying(
                        HistoryEvent.class, event -> assertThat(event.detail()).isEqualTo(level));
    }

    /** Its runs follow each other at once as long as there is work, however long the pause without work is. */
    @Test
    void aContinuousJobKeepsItsFailuresByDefault() {
        assertThat(configured(Schedule.continuous(Duration.ofMinutes(1)), null))
                .singleElement()
                .isInstanceOfSatisfying(
                        HistoryEvent.class, event -> assertThat(event.detail()).isEqualTo("FAILURES"));
    }

    @Test
    void theBeginningAndTheEndOfAnAlarmAreEvents() {
        for (Alarm.State state : Alarm.State.values()) {
            Alarm alarm =
                    new Alarm("a", "shop", "job", AlarmKind.MISSED, state, NOW, NOW, "late", List.of("0"), 1, Map.of());
            assertThat(rows.of(new AlarmChanged(alarm, true, "i1", NOW)))
                    .singleElement()
                    .isInstanceOfSatisfying(HistoryEvent.class, event -> {
                        assertThat(event.kind())
                                .isEqualTo(
                                        state == Alarm.State.FIRING
                                                ? HistoryEvent.Kind.ALARM_BEGUN
                                                : HistoryEvent.Kind.ALARM_ENDED);
                        assertThat(event.job()).isEqualTo("job");
                        assertThat(event.detail()).contains("MISSED").endsWith("; silenced");
                    });
        }
    }

    /** The text of such an alarm contains the error of the run. */
    @Test
    void theTextOfAnAlarmPassesTheRedactor() {
        Alarm alarm = new Alarm(
                "a",
                "shop",
                "job",
                AlarmKind.FAILING,
                Alarm.State.FIRING,
                NOW,
                NOW,
                "card 4711 was refused",
                List.of("0"),
                1,
                Map.of());
        assertThat(rows.of(new AlarmChanged(alarm, false, "i1", NOW)))
                .singleElement()
                .isInstanceOfSatisfying(HistoryEvent.class, event -> assertThat(event.detail())
                        .contains("FAILING", "card *** was refused"));
    }

    @Test
    void aChangeOfTheLevelIsAnEventAndARepetitionIsNot() {
        assertThat(configured(Schedule.onDemand(), null)).hasSize(1);
        assertThat(configured(Schedule.onDemand(), HistoryLevel.ALL)).isEmpty();
        assertThat(configured(Schedule.onDemand(), HistoryLevel.NONE)).hasSize(1);
    }

    @Test
    void theOwnersReportReplacesTheOutcomeThatTheTakerReported() {
        var owner = (ClaimReport)
                ended(ItemOutcome.SUCCEEDED, Duration.ofSeconds(1)).get(0);
        var taker = (ClaimReport) rows.of(new ItemTakenOver(
                        Claims.claim("job", "0", 2), Claims.claim("job", "0", 1), FailoverReason.CRASHED, NOW))
                .get(0);
        assertThat(taker.outcome()).isEqualTo(ClaimReport.LOST);
        assertThat(taker.merge(owner)).isEqualTo(owner.merge(taker));
        assertThat(taker.merge(owner).outcome()).isEqualTo("SUCCEEDED");
        assertThat(taker.merge(owner).fenced()).isTrue();
        assertThat(taker.merge(owner).cursorAfter()).isEqualTo(taker.cursorBefore());
    }

    /** The owner has lost its session after it had reported the failure, so the record has no end. */
    @Test
    void aFailedRunThatWasHandedOverDoesNotMoveTheCursor() {
        var owner =
                (ClaimReport) ended(ItemOutcome.FAILED, Duration.ofSeconds(1)).get(0);
        var taker = (ClaimReport) rows.of(new ItemTakenOver(
                        Claims.claim("job", "0", 2), Claims.claim("job", "0", 1), FailoverReason.HANDED_OVER, NOW))
                .get(0);
        assertThat(taker.merge(owner)).isEqualTo(owner.merge(taker));
        assertThat(taker.merge(owner).outcome()).isEqualTo("FAILED");
        assertThat(taker.merge(owner).cursorAfter()).isEqualTo(owner.cursorBefore());
    }

    @Test
    void anEndInTheRecordGivesWayToTheOwnersReport() {
        var owner = (ClaimReport)
                ended(ItemOutcome.SUCCEEDED, Duration.ofSeconds(1)).get(0);
        var read = (ClaimReport)
                rows.of(new RunRecorded(Claims.claim("job", "0", 1), ItemOutcome.SUCCEEDED, null, NOW, NOW, "i2", NOW))
                        .get(0);
        assertThat(read.merge(owner)).isEqualTo(owner.merge(read));
        assertThat(read.merge(owner).ran()).isEqualTo(Duration.ofSeconds(1));
        assertThat(read.ran()).isNull();
    }

    private static SkipRecorded skip(long count) {
        return new SkipRecorded(
                "job",
                "0",
                1,
                NOW.minusSeconds(90),
                NOW,
                NOW,
                count,
                SkipReason.PAUSED,
                NOW.minusSeconds(60),
                NOW,
                "i2",
                NOW);
    }

    @Test
    void onlyTheLevelThatHasAnAccountKeepsRowsWithoutFires() {
        configured(Schedule.onDemand(), HistoryLevel.ALL);
        assertThat(rows.of(skip(0))).hasSize(1);
        configured(Schedule.onDemand(), HistoryLevel.FAILURES);
        assertThat(rows.of(skip(0))).isEmpty();
        assertThat(rows.of(skip(1))).hasSize(1);
    }

    @Test
    void skippedFiresInTheRecordAreNotCountedAgain() {
        SkipRecorded event = skip(1);
        assertThat(rows.of(event)).singleElement().isInstanceOfSatisfying(Skipped.class, skip -> assertThat(
                        skip.recorded())
                .isTrue());
    }

    @Test
    void whatTheLevelLeavesOutIsNotRepaired() {
        configured(Schedule.onDemand(), HistoryLevel.FAILURES);
        assertThat(rows.of(
                        new RunRecorded(Claims.claim("job", "0", 1), ItemOutcome.SUCCEEDED, null, NOW, NOW, "i2", NOW)))
                .isEmpty();
    }

    /** The record shows a run that its taker has ended like every other ended run. */
    @Test
    void anInterruptedRunStaysInterruptedAfterARead() {
        var taker = (ClaimReport) rows.of(new RunLost(Claims.claim("job", "0", 1), ItemOutcome.INTERRUPTED, "i2", NOW))
                .get(0);
        var read = (ClaimReport) rows.of(new RunRecorded(
                        Claims.claim("job", "0", 1), ItemOutcome.INTERRUPTED, null, NOW, NOW, "i3", NOW))
                .get(0);
        assertThat(taker.merge(read)).isEqualTo(read.merge(taker));
        assertThat(read.merge(taker).fenced()).isTrue();
        assertThat(read.merge(taker).cursorAfter()).isEqualTo(NOW);
    }

    @Test
    void aFencedRunWhoseCodeDoesNotEndHasARow() {
        List<Row> fenced = rows.of(new RunFenced(Claims.claim("job", "0", 1), "session lost", NOW));
        assertThat(fenced.get(0)).isInstanceOfSatisfying(ClaimReport.class, run -> {
            assertThat(run.fenced()).isTrue();
            assertThat(run.outcome()).isEqualTo(ClaimReport.LOST);
        });
    }

    @Test
    void textsPassTheRedactor() {
        var run = (ClaimReport) rows.of(new RunEnded(
                        Claims.claim("job", "0", 1), 1, ItemOutcome.FAILED, "card 4711", NOW, Duration.ZERO, NOW, NOW))
                .get(0);
        assertThat(run.error()).isEqualTo("card ***");
        var triggered = (TriggeredRun) rows.of(new FireTriggered(
                        "job", "run", NOW, NOW, 1, "ann", "for 4711", null, Map.of("card", "4711\0"), "i1", NOW))
                .get(0);
        assertThat(triggered.reason()).isEqualTo("for ***");
        assertThat(triggered.parameters()).containsExactly(Map.entry("card", "*** "));
        assertThat(triggered.exact()).isFalse();
    }

    /** The redactor in this test does not recognise the beginning of a secret. */
    @Test
    void aSecretThatTheEngineHasCutIsNotStored() {
        var recorded = (ClaimReport) rows.of(new RunRecorded(
                        Claims.claim("job", "0", 1),
                        ItemOutcome.FAILED,
                        "no money on 4711: card=47…",
                        NOW,
                        NOW,
                        "i1",
                        NOW))
                .get(0);
        assertThat(recorded.error()).isEqualTo("no money on ***: …");
        var ended = (ClaimReport) rows.of(new RunEnded(
                        Claims.claim("job", "0", 1),
                        1,
                        ItemOutcome.FAILED,
                        "x".repeat(Texts.LONGEST - 2) + "4711",
                        NOW,
                        Duration.ZERO,
                        NOW,
                        NOW))
                .get(0);
        assertThat(ended.error()).endsWith("x**");
    }

    @Test
    void aRedactorThatFailsWithholdsTheText() {
        var failing = new EventRows(new Texts((job, kind, name, text) -> {
            throw new AssertionError();
        }));
        var run = (ClaimReport) failing.of(new RunEnded(
                        Claims.claim("job", "0", 1), 1, ItemOutcome.FAILED, "secret", NOW, Duration.ZERO, NOW, NOW))
                .get(0);
        assertThat(run.error()).contains("not stored").doesNotContain("secret");
    }

    @Test
    void aTriggeredRunHasOneRowForAllItsItems() {
        var event = new FireTriggered("job", "run", NOW, NOW, 2, null, null, null, Map.of(), "i1", NOW);
        assertThat(rows.of(event)).singleElement().isInstanceOfSatisfying(TriggeredRun.class, run -> assertThat(
                        run.exact())
                .isTrue());
        assertThat(rows.of(event)).isEmpty();
    }

    @Test
    void skippedFiresAreKeptWithTheirCursors() {
        var event = new FiresSkipped(
                "job",
                "0",
                1,
                NOW.minusSeconds(90),
                null,
                NOW,
                NOW,
                1,
                SkipReason.PAUSED,
                NOW.minusSeconds(60),
                NOW,
                "i1",
                NOW);
        assertThat(rows.of(event)).singleElement().isInstanceOfSatisfying(Skipped.class, skip -> {
            assertThat(skip.cursorAfter()).isEqualTo(NOW);
            assertThat(skip.opened()).isEqualTo(NOW.minusSeconds(90));
        });
    }

    /** The account reads the detail of this row. */
    @Test
    void aChangeOfTheCursorIsReadableForTheAccount() {
        var event =
                new CursorSetBack("job", "0", 3, 17, NOW.plusSeconds(9), NOW, "ann", "to 1, after\nrun 2", "i1", NOW);
        assertThat(rows.of(event)).singleElement().isInstanceOfSatisfying(HistoryEvent.class, row -> assertThat(
                        SetBack.of(row))
                .isEqualTo(new SetBack(3, 17, NOW, NOW)));
    }
}
