package io.ostraka.history.jdbc;

import io.ostraka.history.row.Skipped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The table {@code skipped}: fires that an item skipped. */
final class SkippedTable {
    static final Table TABLE = Table.of(
            "skipped",
            List.of("namespace", "job", "item", "#incarnation", "#first_fire", "run_id", "reason", "#cursor_before"),
            List.of("#last_fire", "#fires", "#opened", "#cursor_after", "instance", "#decided_at"));

    private SkippedTable() {}

    static List<@Nullable Object> values(String namespace, Skipped row) {
        return Arrays.<@Nullable Object>asList(
                namespace,
                row.job(),
                row.item(),
                row.incarnation(),
                Values.millis(row.from()),
                row.runId() == null ? "" : row.runId(),
                row.reason(),
                Values.millis(row.cursorBefore() == null ? row.from() : row.cursorBefore()),
                Values.millis(row.to()),
                row.count(),
                Values.millisOrNull(row.opened()),
                Values.millisOrNull(row.cursorAfter()),
                row.instance(),
                Values.millis(row.at()));
    }

    static Skipped read(ResultSet row) throws SQLException {
        String runId = row.getString("run_id");
        return new Skipped(
                row.getString("job"),
                row.getString("item"),
                row.getLong("incarnation"),
                Values.instantOrNull(row, "opened"),
                runId.isEmpty() ? null : runId,
                Values.instant(row, "first_fire"),
                Values.instant(row, "last_fire"),
                row.getLong("fires"),
                row.getString("reason"),
                runId.isEmpty() ? Values.instant(row, "cursor_before") : null,
                Values.instantOrNull(row, "cursor_after"),
                row.getString("instance"),
                Values.instant(row, "decided_at"),
                false);
    }
}
