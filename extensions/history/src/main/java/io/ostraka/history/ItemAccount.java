package io.ostraka.history;

import io.ostraka.api.SkipReason;
import io.ostraka.history.Account.Entry;
import io.ostraka.history.Account.State;
import io.ostraka.history.jdbc.ItemStart;
import io.ostraka.history.row.ClaimReport;
import io.ostraka.history.row.Skipped;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the fates of the fires of one item, and the gaps in which rows are missing. Rows without a gap have two
 * properties. First, the rows of one record follow each other without a break: each row covers the fires from the
 * cursor before its decision, exclusive, to the cursor after it, inclusive. This holds for every kind of schedule,
 * because each claim begins at the cursor that the previous decision has left. Second, the claims have consecutive run
 * numbers, so a missing run is noticed even if it did not move the cursor.
 */
final class ItemAccount {
    private final String item;
    private final Instant from;
    private final Instant to;
    private final Rows rows;
    private final List<Entry> entries = new ArrayList<>();
    private final List<Hole> holes = new ArrayList<>();
    private final List<Gap> gaps = new ArrayList<>();
    /** Cursor up to which the rows read so far cover the fires. */
    private Instant reached = Instant.MIN;
    /** Latest claim among the rows read so far. */
    private @Nullable ClaimReport latest;
    /** Life of the latest claim. */
    private @Nullable Life latestLife;
    /** Number of gaps before the latest claim. A gap after it already shows that a row after this claim is missing. */
    private int gapsBefore;

    private ItemAccount(String item, Instant from, Instant to, Rows rows) {
        this.item = item;
        this.from = from;
        this.to = to;
        this.rows = rows;
    }

    /**
     * The present state of an item.
     *
     * @param incarnation number of the item's set of records
     * @param cursor latest scheduled fire that the item has completed or skipped
     * @param runNumber number of the latest claim; 0 if the item has never run
     * @param running true if the run of this claim has not ended
     */
    record Present(long incarnation, Instant cursor, long runNumber, boolean running) {
        private long ended() {
            return running ? runNumber - 1 : runNumber;
        }
    }

