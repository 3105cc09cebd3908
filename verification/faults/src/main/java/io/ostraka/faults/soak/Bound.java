package io.ostraka.faults.soak;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The time limit for recoveries of one kind, and their measured times.
 *
 * @param name name of the limit
 * @param limitMillis longest permitted time of each recovery
 * @param judged number of recoveries
 * @param worstMillis time of the slowest recovery
 * @param broken descriptions of the recoveries that took longer
 */
record Bound(String name, long limitMillis, long judged, long worstMillis, List<String> broken) {
    /** Copies the list. */
    Bound {
        broken = List.copyOf(broken);
    }

    /** Adds the time of a further recovery. */
    Bound with(long millis, String what) {
        List<String> all = new ArrayList<>(broken);
        if (millis > limitMillis) {
            all.add(what);
        }
        return new Bound(name, limitMillis, judged + 1, Math.max(worstMillis, millis), all);
    }

    /** Adds up several bounds of one kind. */
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
