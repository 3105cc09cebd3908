package io.ostraka.history.jdbc;

import io.ostraka.history.row.ClaimReport;
import io.ostraka.history.row.HistoryEvent;
import io.ostraka.history.row.Skipped;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Queries for the fate of each fire in a range of scheduled fires of a job. They return pages; see {@link Queries} for
 * the arguments and exceptions. Thread-safe.
 */
public final class AccountQueries {
    /**
     * Largest number of rows to read. An item has one row for each reason for which it skipped the same fires, and
     * further ones after each set-back of its cursor. There are 14 reasons, so twice as many rows are enough.
     */
    private static final int MOST_REASONS = 2 * 14;

    private final HistoryDatabase database;
    private final String namespace;
    private final @Nullable Connection snapshot;

    /** Reads with queries that see the same rows. */
    @FunctionalInterface
    public interface Reading<T> {
        /** Returns what the queries have read. Only valid during this call. */
        T read(AccountQueries queries) throws SQLException;
    }

    /**
     * Creates the queries.
     *
     * @param namespace namespace of the rows; empty if the jobs have none
     */
    public AccountQueries(HistoryDatabase database, String namespace) {
        this(database, namespace, null);
    }

    private AccountQueries(HistoryDatabase database, String namespace, @Nullable Connection snapshot) {
        this.database = database;
        this.namespace = namespace;
        this.snapshot = snapshot;
    }

    /**
     * Reads with queries that do not see rows that are written meanwhile.
     *
     * @param reading called again if the transaction conflicts with another one
     */
    public <T> T snapshot(Reading<T> reading) throws SQLException {
        return database.snapshot(connection -> reading.read(new AccountQueries(database, namespace, connection)));
    }

    private PageQuery query(Cursor.Order order, int limit) {
        return new PageQuery(database, snapshot, namespace, order, limit);
    }

    /**
     * Returns the claims of scheduled fires and of manual triggers, in the order of the fires.
     *
     * @param from the fires are later than this instant
     * @param to latest fire
     */
    public Page<ClaimReport> claims(String job, Instant from, Instant to, @Nullable Cursor after, int limit)
            throws SQLException {
        return query(Cursor.Order.CLAIMS_IN_RANGE, limit)
                .and("job = ?", job)
                .and("fire_time > ?", Values.millis(from))
                .and("fire_time <= ?", Values.millis(to))
                .after(after)
                .page(ItemRunTable.TABLE, "item_run_fire", ItemRunTable::read);
    }

    /**
     * Returns the claims of an item with certain run numbers, in the order of these numbers.
     *
     * @param number the run numbers are larger than this one
     * @param before the run numbers are smaller than this one
     */
    public Page<ClaimReport> claims(
            String job, String item, long number, long before, @Nullable Cursor after, int limit) throws SQLException {
        return query(Cursor.Order.CLAIMS_BY_NUMBER, limit)
                .and("job = ?", job)
                .and("item = ?", item)
                .and("run_number > ?", number)
                .and("run_number < ?", before)
                .after(after)
                .page(ItemRunTable.TABLE, "item_run_number", ItemRunTable::read);
    }

    /**
     * Returns the rows of skipped scheduled fires, in the order of their first fires. Rows whose first fire is not
     * later than {@code from} are missing; {@link #starts} returns those that overlap the range.
     *
     * @param from the first fires are later than this instant
     * @param to latest first fire
     */
    public Page<Skipped> skipped(String job, Instant from, Instant to, @Nullable Cursor after, int limit)
            throws SQLException {
        return query(Cursor.Order.SKIPPED_IN_RANGE, limit)
                .and("job = ?", job)
                .and("first_fire > ?", Values.millis(from))
                .and("first_fire <= ?", Values.millis(to))
                .and("run_id = ''")
                .after(after)
                .page(SkippedTable.TABLE, "skipped_fire", SkippedTable::read);
    }

    /**
     * Returns the changes of the level of a job's history, latest first.
     *
     * @param until latest change
     */
    public Page<HistoryEvent> levels(String job, Instant until, @Nullable Cursor after, int limit) throws SQLException {
        return events(job, HistoryEvent.Kind.LEVEL, limit)
                .and("happened_at <= ?", Values.millis(until))
                .after(after)
                .page(EventTable.EVENT, "event_kind", EventTable::readEvent);
    }

    /** Returns the changes of cursors by operators, latest first. */
    public Page<HistoryEvent> setBacks(String job, @Nullable Cursor after, int limit) throws SQLException {
        return events(job, HistoryEvent.Kind.CURSOR_SET_BACK, limit)
                .after(after)
                .page(EventTable.EVENT, "event_kind", EventTable::readEvent);
    }

    private PageQuery events(String job, HistoryEvent.Kind kind, int limit) {
        return query(Cursor.Order.EVENTS, limit).and("job = ?", job).and("kind = ?", kind.name());
    }

    /**
     * Returns the items of a job that have rows, in the order of their keys and incarnations. Each item comes with its
     * last rows before a range of fires. Reads only a few rows for each item, through an index.
     *
     * @param from the range begins after this instant
     */
    public Page<ItemStart> starts(String job, Instant from, @Nullable Cursor after, int limit) throws SQLException {
        PageQuery.requireLimit(limit);
        List<Object> key = after == null ? List.of("", Long.MIN_VALUE) : after.values(Cursor.Order.ITEMS);
        if (!PageQuery.canMatch(database, List.of(job, key.get(0)))) {
            return new Page<>(List.of(), null);
        }
        HistoryDatabase.Work<Page<ItemStart>> page = connection -> {
            try (var statements = new Statements(connection, job, Values.millis(from))) {
                return statements.page((String) key.get(0), (Long) key.get(1), limit);
            }
        };
        return snapshot == null ? database.transaction(page) : page.run(snapshot);
    }

