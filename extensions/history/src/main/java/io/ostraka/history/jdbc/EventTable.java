package io.ostraka.history.jdbc;

import io.ostraka.history.row.AuditEntry;
import io.ostraka.history.row.HistoryEvent;
import io.ostraka.history.spool.Position;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tables {@code event} and {@code audit}. The key of a row is its position in its spool. */
final class EventTable {
    private static final List<String> KEY = List.of("source", "#segment", "#byte_offset");

    static final Table EVENT =
            Table.of("event", KEY, List.of("namespace", "kind", "#happened_at", "instance", "job", "item", "detail"));

    static final Table AUDIT = Table.of(
            "audit",
            KEY,
            List.of(
                    "namespace",
                    "#happened_at",
                    "request_id",
                    "actor",
                    "origin",
                    "actor_role",
                    "operation",
                    "target",
                    "reason",
                    "detail",
                    "outcome"));

    private static final int LONGEST_NAME = 255;
    private static final int LONGEST_REASON = 1_000;
    private static final int LONGEST_DETAIL = 4_000;

    private EventTable() {}

    static List<@Nullable Object> values(String namespace, String source, Position place, HistoryEvent event) {
        return Arrays.<@Nullable Object>asList(
                source,
                place.segment(),
                place.offset(),
                namespace,
                event.kind().name(),
                Values.millis(event.at()),
                event.instance(),
                event.job(),
                event.item(),
                Values.text(event.detail(), HistoryEvent.LONGEST_DETAIL));
    }

    static HistoryEvent readEvent(ResultSet row) throws SQLException {
        String name = row.getString("kind");
        HistoryEvent.Kind kind = Values.constant(name, HistoryEvent.Kind.OTHER);
        String detail = row.getString("detail");
        return new HistoryEvent(
                kind,
                Values.instant(row, "happened_at"),
                row.getString("instance"),
                row.getString("job"),
                row.getString("item"),
                kind == HistoryEvent.Kind.OTHER ? name + ": " + detail : detail);
    }

    static List<@Nullable Object> values(String namespace, String source, Position place, AuditEntry entry) {
        return Arrays.<@Nullable Object>asList(
                source,
                place.segment(),
                place.offset(),
                namespace,
                Values.millis(entry.at()),
                Values.text(entry.requestId(), LONGEST_NAME),
                Values.text(entry.actor(), LONGEST_NAME),
                Values.text(entry.origin(), LONGEST_NAME),
                Values.text(entry.role(), LONGEST_NAME),
                Values.text(entry.operation(), LONGEST_NAME),
                Values.text(entry.target(), LONGEST_NAME),
                Values.text(entry.reason(), LONGEST_REASON),
                Values.text(entry.detail(), LONGEST_DETAIL),
                Values.textOrNull(entry.outcome(), LONGEST_NAME));
    }

    static AuditEntry readAudit(ResultSet row) throws SQLException {
        return new AuditEntry(
                Values.instant(row, "happened_at"),
                row.getString("request_id"),
                row.getString("actor"),
                row.getString("origin"),
                row.getString("actor_role"),
                row.getString("operation"),
                row.getString("target"),
                row.getString("reason"),
                row.getString("detail"),
                row.getString("outcome"));
    }
}
