package io.ostraka.history;

import io.ostraka.history.Account.Entry;
import io.ostraka.history.Account.State;
import io.ostraka.history.jdbc.ItemStart;
import io.ostraka.history.row.ItemRun;
import io.ostraka.history.row.LeftOut;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Accounts for the fires of one item. The rows of one incarnation tile its time: each row covers the fires from its
 * cursor before, exclusive, to its cursor after, inclusive. A gap between two rows is unknown. This holds for every kind
 * of schedule, because each claim begins with the cursor that the last decision has left.
 */
final class ItemAccount {
    private final String item;
    private final Instant from;
    private final Instant to;
    private final List<Entry> entries = new ArrayList<>();

    private ItemAccount(String item, Instant from, Instant to) {
        this.item = item;
        this.from = from;
        this.to = to;
    }

    /**
     * The present state of an item.
     *
     * @param incarnation number of the item's set of records
     * @param cursor latest scheduled fire that the item has completed or skipped
     * @param ran true if the item has ever run
     */
    record Present(long incarnation, Instant cursor, boolean ran) {}

    /**
     * Rows of an item.
     *
     * @param starts for each incarnation, the last row that ends before the period
     * @param runs runs of fires in the period
     * @param leftOut fires in the period that did not run
     */
    record Rows(Map<Long, ItemStart.Tile> starts, List<ItemRun> runs, List<LeftOut> leftOut) {
        static Rows empty() {
            return new Rows(new TreeMap<>(), new ArrayList<>(), new ArrayList<>());
        }
    }

    /** A part of the time line that a row covers. */
    private record Tile(Instant before, Instant after, @Nullable Entry entry) {}

    /**
     * Returns the entries of an item.
     *
     * @param from start of the period, exclusive
     * @param to end of the period, inclusive
     * @param rows rows of the item
     * @param present the present state; null if it is not known
     */
    static List<Entry> of(String item, Instant from, Instant to, Rows rows, @Nullable Present present) {
        var account = new ItemAccount(item, from, to);
        TreeMap<Long, List<Tile>> tiles = new TreeMap<>();
        Map<Long, Instant> opened = new TreeMap<>();
        rows.starts.forEach((incarnation, start) -> {
            tiles.computeIfAbsent(incarnation, key -> new ArrayList<>())
                    .add(new Tile(start.cursorBefore(), start.cursorAfter(), null));
            opened.put(incarnation, start.cursorBefore());
        });
        for (ItemRun run : rows.runs) {
            tiles.computeIfAbsent(run.incarnation(), key -> new ArrayList<>()).add(account.tile(run));
            opened.putIfAbsent(run.incarnation(), run.opened());
        }
        for (LeftOut left : rows.leftOut) {
            List<Tile> own = tiles.computeIfAbsent(left.incarnation(), key -> new ArrayList<>());
            own.add(account.tile(left));
            if (left.opened() != null) {
                opened.putIfAbsent(left.incarnation(), left.opened());
            }
        }
        long latest = tiles.isEmpty() ? 0 : tiles.lastKey();
        tiles.forEach((incarnation, own) -> {
            boolean last = incarnation == latest;
            account.incarnation(incarnation, own, opened.get(incarnation), last ? present : null, last);
        });
        if (tiles.isEmpty()) {
            account.empty(present);
        }
        account.entries.sort(Comparator.comparing(Entry::to).thenComparing(Entry::from));
        return List.copyOf(account.entries);
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    private Tile tile(ItemRun run) {
        Entry entry = null;
        if (run.triggered()) {
            boolean ended = !run.fenced() && !run.outcome().equals(ItemRun.LOST);
            if (ended && run.fireTime().isAfter(from) && !run.fireTime().isAfter(to)) {
                entry = entry(run, state(run), run.fireTime(), run.fireTime());
            }
        } else if (run.cursorAfter().isAfter(run.cursorBefore())) {
            entry = entry(run, state(run), run.cursorBefore(), run.cursorAfter());
        }
        return new Tile(run.cursorBefore(), run.cursorAfter(), entry);
    }

    private static State state(ItemRun run) {
        return !run.understood() ? State.UNKNOWN : run.fenced() ? State.INTERRUPTED : State.RUN;
    }

    private static Entry entry(ItemRun run, State state, Instant from, Instant to) {
        return new Entry(run.item(), run.incarnation(), state, from, to, 1, null, run.runId(), run.outcome());
    }

    private Tile tile(LeftOut left) {
        Instant before = left.cursorBefore() == null ? left.from() : left.cursorBefore();
        Instant after = left.cursorAfter() == null ? left.from() : left.cursorAfter();
        boolean triggered = left.runId() != null;
        Instant start = triggered ? left.from() : later(before, left.from().minusMillis(1));
        return new Tile(
                triggered ? after : before,
                after,
                new Entry(
                        left.item(),
                        left.incarnation(),
                        State.LEFT_OUT,
                        start,
                        left.to(),
                        left.count(),
                        left.reason(),
                        left.runId(),
                        null));
    }

    private void incarnation(
            long incarnation, List<Tile> tiles, @Nullable Instant opened, @Nullable Present present, boolean last) {
        tiles.sort(Comparator.comparing(Tile::before).thenComparing(Tile::after));
        Instant reached = opened == null ? tiles.get(0).before() : opened;
        for (Tile tile : tiles) {
            if (tile.after.isAfter(tile.before)) { // a manual trigger does not move the cursor
                if (tile.before.isAfter(reached)) {
                    gap(incarnation, State.UNKNOWN, reached, tile.before);
                }
                reached = later(reached, tile.after);
            }
            Entry entry = tile.entry;
            if (entry != null && entry.to().isAfter(from) && inPeriod(entry)) {
                entries.add(entry);
            }
        }
        if (present != null && present.incarnation == incarnation && present.cursor.isAfter(reached)) {
            gap(incarnation, State.UNKNOWN, reached, present.cursor);
            reached = present.cursor;
        }
        if (last && present != null) { // an item that no longer exists has no further fires
            gap(incarnation, State.OPEN, reached, to);
        }
    }

    private boolean inPeriod(Entry entry) {
        return entry.state() == State.LEFT_OUT
                ? entry.from().isBefore(to)
                : !entry.to().isAfter(to);
    }

    /** Accounts for an item without rows. */
    private void empty(@Nullable Present present) {
        long incarnation = present == null ? 0 : present.incarnation;
        Instant decided = present == null || !present.ran ? from : present.cursor;
        gap(incarnation, State.UNKNOWN, from, decided);
        gap(incarnation, State.OPEN, later(from, decided), to);
    }

    /** Adds the part of a gap that is in the period. */
    private void gap(long incarnation, State state, Instant start, Instant end) {
        Instant begin = later(start, from);
        Instant until = earlier(end, to);
        if (begin.isBefore(until)) {
            entries.add(new Entry(item, incarnation, state, begin, until, 0, null, null, null));
        }
    }
}
