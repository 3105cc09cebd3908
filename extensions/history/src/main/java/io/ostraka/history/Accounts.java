package io.ostraka.history;

import io.ostraka.api.HistoryLevel;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.Operations;
import io.ostraka.history.Account.Entry;
import io.ostraka.history.ItemAccount.Hole;
import io.ostraka.history.ItemAccount.Present;
import io.ostraka.history.ItemAccount.Rows;
import io.ostraka.history.jdbc.AccountQueries;
import io.ostraka.history.jdbc.Cursor;
import io.ostraka.history.jdbc.HistoryDatabase;
import io.ostraka.history.jdbc.ItemStart;
import io.ostraka.history.jdbc.Page;
import io.ostraka.history.row.ClaimReport;
import io.ostraka.history.row.HistoryEvent;
import io.ostraka.history.row.Skipped;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Shows the fate of each fire of a job, from the history's rows and the present state of the items. Thread-safe. */
public final class Accounts {
    private static final int MOST_ROWS = 100_000;
    private static final int PAGE = 1_000;
    /** Size of a page of runs of one item after the period, of which the first one is usually enough. */
    private static final int FOLLOWING = 10;

    private final AccountQueries queries;
    private final Operations operations;
    private final int mostRows;

    /** Reads the page that follows a cursor. */
    @FunctionalInterface
    private interface Pages<T> {
        Page<T> read(@Nullable Cursor after) throws SQLException;
    }

    /**
     * Creates the accounts of a namespace.
     *
     * @param operations views of the same namespace, which show the present state of the items
     */
    public Accounts(HistoryDatabase database, String namespace, Operations operations) {
        this(new AccountQueries(database, namespace), operations, MOST_ROWS);
    }

    /** @param mostRows largest number of rows of one account */
    Accounts(AccountQueries queries, Operations operations, int mostRows) {
        this.queries = queries;
        this.operations = operations;
        this.mostRows = mostRows;
    }

    /**
     * Returns the fate of each scheduled fire of a job in a period.
     *
     * @param from start of the period, exclusive
     * @param to end of the period, inclusive
     * @throws IllegalArgumentException if the period is empty
     * @throws SQLException if the database does not answer
     * @throws io.ostraka.api.CoordinationException if ZooKeeper does not answer, or if the job does not exist
     */
    public Account account(String job, Instant from, Instant to) throws SQLException {
        if (!from.isBefore(to)) {
            throw new IllegalArgumentException("the period from " + from + " to " + to + " is empty");
        }
        // The present state is read before the rows, so that rows that are written meanwhile only add to it.
        Map<String, Present> present = new TreeMap<>();
        for (ItemDetails item : operations.items(job, Set.of())) {
            if (item.decidedUpTo() != null) {
                present.put(
                        item.item(),
                        new Present(
                                item.incarnation(),
                                item.decidedUpTo().truncatedTo(ChronoUnit.MILLIS),
                                item.run() == null ? 0 : item.run().number(),
                                item.run() != null && item.run().endedAt() == null));
            }
        }
        return queries.snapshot(same -> new Accounts(same, operations, mostRows).account(job, from, to, present));
    }

    private Account account(String job, Instant from, Instant to, Map<String, Present> present) throws SQLException {
        String refusal = levelRefusal(job, from, to);
        if (refusal != null) {
            return new Account(job, from, to, refusal, List.of());
        }
        Map<String, Rows> rows = new TreeMap<>();
        present.keySet().forEach(item -> rows.put(item, Rows.empty()));
        int count = read(
                after -> queries.claims(job, from, to, after, PAGE),
                (ClaimReport run) -> of(rows, run.item()).runs().add(run));
        count += read(
                after -> queries.skipped(job, from, to, after, PAGE),
                (Skipped skip) -> of(rows, skip.item()).skipped().add(skip));
        count += read(after -> queries.starts(job, from, after, PAGE), (ItemStart start) -> {
            Rows own = of(rows, start.item());
            if (start.last() != null) {
                own.starts().put(start.incarnation(), start.last());
            }
            own.runs().addAll(start.claims());
            own.skipped().addAll(start.across());
        });
        if (count > mostRows) {
            return tooLong(job, from, to);
        }
        addFollowing(job, to, rows, present);
        read(after -> queries.setBacks(job, after, PAGE), (HistoryEvent event) -> {
            SetBack setBack = SetBack.of(event);
            Rows own = event.item() == null ? null : rows.get(event.item());
            if (setBack != null && own != null) {
                own.setBacks().add(setBack);
            }
        });
        List<Entry> entries = new ArrayList<>();
        for (Map.Entry<String, Rows> each : rows.entrySet()) {
            String item = each.getKey();
            ItemAccount account = ItemAccount.of(item, from, to, each.getValue(), present.get(item));
            if (!account.holes().isEmpty()) {
                count += fill(job, item, to, each.getValue(), account.holes());
                if (count > mostRows) {
                    return tooLong(job, from, to);
                }
                account = ItemAccount.of(item, from, to, each.getValue(), present.get(item));
            }
            entries.addAll(account.entries());
        }
        return new Account(job, from, to, null, entries);
    }

    private Account tooLong(String job, Instant from, Instant to) {
        return new Account(
                job, from, to, "the period has more than " + mostRows + " rows; choose a shorter one", List.of());
    }

