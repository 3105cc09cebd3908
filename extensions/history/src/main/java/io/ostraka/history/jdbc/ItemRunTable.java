package io.ostraka.history.jdbc;

import io.ostraka.history.row.ClaimReport;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The table {@code item_run}: one row for each claim. */
final class ItemRunTable {
    static final Table TABLE = Table.of(
            "item_run",
            List.of("namespace", "job", "item", "nonce"),
            List.of(
                    "#incarnation",
                    "#opened",
                    "run_id",
                    "#fire_time",
                    "#triggered",
                    "#item_total",
                    "#run_number",
                    "#fencing_token",
                    "instance",
                    "#claimed_at",
                    "#cursor_before",
                    "#cursor_after",
                    "#fenced",
                    "decision",
                    "#attempts",
                    "#attempt",
                    "outcome",
                    "error",
                    "#started_at",
                    "#ended_at",
                    "#ran_ms",
                    "source",
                    "#failed"));

    /** Largest length of the description of a failure, in characters. */
    private static final int LONGEST_ERROR = 2_000;

    /**
     * Outcomes that do not count as failures in queries and in the retention. An outcome that a later version of the
     * library has added counts as a failure, so that failure queries return its rows and the retention keeps them for
     * longer.
     */
    private static final Set<String> NO_FAILURES = Set.of("SUCCEEDED", "CANCELLED", "SKIPPED");

    private ItemRunTable() {}

    /** Returns whether an outcome counts as a failure. */
    static boolean failed(String outcome) {
        return !NO_FAILURES.contains(outcome);
    }

    /** Returns a report as the table will return it: with times in whole milliseconds, and texts of limited length. */
    static ClaimReport stored(ClaimReport run) {
        return new ClaimReport(
                run.job(),
                run.item(),
                run.nonce(),
                run.incarnation(),
                run.opened() == null ? null : stored(run.opened()),
                run.runId(),
                stored(run.fireTime()),
                run.triggered(),
                run.shardingTotalCount(),
                run.runNumber(),
                run.fencingToken(),
                run.instance(),
                stored(run.claimedAt()),
                stored(run.cursorBefore()),
                stored(run.cursorAfter()),
                run.fenced(),
                run.decision(),
                run.attempts(),
                run.attempt(),
                run.outcome(),
                Values.textOrNull(run.error(), LONGEST_ERROR),
                run.startedAt() == null ? null : stored(run.startedAt()),
                stored(run.endedAt()),
                run.ran() == null ? null : Duration.ofMillis(Values.millis(run.ran())),
                run.source());
    }

    private static Instant stored(Instant at) {
        return Instant.ofEpochMilli(Values.millis(at));
    }

    /** Returns the values of a report that {@link #stored} has returned. */
    static List<@Nullable Object> values(String namespace, ClaimReport run) {
        return Arrays.<@Nullable Object>asList(
                namespace,
                run.job(),
                run.item(),
                run.nonce(),
                run.incarnation(),
                Values.millisOrNull(run.opened()),
                run.runId(),
                Values.millis(run.fireTime()),
                Values.flag(run.triggered()),
                (long) run.shardingTotalCount(),
                run.runNumber(),
                run.fencingToken(),
                run.instance(),
                Values.millis(run.claimedAt()),
                Values.millis(run.cursorBefore()),
                Values.millis(run.cursorAfter()),
                Values.flag(run.fenced()),
                run.decision().name(),
                (long) run.attempts(),
                (long) run.attempt(),
                run.outcome(),
                run.error(),
                Values.millisOrNull(run.startedAt()),
                Values.millis(run.endedAt()),
                Values.millisOrNull(run.ran()),
                run.source().name(),
                Values.flag(failed(run.outcome())));
    }

    static ClaimReport read(ResultSet row) throws SQLException {
        return new ClaimReport(
                row.getString("job"),
                row.getString("item"),
                row.getString("nonce"),
                row.getLong("incarnation"),
                Values.instantOrNull(row, "opened"),
                row.getString("run_id"),
                Values.instant(row, "fire_time"),
                row.getLong("triggered") != 0,
                row.getInt("item_total"),
                row.getLong("run_number"),
                row.getLong("fencing_token"),
                row.getString("instance"),
                Values.instant(row, "claimed_at"),
                Values.instant(row, "cursor_before"),
                Values.instant(row, "cursor_after"),
                row.getLong("fenced") != 0,
                Values.constant(row.getString("decision"), ClaimReport.Decision.OTHER),
                row.getInt("attempts"),
                row.getInt("attempt"),
                row.getString("outcome"),
                row.getString("error"),
                Values.instantOrNull(row, "started_at"),
                Values.instant(row, "ended_at"),
                Values.durationOrNull(row, "ran_ms"),
                Values.constant(row.getString("source"), ClaimReport.Source.OTHER));
    }
}
