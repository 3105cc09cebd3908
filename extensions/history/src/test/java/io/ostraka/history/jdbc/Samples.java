package io.ostraka.history.jdbc;

import io.ostraka.api.SkipReason;
import io.ostraka.history.row.AuditEntry;
import io.ostraka.history.row.ClaimReport;
import io.ostraka.history.row.HistoryEvent;
import io.ostraka.history.row.Skipped;
import io.ostraka.history.row.TriggeredRun;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** Rows for tests. */
final class Samples {
    static final Instant START = Instant.parse("2026-03-01T00:00:00Z");
    static final String JOB = "settle";

    private Samples() {}

    static Instant minute(long n) {
        return START.plusSeconds(60 * n);
    }

    /** Returns the report of the owner of a scheduled fire, which succeeded. */
    static ClaimReport owner(String job, String item, long minute) {
        return owner(job, item, item + "/" + minute, minute);
    }

    static ClaimReport owner(String job, String item, String nonce, long minute) {
        return new ClaimReport(
                job,
                item,
                nonce,
                1,
                START,
                job + "@" + minute(minute),
                minute(minute),
                false,
                3,
                minute,
                1_000 + minute,
                "instance-1",
                minute(minute).plusMillis(5),
                minute(minute - 1),
                minute(minute),
                false,
                ClaimReport.Decision.OWNER,
                1,
                1,
                "SUCCEEDED",
                null,
                minute(minute).plusMillis(10),
                minute(minute).plusMillis(110),
                Duration.ofMillis(100),
                ClaimReport.Source.OWNER);
    }

    /** Returns another report about the claim of a report. */
    static ClaimReport report(
            ClaimReport run, ClaimReport.Source source, ClaimReport.Decision decision, String outcome) {
        boolean taker = source == ClaimReport.Source.TAKER;
        return new ClaimReport(
                run.job(),
                run.item(),
                run.nonce(),
                run.incarnation(),
                source == ClaimReport.Source.RECORD ? null : run.opened(),
                run.runId(),
                run.fireTime(),
                run.triggered(),
                run.shardingTotalCount(),
                run.runNumber(),
                taker ? 0 : run.fencingToken(),
                run.instance(),
                run.claimedAt(),
                run.cursorBefore(),
                taker || decision == ClaimReport.Decision.FENCED ? run.cursorBefore() : run.cursorAfter(),
                taker || decision == ClaimReport.Decision.FENCED,
                decision,
                taker ? 0 : run.attempts(),
                run.attempt(),
                outcome,
                outcome.equals("SUCCEEDED") ? null : "because of " + outcome,
                taker ? null : run.startedAt(),
                taker ? run.endedAt().plusSeconds(outcome.length()) : run.endedAt(),
                source == ClaimReport.Source.OWNER ? run.ran() : null,
                source);
    }

    /** Returns the next claim of the same fire, by another claim's report. */
    static ClaimReport next(ClaimReport run, String nonce) {
        return new ClaimReport(
                run.job(),
                run.item(),
                nonce,
                run.incarnation(),
                run.opened(),
                run.runId(),
                run.fireTime(),
                run.triggered(),
                run.shardingTotalCount(),
                run.runNumber() + 1,
                run.fencingToken() + 1,
                run.instance(),
                run.claimedAt(),
                run.cursorBefore(),
                run.cursorAfter(),
                run.fenced(),
                run.decision(),
                run.attempts(),
                run.attempt() + 1,
                run.outcome(),
                run.error(),
                run.startedAt(),
                run.endedAt(),
                run.ran(),
                run.source());
    }

    static Skipped skipped(String job, String item, long first, long last, SkipReason reason) {
        return new Skipped(
                job,
                item,
                1,
                START,
                null,
                minute(first),
                minute(last),
                last - first + 1,
                reason.name(),
                minute(first - 1),
                minute(last),
                "instance-1",
                minute(last + 1),
                false);
    }

    static HistoryEvent event(HistoryEvent.Kind kind, String job, long minute) {
        return new HistoryEvent(kind, minute(minute), "instance-1", job, null, kind + " at " + minute);
    }

    static AuditEntry audit(long minute) {
        return audit("request-" + minute, minute);
    }

    static AuditEntry audit(String requestId, long minute) {
        return new AuditEntry(minute(minute), requestId, "ann", "10.0.0.1", "ADMIN", "PAUSE", JOB, "why", "", "DONE");
    }

    static TriggeredRun trigger(String job, String runId, long minute) {
        return new TriggeredRun(
                job,
                runId,
                minute(minute),
                minute(minute),
                3,
                "ann",
                "late data",
                null,
                Map.of("date", "2026-03-01"),
                true);
    }
}
