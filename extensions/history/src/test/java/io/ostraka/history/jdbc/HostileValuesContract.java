package io.ostraka.history.jdbc;

import static io.ostraka.history.jdbc.Samples.JOB;
import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.SkipReason;
import io.ostraka.history.row.AuditEntry;
import io.ostraka.history.row.ClaimReport;
import io.ostraka.history.row.HistoryEvent;
import io.ostraka.history.row.Measurement;
import io.ostraka.history.row.Skipped;
import io.ostraka.history.row.TriggeredRun;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Hostile values and concurrent writers with each database. */
abstract class HostileValuesContract extends WriterContract {
    private static final String CHARACTERS = "'\"\\`%_;--\n\t\u0001\uD83D\uDE00\u00DF\u6C49{}?$1:x";
    private static final String BROKEN = "a\0b\uD800c\uDC00";
    private static final Instant FIRST = Instant.ofEpochMilli(Long.MIN_VALUE);
    private static final Instant LAST = Instant.ofEpochMilli(Long.MAX_VALUE);

    private static ClaimReport run(String job, String item, String nonce, Instant at, String error, Duration ran) {
        return new ClaimReport(
                job,
                item,
                nonce,
                Long.MAX_VALUE,
                at,
                "r".repeat(255),
                at,
                true,
                Integer.MAX_VALUE,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                "i".repeat(255),
                at,
                at,
                at,
                true,
                ClaimReport.Decision.FENCED,
                Integer.MAX_VALUE,
                Integer.MAX_VALUE,
                "FAILED",
                error,
                at,
                at,
                ran,
                ClaimReport.Source.OWNER);
    }

    @Test
    void storesLongestNamesAndExtremeTimes() throws SQLException {
        create();
        String job = "j".repeat(128);
        String item = "k".repeat(255);
        ClaimReport last = run(job, item, "n".repeat(512), Instant.MAX, CHARACTERS, Duration.ofSeconds(Long.MAX_VALUE));
        ClaimReport first = run(job, item, "m".repeat(512), Instant.MIN, "x".repeat(5_000), Duration.ZERO);
        write(List.of(last, first));
        List<ClaimReport> stored = queries.claimsOfItem(job, item, null, 10).rows();
        assertThat(stored).containsExactly(ItemRunTable.stored(last), ItemRunTable.stored(first));
        assertThat(stored.get(0).error()).isEqualTo(CHARACTERS);
        assertThat(stored.get(0).fireTime()).isEqualTo(LAST);
        assertThat(stored.get(1).endedAt()).isEqualTo(FIRST);
        assertThat(stored.get(1).error()).hasSize(2_000);
        assertThat(queries.failures(null, 10).rows()).isEqualTo(stored);
        Page<ClaimReport> page = queries.claimsOfItem(job, item, null, 1);
        assertThat(Cursor.parse(page.next().text())).isEqualTo(page.next());
        assertThat(queries.claimsOfItem(job, item, page.next(), 1).rows()).containsExactly(stored.get(1));
    }

    @Test
    void replacesCharactersThatDatabasesRefuse() throws SQLException {
        create();
        write(List.of(
                run(JOB, "0", "n", Samples.START, BROKEN, Duration.ZERO),
                new HistoryEvent(HistoryEvent.Kind.FENCED, Samples.START, "i", JOB, "0", BROKEN)));
        assertThat(claims("0").get(0).error()).isEqualTo("a\uFFFDb\uFFFDc\uFFFD");
        assertThat(queries.events(JOB, null, 1).rows().get(0).detail()).isEqualTo("a\uFFFDb\uFFFDc\uFFFD");
    }

