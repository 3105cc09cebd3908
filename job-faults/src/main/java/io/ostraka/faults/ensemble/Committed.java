package io.ostraka.faults.ensemble;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What an ensemble has committed, of all that its servers have logged.
 *
 * <p>A leader numbers what it proposes without gaps, and all of an epoch is committed up to a last number. What stands
 * behind that is in the log of a leader that died, at most with one follower of its own, and was never committed: it is
 * cut off when that server follows again, or stays when the server is given a snapshot instead. The last number of an
 * epoch is the largest that
 * <ul>
 *   <li>most servers have logged: every later leader has it;
 *   <li>or stands directly before the first proposal of the next epoch that has committed anything: who logged that was in
 *       step with its leader, which proposes only what follows all that is committed. (Behind a snapshot a log goes on later
 *       than with the first.)
 * </ul>
 */
final class Committed {
    private final NavigableMap<Integer, NavigableMap<Long, LoggedTransaction>> epochs = new TreeMap<>();
    private final List<NavigableSet<Long>> logs = new ArrayList<>();

    /** Adds all that a server has logged. */
    void add(List<LoggedTransaction> log) {
        NavigableSet<Long> zxids = new TreeSet<>();
        for (LoggedTransaction transaction : log) {
            zxids.add(transaction.zxid());
            LoggedTransaction other = epochs.computeIfAbsent(transaction.epoch(), epoch -> new TreeMap<>())
                    .putIfAbsent(transaction.zxid(), transaction);
            if (other != null && !other.isSameAs(transaction)) {
                throw new IllegalStateException("two logs contradict each other: " + other + ", " + transaction);
            }
        }
        logs.add(zxids);
    }

    /** Returns what is committed by the logs added, in order. */
    List<LoggedTransaction> all() {
        List<List<LoggedTransaction>> committed = new ArrayList<>();
        long next = 0;
        for (NavigableMap<Long, LoggedTransaction> epoch :
                epochs.descendingMap().values()) {
            long last = last(epoch.navigableKeySet(), next);
            if (last != 0) {
                committed.add(withoutGap(epoch.headMap(last, true)));
                next = epoch.firstKey();
            }
        }
        Collections.reverse(committed);
        return committed.stream().flatMap(List::stream).toList();
    }

    /**
     * The last that is committed of an epoch; 0 if nothing is.
     *
     * @param next the first of the next epoch that has committed anything
     */
    private long last(NavigableSet<Long> epoch, long next) {
        long last = 0;
        for (NavigableSet<Long> log : logs) {
            Long before = log.contains(next) ? log.lower(next) : null;
            if (before != null && epoch.contains(before)) {
                last = Math.max(last, before);
            }
        }
        for (long zxid : epoch.tailSet(last, false)) {
            if (logs.stream().filter(log -> log.contains(zxid)).count() > logs.size() / 2) {
                last = zxid;
            }
        }
        return last;
    }

    private static List<LoggedTransaction> withoutGap(NavigableMap<Long, LoggedTransaction> epoch) {
        long expected = 1;
        for (LoggedTransaction each : epoch.values()) {
            if (each.counter() != expected++) {
                throw new IllegalStateException("no log has what was committed before " + each);
            }
        }
        return List.copyOf(epoch.values());
    }
}
