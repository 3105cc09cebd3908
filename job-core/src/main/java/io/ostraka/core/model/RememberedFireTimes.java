package io.ostraka.core.model;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The fire times of another schedule, which is evaluated once for each fire, however often and for whichever instants
 * the fire is asked for. Thousands of items of a job ask for the same few fires in one step. Not thread-safe; meant for
 * one step, because it forgets nothing.
 */
public final class RememberedFireTimes implements FireTimes {
    /** Number of fires that are evaluated one by one before a search for the last one begins. */
    private static final int FEW = 4;

    private final FireTimes all;
    private final boolean oneByOne;
    /** The first fire after an instant, by that instant. It is the first fire after each instant in between, too. */
    private final NavigableMap<Instant, Optional<Instant>> next = new TreeMap<>();

    private final Set<Instant> fires = new HashSet<>();
    private final Map<Latest, List<Instant>> latest = new HashMap<>();
    private final Map<Range, Long> counts = new HashMap<>();

    /** A question for the latest fires up to a fire, at most {@code max}. */
    private record Latest(Instant last, int max) {}

    /** A question for the number of fires from one fire to another. */
    private record Range(Instant first, Instant last) {}

    /**
     * Remembers the answers of other fire times.
     *
     * @param oneByOne true if they count their fires by evaluating one after the other. They are then not asked for a
     *     number, because most of these evaluations are remembered already
     */
    public RememberedFireTimes(FireTimes all, boolean oneByOne) {
        this.all = all;
        this.oneByOne = oneByOne;
    }

    @Override
    public Optional<Instant> next(Instant after) {
        Map.Entry<Instant, Optional<Instant>> known = next.floorEntry(after);
        if (known != null && isLater(known.getValue(), after)) {
            return known.getValue();
        }
        Optional<Instant> found = all.next(after);
        next.put(after, found);
        found.ifPresent(fires::add);
        return found;
    }

    private static boolean isLater(Optional<Instant> fire, Instant instant) {
        return fire.isEmpty() || fire.get().isAfter(instant);
    }

    @Override
    public List<Instant> latest(Instant after, Instant upTo, int max) {
        Instant last = last(after, upTo);
        if (last == null) {
            return List.of();
        }
        if (max == 1) {
            return List.of(last);
        }
        Instant first = next(after).orElse(last);
        Latest question = new Latest(last, max);
        List<Instant> known = latest.getOrDefault(question, List.of());
        int from = Collections.binarySearch(known, first);
        if (from < 0 && known.size() < max) {
            known = evaluated(first, last, max);
            latest.put(question, known);
            from = 0;
        }
        return from > 0 ? known.subList(from, known.size()) : known;
    }

    private List<Instant> evaluated(Instant first, Instant last, int max) {
        Deque<Instant> found = new ArrayDeque<>(List.of(last));
        while (found.size() < max && !found.getFirst().equals(first)) {
            Instant fire = found.getFirst();
            Map.Entry<Instant, Optional<Instant>> before = next.lowerEntry(fire);
            if (before == null || !before.getValue().equals(Optional.of(fire)) || !fires.contains(before.getKey())) {
                return all.latest(before(first), last, max);
            }
            found.addFirst(before.getKey());
        }
        return List.copyOf(found);
    }

    /** Returns the last fire in {@code (after, upTo]}; null if there is none. */
    private @Nullable Instant last(Instant after, Instant upTo) {
        Map.Entry<Instant, Optional<Instant>> known = next.floorEntry(upTo);
        while (known != null && isLater(known.getValue(), upTo)) {
            if (!known.getKey().isAfter(after)) {
                return null;
            }
            if (fires.contains(known.getKey())) {
                return known.getKey();
            }
            Map.Entry<Instant, Optional<Instant>> earlier = next.lowerEntry(known.getKey());
            if (earlier == null || !isLater(earlier.getValue(), upTo)) {
                break;
            }
            known = earlier;
        }
        Instant fire = after;
        for (int step = 0; step < FEW; step++) {
            Optional<Instant> later = next(fire);
            if (isLater(later, upTo)) {
                return step == 0 ? null : fire;
            }
            fire = later.get();
        }
        Instant last = all.latest(fire, upTo, 1).stream().findFirst().orElse(fire);
        fires.add(last);
        next(last); // from now on, all instants between this fire and the next one have the same answer
        return last;
    }

    private static Instant before(Instant instant) {
        return instant.minusMillis(1);
    }

    @Override
    public long count(Instant after, Instant upTo) {
        Instant last = last(after, upTo);
        if (last == null) {
            return 0;
        }
        Range range = new Range(next(after).orElse(last), last);
        Long known = counts.get(range);
        if (known == null) {
            known = count(range);
            counts.put(range, known);
        }
        return known;
    }

    private long count(Range range) {
        if (!oneByOne) {
            return all.count(before(range.first), range.last);
        }
        long count = 1;
        for (Instant fire = range.first; fire.isBefore(range.last) && count < COUNT_LIMIT; count++) {
            fire = next(fire).orElse(range.last);
        }
        return count;
    }

    @Override
    public long shortestGap() {
        return all.shortestGap();
    }

    @Override
    public boolean patient() {
        return all.patient();
    }
}