    @Test
    void shortensTexts() throws SQLException {
        create();
        String text = "\uD83D\uDE00".repeat(9_000);
        write(List.of(
                new AuditEntry(Samples.START, text, text, text, text, text, text, text, text, text),
                new HistoryEvent(HistoryEvent.Kind.LEVEL, Samples.START, "i", JOB, null, text),
                new TriggeredRun(
                        JOB,
                        "r",
                        Samples.START,
                        Samples.START,
                        1,
                        text,
                        text,
                        "o",
                        Map.of("a", text, "b", "short"),
                        true)));
        AuditEntry audit = queries.audit(null, 1).rows().get(0);
        assertThat(audit.actor()).hasSize(254).endsWith("\uD83D\uDE00");
        assertThat(audit.detail()).hasSize(4_000);
        TriggeredRun trigger =
                queries.run(JOB, "r", Samples.START).orElseThrow().trigger();
        assertThat(trigger.parameters().get("b")).isEqualTo("short");
        assertThat(trigger.parameters().get("a")).startsWith("\uD83D\uDE00").hasSizeLessThan(16_000);
        assertThat(trigger.exact()).isFalse();
    }

    @Test
    void sumsOfExtremeNumbersStayInRange() throws SQLException {
        create();
        var skip = new Skipped(
                JOB,
                "0",
                1,
                null,
                null,
                FIRST,
                LAST,
                Long.MAX_VALUE,
                SkipReason.MISFIRED.name(),
                null,
                null,
                "i",
                LAST,
                false);
        var measured = new Measurement(JOB, LAST, "SUCCEEDED", Long.MAX_VALUE, Duration.ofSeconds(Long.MAX_VALUE));
        for (int i = 0; i < 100; i++) {
            write(List.of(skip, measured, new Measurement(JOB, FIRST, "FAILED", 1, Duration.ofDays(999_999))));
        }
        assertThat(counts(JOB).keySet()).containsExactlyInAnyOrder("MISFIRED", "SUCCEEDED", "FAILED");
        assertThat(counts(JOB).values()).allMatch(each -> each >= 100);
    }

    /** Each report is written once, so a report that another thread's update overwrites is missing in the end. */
    @Test
    void concurrentWritersOfSameKeysLoseNothing() throws Exception {
        create();
        for (int round = 0; round < 10; round++) {
            List<List<ClaimReport>> reports = new ArrayList<>();
            for (int claim = 0; claim < 40; claim++) {
                reports.add(reports(Samples.owner(JOB, "0", "claim-" + round + "-" + claim, claim)));
            }
            if (round % 2 == 0) {
                write(
                        "first", // every other report replaces these
                        reports.stream()
                                .map(each -> Samples.report(
                                        each.get(0),
                                        ClaimReport.Source.TAKER,
                                        ClaimReport.Decision.OWNER,
                                        ClaimReport.LOST))
                                .toList());
            }
            together(4, thread -> () -> {
                List<ClaimReport> rows = new ArrayList<>();
                reports.forEach(each -> rows.add(each.get(thread)));
                Collections.shuffle(rows);
                write("spool-" + thread, rows);
                return null;
            });
            List<ClaimReport> expected = reports.stream()
                    .map(each -> each.subList(0, 4).stream()
                            .reduce(ClaimReport::merge)
                            .orElseThrow())
                    .toList();
            assertThat(claims("0"))
                    .as("round " + round)
                    .filteredOn(each ->
                            expected.stream().anyMatch(claim -> claim.nonce().equals(each.nonce())))
                    .containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    @Test
    void concurrentWritersAddUpRollups() throws Exception {
        create();
        together(4, thread -> () -> {
            for (int round = 0; round < 25; round++) {
                List<Measurement> rows = new ArrayList<>();
                for (String job : List.of("a", "b", "c")) {
                    for (String kind : List.of("SUCCEEDED", "FAILED", "PAUSED")) {
                        rows.add(new Measurement(job, Samples.minute(60L * round), kind, 1, Duration.ofMillis(7)));
                    }
                }
                Collections.shuffle(rows);
                write("spool-" + thread, rows);
            }
            return null;
        });
        for (String job : List.of("a", "b", "c")) {
            assertThat(counts(job)).isEqualTo(Map.of("SUCCEEDED", 100L, "FAILED", 100L, "PAUSED", 100L));
        }
    }
}