    /** Statements that find the items of a job one after the other. A single query for all would read all rows. */
    private final class Statements implements AutoCloseable {
        private final String job;
        private final long from;
        private final PreparedStatement next;
        private final PreparedStatement moving;
        private final PreparedStatement latest;
        private final PreparedStatement skipped;

        Statements(Connection connection, String job, long from) throws SQLException {
            this.job = job;
            this.from = from;
            String first = database.dialect().first(1);
            String claims = " FROM " + database.from(ItemRunTable.TABLE, "item_run_item");
            String skips = " FROM " + database.from(SkippedTable.TABLE, HistoryDatabase.PRIMARY);
            // The next key has the same item or a later item. These are separate queries, because MySQL then uses a
            // range of an index for each.
            next = connection.prepareStatement("SELECT item, incarnation FROM ("
                    + following(claims, "item = ? AND incarnation > ?") + " UNION ALL "
                    + following(claims, "item > ?") + " UNION ALL "
                    + following(skips, "item = ? AND incarnation > ?") + " UNION ALL "
                    + following(skips, "item > ?") + ") n ORDER BY item, incarnation" + first);
            String item = " WHERE namespace = ? AND job = ? AND item = ? AND incarnation = ?";
            String before = "SELECT *" + claims + item + " AND fire_time <= ?";
            String last = " ORDER BY fire_time DESC, run_number DESC, nonce DESC" + first;
            moving = connection.prepareStatement(
                    before + " AND triggered = 0 AND cursor_after > cursor_before AND cursor_after <= ?" + last);
            latest = connection.prepareStatement(before + last);
            skipped = connection.prepareStatement("SELECT *" + skips + item + " AND first_fire <= ? AND run_id = ''"
                    + " ORDER BY first_fire DESC, run_id DESC, reason DESC"
                    + database.dialect().first(MOST_REASONS));
        }

        private String following(String table, String condition) {
            return "(SELECT item, incarnation" + table + " WHERE namespace = ? AND job = ? AND " + condition
                    + " ORDER BY item, incarnation" + database.dialect().first(1) + ")";
        }

        Page<ItemStart> page(String afterItem, long afterIncarnation, int limit) throws SQLException {
            List<ItemStart> starts = new ArrayList<>();
            String item = afterItem;
            long incarnation = afterIncarnation;
            while (true) {
                PageQuery.bind(
                        next,
                        List.of(
                                namespace,
                                job,
                                item,
                                incarnation,
                                namespace,
                                job,
                                item,
                                namespace,
                                job,
                                item,
                                incarnation,
                                namespace,
                                job,
                                item));
                try (ResultSet row = next.executeQuery()) {
                    if (!row.next()) {
                        return new Page<>(starts, null);
                    }
                    if (starts.size() == limit) {
                        return new Page<>(starts, Cursor.after(Cursor.Order.ITEMS, item, incarnation));
                    }
                    item = row.getString("item");
                    incarnation = row.getLong("incarnation");
                }
                starts.add(start(item, incarnation));
            }
        }

        private ItemStart start(String item, long incarnation) throws SQLException {
            ItemStart.Tile last = null;
            Set<ClaimReport> claims = new LinkedHashSet<>();
            PageQuery.bind(moving, List.of(namespace, job, item, incarnation, from, from));
            try (ResultSet row = moving.executeQuery()) {
                if (row.next()) {
                    ClaimReport run = ItemRunTable.read(row);
                    last = new ItemStart.Tile(run.opened(), run.cursorBefore(), run.cursorAfter());
                    claims.add(run);
                }
            }
            PageQuery.bind(latest, List.of(namespace, job, item, incarnation, from));
            try (ResultSet row = latest.executeQuery()) {
                if (row.next()) {
                    claims.add(ItemRunTable.read(row));
                }
            }
            List<Skipped> across = new ArrayList<>();
            PageQuery.bind(skipped, List.of(namespace, job, item, incarnation, from));
            try (ResultSet rows = skipped.executeQuery()) {
                while (rows.next()) {
                    Skipped row = SkippedTable.read(rows);
                    // the cursor may have advanced beyond the last skipped fire
                    if (Values.millis(row.cursorAfter() == null ? row.to() : row.cursorAfter()) > from) {
                        across.add(row);
                    }
                    last = later(last, row);
                }
            }
            return new ItemStart(item, incarnation, last, List.copyOf(claims), across);
        }

        private ItemStart.@Nullable Tile later(ItemStart.@Nullable Tile last, Skipped row) {
            if (row.cursorBefore() == null
                    || row.cursorAfter() == null
                    || Values.millis(row.cursorAfter()) > from
                    || (last != null && !row.cursorAfter().isAfter(last.cursorAfter()))) {
                return last;
            }
            return new ItemStart.Tile(row.opened(), row.cursorBefore(), row.cursorAfter());
        }

        @Override
        public void close() throws SQLException {
            try (next;
                    moving;
                    latest;
                    skipped) {
                // the end of the block closes all statements
            }
        }
    }
}
