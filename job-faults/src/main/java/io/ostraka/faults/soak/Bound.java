package io.ostraka.faults.soak;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * What recoveries of one sort may take, and what they took.
 *
 * @param name what is bounded
 * @param limitMillis how long each may take
 * @param judged how many there were
 * @param worstMillis how long the slowest took
 * @param broken those that took longer
 */
record Bound(String name, long limitMillis, long judged, long worstMillis, List<String> broken) {
    /** Copies. */
    Bound {
        broken = List.copyOf(broken);
    }

    /** Judges one more. */
    Bound with(long millis, String what) {
        List<String> all = new ArrayList<>(broken);
        if (millis > limitMillis) {
            all.add(what);
        }
        return new Bound(name, limitMillis, judged + 1, Math.max(worstMillis, millis), all);
    }

    /** Adds several of one sort up. */
    static Bound sum(Collection<Bound> parts) {
        Bound first = parts.iterator().next();
        return new Bound(
                first.name,
                first.limitMillis,
                parts.stream().mapToLong(Bound::judged).sum(),
                parts.stream().mapToLong(Bound::worstMillis).max().orElse(0),
                parts.stream().flatMap(part -> part.broken.stream()).toList());
    }
}
