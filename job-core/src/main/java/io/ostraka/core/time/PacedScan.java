package io.ostraka.core.time;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * Spreads the visits to a set of keys evenly over a period. Each key is visited once per period. A check of a thousand
 * jobs thus never causes a burst of requests. Not thread-safe.
 */
public final class PacedScan {
    private final Duration round;
    /** Number of due visits, multiplied by the length of the period in nanoseconds to avoid fractions. */
    private long credit;

    private String last = "";

    /**
     * Creates a scan.
     *
     * @param round the period: time for one visit to every key
     */
    public PacedScan(Duration round) {
        this.round = round;
    }

    /**
     * Returns the keys to visit now.
     *
     * @param all all keys that exist now
     * @param elapsed time since the last call
     */
    public List<String> next(Collection<String> all, Duration elapsed) {
        TreeSet<String> keys = new TreeSet<>(all);
        long whole = round.toNanos();
        credit = Math.min(credit + keys.size() * Math.min(elapsed.toNanos(), whole), keys.size() * whole);
        int count = (int) (credit / whole);
        credit %= whole;
        List<String> turn = new ArrayList<>();
        while (turn.size() < count) {
            String next = keys.higher(last);
            last = next == null ? keys.first() : next;
            turn.add(last);
        }
        return turn;
    }
}
