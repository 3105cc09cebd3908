package io.ostraka.history;

import io.ostraka.history.Account.Entry;
import io.ostraka.history.Account.State;
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
 * cursor before, exclusive, to its cursor after, inclusive. A gap between two rows is unknown, and so is a gap between
 * two run numbers.
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
     * @param runNumber number of the latest claim; 0 if there was none
     */
    record Present(long incarnation, Instant cursor, long runNumber) {}

    /** A part of the time line that a row covers. */
    private record Tile(Instant before, Instant after, @Nullable Entry entry) {}

    /**
     * Returns the entries of an item.
     *
     * @param from start of the period, exclusive
     * @param to end of the period, inclusive
     * @param runs rows of the item whose fires may be in the period, and for each incarnation the last row before it
     * @param leftOut skipped fires, likewise
     * @param present the present state; null if it is not known
     */
    static List<Entry> of(
            String item,
            Instant from,
            Instant to,
            List<ItemRun> runs,
            List<LeftOut> leftOut,
            @Nullable Present present) {
        var account = new ItemAccount(item, from, to);
        Map<Long, List<Tile>> tiles = new TreeMap<>();
        Map<Long, Instant> opened = new TreeMap<>();
        for (ItemRun run : runs) {
            tiles.computeIfAbsent(run.incarnation(), key -> new ArrayList<>()).add(account.tile(run));
            opened.merge(run.incarnation(), run.opened(), ItemAccount::earlier);
        }
        for (LeftOut left : leftOut) {
            List<Tile> own = tiles.computeIfAbsent(left.incarnation(), key -> new ArrayList<>());
            own.add(account.tile(left));
            if (left.opened() != null) {
                opened.merge(left.incarnation(), left.opened(), ItemAccount::earlier);
            }
        }
        long latest = tiles.isEmpty() ? 0 : ((TreeMap<Long, List<Tile>>) tiles).lastKey();
        tiles.forEach((incarnation, own) -> {
            boolean last = incarnation == latest;
            account.incarnation(incarnation, own, opened.get(incarnation), last ? present : null, last);
        });
        if (tiles.isEmpty()) {
            account.empty(present);
        }
        account.runNumbers(runs, present);
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
                entry = entry(run, State.RUN, run.fireTime(), run.fireTime());
            }
        } else if (run.cursorAfter().isAfter(run.cursorBefore())) {
            entry = entry(
                    run, run.fenced() ? State.INTERRUPTED : State.RUN, run.cursorBefore(), run.cursorAfter());
        }
        return new Tile(run.cursorBefore(), run.cursorAfter(), entry);
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
            if (tile.before.isAfter(reached)) {
                gap(incarnation, State.UNKNOWN, reached, tile.before);
            }
            reached = later(reached, tile.after);
            Entry entry = tile.entry;
            if (entry != null && entry.to().isAfter(from) && !entry.from().isAfter(to)) {
                entries.add(entry);
            }
        }
        if (present != null && present.incarnation == incarnation && present.cursor.isAfter(reached)) {
            gap(incarnation, State.UNKNOWN, reached, present.cursor);
            reached = present.cursor;
        }
        if (last) {
            gap(incarnation, State.OPEN, reached, to);
        }
    }

    /** Accounts for an item without rows. */
    private void empty(@Nullable Present present) {
        long incarnation = present == null ? 0 : present.incarnation;
        Instant decided = present == null || present.runNumber == 0 ? from : present.cursor;
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

    /** Adds gaps in the run numbers that no gap of the time line shows, such as those of triggered runs. */
    private void runNumbers(List<ItemRun> runs, @Nullable Present present) {
        List<ItemRun> sorted = new ArrayList<>(runs);
        sorted.sort(Comparator.comparing(ItemRun::incarnation)
                .thenComparing(ItemRun::opened)
                .thenComparing(ItemRun::runNumber));
        for (int i = 1; i < sorted.size(); i++) {
            ItemRun before = sorted.get(i - 1);
            ItemRun after = sorted.get(i);
            if (after.runNumber() > before.runNumber() + 1) { // a smaller number follows when a record was lost
                missing(
                        after.incarnation(),
                        before.claimedAt(),
                        after.claimedAt(),
                        after.runNumber() - before.runNumber() - 1);
            }
        }
        if (!sorted.isEmpty() && present != null) {
            ItemRun last = sorted.get(sorted.size() - 1);
            if (present.runNumber > last.runNumber() + 1) { // the latest run may not have ended
                missing(present.incarnation, last.claimedAt(), to, present.runNumber - last.runNumber() - 1);
            }
        }
    }

    private void missing(long incarnation, Instant start, Instant end, long count) {
        Instant begin = later(start, from);
        Instant until = earlier(end, to);
        boolean shown = entries.stream()
                .anyMatch(entry -> entry.state() == State.UNKNOWN
                        && entry.from().isBefore(later(end, until))
                        && !entry.to().isBefore(begin.minusMillis(1)));
        if (!shown && begin.isBefore(until)) {
            entries.add(new Entry(item, incarnation, State.UNKNOWN, begin, until, count, null, null, null));
        }
    }
}