    /**
     * Rows of an item.
     *
     * @param starts for each incarnation, the last row that ends before the period
     * @param runs runs of fires in the period, and runs before and after them that show gaps
     * @param skipped skipped fires in the period
     * @param setBacks operators' changes of the cursor
     */
    record Rows(
            Map<Long, ItemStart.Tile> starts, List<ClaimReport> runs, List<Skipped> skipped, List<SetBack> setBacks) {
        static Rows empty() {
            return new Rows(new TreeMap<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        }
    }

    /** A range of run numbers without rows, between two known numbers. The rows may exist outside the period. */
    record Hole(long after, long before) {}

    /**
     * A part of an item's history in which its cursor only advances, unless an operator sets it back. A new part begins
     * with a new incarnation, or with a new record in place of a lost one.
     *
     * @param restarts number of times that the incarnations of the item had begun again from 1, because its job was
     *     purged or ZooKeeper had lost its data
     */
    private record Life(int restarts, long incarnation, Instant opened) implements Comparable<Life> {
        static final Comparator<Life> ORDER = Comparator.comparing(Life::restarts)
                .thenComparing(Life::incarnation)
                .thenComparing(Life::opened);

        @Override
        public int compareTo(Life other) {
            return ORDER.compare(this, other);
        }
    }

    /** The rows of a life. */
    private static final class Own {
        final List<ClaimReport> runs = new ArrayList<>();
        final List<Skipped> skipped = new ArrayList<>();
        ItemStart.@Nullable Tile start;

        /** Returns the times of the decisions by the clocks of the instances, or the opening if none has a known time. */
        List<Instant> times(Life life) {
            List<Instant> times = Stream.concat(
                            runs.stream().map(ClaimReport::claimedAt),
                            skipped.stream().map(Skipped::at))
                    .toList();
            return times.isEmpty() ? List.of(life.opened) : times;
        }

        Instant first(Life life) {
            return Collections.min(times(life));
        }

        Instant last(Life life) {
            return Collections.max(times(life));
        }
    }

    /**
     * A row, with the part of the time line that it covers.
     *
     * @param part number of times that an operator had set back the cursor before this row
     * @param run the claim; null for other rows
     */
    private record Tile(int part, Instant before, Instant after, @Nullable ClaimReport run, @Nullable Entry entry) {
        /** If several rows begin at the same cursor, a skip comes last, because it moves the cursor. */
        static final Comparator<Tile> ORDER = Comparator.comparing(Tile::part)
                .thenComparing(Tile::before)
                .thenComparing(tile -> tile.run == null ? Long.MAX_VALUE : tile.run.runNumber())
                .thenComparing(Tile::after);

        /** Returns whether the row shows only a cursor, such as the last one of an item that ceases to exist. */
        boolean onlyCursor() {
            return run == null && entry == null;
        }
    }

    /**
     * A part of the time line in which rows are missing.
     *
     * @param runs number of runs without a row, as far as run numbers show it
     */
    private record Gap(long incarnation, Instant start, Instant end, long runs) {}

    /**
     * Returns the account of an item.
     *
     * @param from start of the period, exclusive
     * @param to end of the period, inclusive
     * @param rows rows of the item
     * @param present the present state; null if it is not known
     */
    static ItemAccount of(String item, Instant from, Instant to, Rows rows, @Nullable Present present) {
        var account = new ItemAccount(item, from, to, rows);
        TreeMap<Life, Own> lives = account.lives();
        Life before = null;
        for (Map.Entry<Life, Own> each : lives.entrySet()) {
            Life life = each.getKey();
            Own own = each.getValue();
            account.life(life, own, account.setBacks(life, own.runs, lives), before);
            before = life;
        }
        Map.Entry<Life, Own> last = lives.lastEntry();
        if (last == null) {
            account.empty(present);
        } else if (present != null) { // an item that no longer exists has no further fires
            account.end(last.getKey(), last.getValue(), present);
        }
        account.gaps.forEach(gap -> account.add(State.UNKNOWN, gap));
        account.entries.sort(Comparator.comparing(Entry::to).thenComparing(Entry::from));
        return account;
    }

    /** Returns the entries, in the order of their ends. */
    List<Entry> entries() {
        return List.copyOf(entries);
    }

    /** Returns the gaps of the period: the ranges of run numbers without rows. */
    List<Hole> holes() {
        return List.copyOf(holes);
    }

    /**
     * Returns the earliest time of the run that follows this one. Uses the claim's time for a manual trigger, whose
     * fire time may be any time.
     */
    static Instant time(ClaimReport run) {
        return run.triggered() ? run.claimedAt() : earlier(run.fireTime(), run.claimedAt());
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    private TreeMap<Life, Own> lives() {
        TreeMap<Life, Own> lives = new TreeMap<>();
        rows.starts.forEach((incarnation, start) -> known(lives, incarnation, start.opened()));
        rows.runs.forEach(run -> known(lives, run.incarnation(), run.opened()));
        rows.skipped.forEach(skip -> known(lives, skip.incarnation(), skip.opened()));
        rows.starts.forEach(
                (incarnation, start) -> own(lives, incarnation, start.opened(), start.cursorBefore()).start = start);
        rows.runs.forEach(run -> own(lives, run.incarnation(), run.opened(), run.cursorBefore())
                .runs
                .add(run));
        rows.skipped.forEach(skip -> own(lives, skip.incarnation(), skip.opened(), before(skip))
                .skipped
                .add(skip));
        return restarted(lives);
    }

    private static void known(Map<Life, Own> lives, long incarnation, @Nullable Instant opened) {
        if (opened != null) {
            lives.putIfAbsent(new Life(0, incarnation, opened), new Own());
        }
    }

    /**
     * Returns the rows of the life of a row. A row that does not show when its life opened belongs to the latest known
     * life of its incarnation that opened before it, because only the last rows of an incarnation may lack this value.
     *
     * @param opened null if the row does not show it
     * @param before cursor before the row
     */
    private static Own own(TreeMap<Life, Own> lives, long incarnation, @Nullable Instant opened, Instant before) {
        Life own = new Life(0, incarnation, opened == null ? before : opened);
        if (opened == null) {
            Life known = lives.floorKey(own);
            own = known != null && known.incarnation == incarnation ? known : own;
        }
        return lives.computeIfAbsent(own, key -> new Own());
    }

    /**
     * Counts the restarts of the incarnations. A life with a smaller incarnation than an earlier life shows a restart if
     * its cursor and all its rows are later: a wrong clock or an operator who sets a cursor back changes only one of
     * them.
     */
    private static TreeMap<Life, Own> restarted(TreeMap<Life, Own> lives) {
        TreeMap<Life, Own> ordered = new TreeMap<>();
        List<Map.Entry<Life, Own>> byTime = new ArrayList<>(lives.entrySet());
        byTime.sort(Comparator.comparing(each -> each.getValue().first(each.getKey())));
        int restarts = 0;
        long incarnation = 0;
        Instant opened = Instant.MIN;
        Instant last = Instant.MIN;
        for (Map.Entry<Life, Own> each : byTime) {
            Life life = each.getKey();
            Own own = each.getValue();
            if (life.incarnation < incarnation
                    && life.opened.isAfter(opened)
                    && own.first(life).isAfter(last)) {
                restarts++;
                incarnation = 0;
            }
            incarnation = Math.max(incarnation, life.incarnation);
            opened = later(opened, life.opened);
            last = later(last, own.last(life));
            ordered.put(new Life(restarts, life.incarnation, life.opened), own);
        }
        return ordered;
    }

    /**
     * Returns the changes in a life that set the cursor back, in their order. If a run begins with a smaller cursor
     * than the previous run, the cursor was set back, even if the event of this change is missing.
     */
    private List<SetBack> setBacks(Life life, List<ClaimReport> runs, TreeMap<Life, Own> lives) {
        List<SetBack> setBacks = new ArrayList<>();
        for (SetBack each : rows.setBacks) {
            int restarts = lives.entrySet().stream()
                    .filter(known -> !known.getValue().first(known.getKey()).isAfter(each.at()))
                    .mapToInt(known -> known.getKey().restarts)
                    .max()
                    .orElse(0);
            if (life.equals(lives.floorKey(new Life(restarts, each.incarnation(), each.to())))) {
                setBacks.add(each);
            }
        }
        runs.sort(Comparator.comparing(ClaimReport::runNumber));
        Instant cursor = life.opened;
        long last = 0;
        for (ClaimReport run : runs) {
            boolean back = run.cursorBefore().isBefore(cursor);
            long before = last;
            if (back
                    && setBacks.stream()
                            .noneMatch(each -> each.runNumber() >= before && each.runNumber() < run.runNumber())) {
                setBacks.add(new SetBack(life.incarnation, before, run.cursorBefore(), run.claimedAt()));
            }
            cursor = back ? run.cursorAfter() : later(cursor, run.cursorAfter());
            last = run.runNumber();
        }
        setBacks.sort(Comparator.comparing(SetBack::runNumber).thenComparing(SetBack::at));
        return setBacks;
    }

    private Tile tile(ClaimReport run, List<SetBack> setBacks) {
        Entry entry = null;
        if (run.triggered()) {
            boolean ended = !run.fenced() && !run.outcome().equals(ClaimReport.LOST);
            if (ended && run.fireTime().isAfter(from) && !run.fireTime().isAfter(to)) {
                entry = entry(run, state(run), run.fireTime(), run.fireTime());
            }
        } else if (run.cursorAfter().isAfter(run.cursorBefore())) {
            entry = entry(run, state(run), run.cursorBefore(), run.cursorAfter());
        }
        int part = (int) setBacks.stream()
                .filter(each -> each.runNumber() < run.runNumber())
                .count();
        return new Tile(part, run.cursorBefore(), run.cursorAfter(), run, entry);
    }

    private static State state(ClaimReport run) {
        return !run.understood() ? State.UNKNOWN : run.fenced() ? State.INTERRUPTED : State.RUN;
    }

    private static Entry entry(ClaimReport run, State state, Instant from, Instant to) {
        return new Entry(run.item(), run.incarnation(), state, from, to, 1, null, run.runId(), run.outcome());
    }

    private static Instant before(Skipped skip) {
        return skip.cursorBefore() == null ? skip.from() : skip.cursorBefore();
    }

    private static Tile tile(Skipped skip, List<SetBack> setBacks) {
        Instant before = before(skip);
        Instant after = skip.cursorAfter() == null ? skip.from() : skip.cursorAfter();
        int part = (int) setBacks.stream()
                .filter(each -> !before.isBefore(each.to()) && !skip.at().isBefore(each.at()))
                .count();
        if (skip.count() == 0) {
            return new Tile(part, before, after, null, null);
        }
        boolean triggered = skip.runId() != null;
        return new Tile(
                part,
                triggered ? after : before,
                after,
                null,
                new Entry(
                        skip.item(),
                        skip.incarnation(),
                        State.SKIPPED,
                        triggered ? skip.from() : skip.from().minusMillis(1),
                        skip.to(),
                        skip.count(),
                        skip.reason(),
                        skip.runId(),
                        null));
    }

    private void life(Life life, Own own, List<SetBack> setBacks, @Nullable Life before) {
        List<Tile> tiles = new ArrayList<>();
        own.runs.forEach(run -> tiles.add(tile(run, setBacks)));
        own.skipped.forEach(skip -> tiles.add(tile(skip, setBacks)));
        tiles.sort(Tile.ORDER);
        if (own.start != null) {
            reached = own.start.cursorAfter();
        } else if (own.skipped.stream().anyMatch(skip -> isFirst(life, skip))) {
            reached = life.opened;
        } else {
            // an incarnation can begin at an earlier cursor; if it begins at a later one, a row covers the time between
            reached = earlier(before == null ? from : reached, life.opened);
        }
        int part = 0;
        for (Tile tile : tiles) {
            for (; part < tile.part; part++) {
                setBack(life, own, setBacks.get(part).to());
            }
            if (tile.after.isAfter(tile.before) || tile.onlyCursor()) { // a manual trigger does not move the cursor
                gap(life.incarnation, reached, tile.before);
                reached = later(reached, tile.after);
            }
            if (tile.run != null) {
                claim(life, tile.run);
            }
            Entry entry = tile.entry;
            if (entry != null && entry.to().isAfter(from) && inPeriod(entry)) {
                entries.add(entry);
            }
        }
        for (; part < setBacks.size(); part++) {
            setBack(life, own, setBacks.get(part).to());
        }
    }

    /** Returns whether a row shows that the item began with this life, so that no fire came before it. */
    private static boolean isFirst(Life life, Skipped skip) {
        return skip.count() == 0
                && life.opened.equals(skip.cursorBefore())
                && life.opened.equals(skip.cursorAfter())
                && !skip.reason().equals(SkipReason.REMOVED.name());
    }

    /**
     * Continues the account at the cursor to which an operator has set the item back. The fires after this cursor run
     * again, and rows from before the change do not cover them.
     */
    private void setBack(Life life, Own own, Instant cursor) {
        gap(life.incarnation, reached, cursor);
        ItemStart.Tile start = own.start;
        reached = start != null && !start.cursorBefore().isBefore(cursor) ? start.cursorAfter() : cursor;
    }

    /** Compares the number of a claim with the number of the previous claim. */
    private void claim(Life life, ClaimReport run) {
        if (latest != null) {
            // the claims of a new record are numbered from 1
            boolean continues = life.equals(latestLife) || run.runNumber() > number(life);
            missing(
                    run.incarnation(),
                    new Hole(continues ? number(life) : 0, run.runNumber()),
                    time(latest),
                    run.claimedAt());
        } else if (life.opened.isAfter(from)) { // otherwise earlier rows may have been deleted because of their age
            missing(run.incarnation(), new Hole(0, run.runNumber()), life.opened, run.claimedAt());
        }
        latest = run;
        latestLife = life;
        gapsBefore = gaps.size();
    }

    /** Returns the number of the latest claim; 0 if the incarnations have begun again since then. */
    private long number(Life life) {
        return latest == null || latestLife == null || latestLife.restarts != life.restarts ? 0 : latest.runNumber();
    }

    /**
     * Adds the missing runs between two claims, if there are any.
     *
     * @param start time of the earlier claim
     * @param end time of the later claim
     */
    private void missing(long incarnation, Hole hole, Instant start, Instant end) {
        long runs = hole.before - hole.after - 1;
        if (runs <= 0) {
            return;
        }
        var between = new Gap(incarnation, start, later(start, end), runs);
        if (between.start.isBefore(to) && between.end.isAfter(from)) {
            holes.add(hole);
        }
        for (int i = gapsBefore; i < gaps.size(); i++) {
            Gap gap = gaps.get(i);
            if (gap.start.isBefore(to) && gap.end.isAfter(from)) { // a gap outside the period would hide the runs
                gaps.set(i, new Gap(gap.incarnation, gap.start, gap.end, runs));
                return;
            }
        }
        gaps.add(between);
    }

    private void end(Life last, Own own, Present present) {
        // an older state, from before the latest rows, has an earlier cursor
        boolean restarted = present.incarnation < last.incarnation && present.cursor.isAfter(own.last(last));
        Life life = restarted ? new Life(last.restarts + 1, present.incarnation, present.cursor) : last;
        if (present.incarnation >= life.incarnation) {
            gap(present.incarnation, reached, present.cursor);
            reached = present.incarnation == last.incarnation ? later(reached, present.cursor) : present.cursor;
        }
        Hole hole = new Hole(number(life), present.ended() + 1);
        if (latest != null) {
            missing(present.incarnation, hole, time(latest), to);
        } else if (life.opened.isAfter(from)) {
            missing(present.incarnation, hole, life.opened, to);
        }
        add(State.OPEN, new Gap(Math.max(life.incarnation, present.incarnation), reached, to, 0));
    }

    private boolean inPeriod(Entry entry) {
        return entry.state() == State.SKIPPED
                ? entry.from().isBefore(to)
                : !entry.to().isAfter(to);
    }

    /** Adds the entries of an item without rows. */
    private void empty(@Nullable Present present) {
        long incarnation = present == null ? 0 : present.incarnation;
        Instant decided = present == null ? from : present.cursor;
        gap(incarnation, from, decided);
        add(State.OPEN, new Gap(incarnation, later(from, decided), to, 0));
    }

    private void gap(long incarnation, Instant start, Instant end) {
        if (start.isBefore(end)) {
            gaps.add(new Gap(incarnation, start, end, 0));
        }
    }

    /** Adds the part of a gap that is in the period. */
    private void add(State state, Gap gap) {
        Instant begin = later(gap.start, from);
        Instant until = earlier(gap.end, to);
        // two claims at the same time may have missing runs between them
        boolean instant = gap.runs > 0 && gap.start.equals(gap.end) && begin.equals(until) && begin.isAfter(from);
        if (begin.isBefore(until) || instant) {
            entries.add(new Entry(item, gap.incarnation, state, begin, until, gap.runs, null, null, null));
        }
    }
}
