package io.ostraka.core.time;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * Deals out keys evenly over a stretch of time, each once in it, so that looking at a thousand things now and then is never
 * a burst. Not thread-safe.
 */
public final class PacedScan {
    private final Duration round;
    /** Keys that are due, times the round's nanoseconds. */
    private long credit;

    private String last = "";

    /** Makes a pass that takes this long for all. */
    public PacedScan(Duration round) {
        this.round = round;
    }

    /**
     * Returns whose turn it is.
     *
     * @param all the keys there are now
     * @param elapsed since the last call
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