    /**
     * Adds the rows that fill holes in the run numbers: runs whose fires are outside the period, such as the runs of a
     * backfill. Returns the number of rows read.
     */
    private int fill(String job, String item, Instant to, Rows rows, List<Hole> holes) throws SQLException {
        Set<String> known = new HashSet<>();
        rows.runs().forEach(run -> known.add(run.nonce()));
        int count = 0;
        for (Hole hole : holes) {
            Cursor after = null;
            boolean continues = true;
            while (continues && count <= mostRows) {
                Page<ClaimReport> page = queries.claims(job, item, hole.after(), hole.before(), after, PAGE);
                page.rows().stream().filter(run -> known.add(run.nonce())).forEach(rows.runs()::add);
                count += page.rows().size();
                after = page.next();
                continues = after != null
                        && !ItemAccount.time(page.rows().get(page.rows().size() - 1))
                                .isAfter(to);
            }
        }
        return count;
    }

    /**
     * Adds, for each item whose cursor is after the period, the first row after the period. This row shows that the
     * item had no fire between its last row in the period and the end of the period. Does the same for each item that no
     * longer exists and has later runs.
     */
    private void addFollowing(String job, Instant to, Map<String, Rows> rows, Map<String, Present> present)
            throws SQLException {
        Set<String> waiting = new HashSet<>();
        Instant latest = to;
        for (Map.Entry<String, Present> each : present.entrySet()) {
            if (each.getValue().cursor().isAfter(to)) {
                waiting.add(each.getKey());
                latest = latest.isAfter(each.getValue().cursor())
                        ? latest
                        : each.getValue().cursor();
            }
        }
        Instant end = latest;
        Instant before = to;
        Map<String, Instant> bounds = new HashMap<>(); // cursors up to which the runs after the period are read
        waiting.forEach(item -> bounds.put(item, end));
        for (Map.Entry<String, Rows> each : rows.entrySet()) {
            if (!present.containsKey(each.getKey())) {
                Instant bound = addNext(job, each.getKey(), each.getValue(), to);
                bounds.put(each.getKey(), bound);
                before = before.isAfter(bound) ? before : bound;
            }
        }
        Cursor after = null;
        for (int read = 0; !waiting.isEmpty() && read <= mostRows; read += PAGE) {
            Page<ClaimReport> page = queries.claims(job, to, end, after, PAGE);
            for (ClaimReport run : page.rows()) {
                if (!run.triggered() && run.cursorAfter().isAfter(run.cursorBefore()) && waiting.remove(run.item())) {
                    of(rows, run.item()).runs().add(run);
                    bounds.put(run.item(), run.cursorBefore());
                    before = before.isAfter(run.cursorBefore()) ? before : run.cursorBefore();
                }
            }
            after = page.next();
            if (after == null) {
                break;
            }
        }
        Instant until = waiting.isEmpty() || before.isAfter(end) ? before : end;
        if (until.isAfter(to)) {
            read(next -> queries.skipped(job, to, until, next, PAGE), (Skipped skip) -> {
                if (!skip.from().isAfter(bounds.getOrDefault(skip.item(), to))) {
                    of(rows, skip.item()).skipped().add(skip);
                }
            });
        }
    }

    /**
     * Adds the runs that follow the known runs of an item, up to the first one with a cursor after the period. Returns
     * the cursor before the last one; {@code to} if there is none.
     */
    private Instant addNext(String job, String item, Rows rows, Instant to) throws SQLException {
        long last = rows.runs().stream().mapToLong(ClaimReport::runNumber).max().orElse(0);
        Instant bound = to;
        Cursor after = null;
        int read = 0;
        do {
            Page<ClaimReport> page = queries.claims(job, item, last, Long.MAX_VALUE, after, FOLLOWING);
            for (ClaimReport run : page.rows()) {
                rows.runs().add(run);
                bound = run.cursorBefore();
                if (run.cursorAfter().isAfter(to)) {
                    return bound;
                }
            }
            read += page.rows().size();
            after = page.next();
        } while (after != null && read <= mostRows);
        return bound;
    }

    private static Rows of(Map<String, Rows> rows, String item) {
        return rows.computeIfAbsent(item, key -> Rows.empty());
    }

    /** Reads all pages, but stops after more than the largest number of rows. Returns the number of rows read. */
    private <T> int read(Pages<T> pages, Consumer<T> row) throws SQLException {
        int count = 0;
        Cursor after = null;
        do {
            Page<T> page = pages.read(after);
            page.rows().forEach(row);
            count += page.rows().size();
            after = page.next();
        } while (after != null && count <= mostRows);
        return count;
    }

    /** Returns the reason why the job has no account in the period; null if it has one. */
    private @Nullable String levelRefusal(String job, Instant from, Instant to) throws SQLException {
        Map<String, HistoryEvent> before = new HashMap<>();
        Cursor after = null;
        boolean any = false;
        do {
            Page<HistoryEvent> page = queries.levels(job, to, after, PAGE);
            for (HistoryEvent event : page.rows()) {
                any = true;
                boolean counts = event.at().isAfter(from) || before.isEmpty();
                if (!event.at().isAfter(from)) {
                    before.put(event.instance(), event);
                }
                if (counts && !event.detail().equals(HistoryLevel.ALL.toString())) {
                    return "the history of the job has the level " + event.detail() + " since " + event.at()
                            + "; only a job with the level ALL in the whole period has an account";
                }
            }
            after = page.next();
        } while (after != null && before.isEmpty());
        return any ? null : "the history does not know the job before " + to;
    }
}
