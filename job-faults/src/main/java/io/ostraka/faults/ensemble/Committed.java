package io.ostraka.faults.ensemble;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The committed transactions of an ensemble, derived from the logs of all its servers.
 *
 * <p>A leader numbers its proposals without gaps, and all proposals of an epoch up to a last number are committed.
 * Later proposals are in the log of a leader that died, and in the log of at most one of its followers; they were never
 * committed. They are truncated when the server follows again, or remain if the server receives a snapshot instead. The
 * last number of an epoch is the largest that
 * <ul>
 * <li>a majority of the servers have logged: every later leader has it;
 * <li>or that directly precedes, in one log, the first proposal of the next epoch with any committed transaction: that
 * server was in sync with its leader, whose proposals follow everything committed. (After a snapshot, a log continues
 * with a later proposal than the first.)
 * </ul>
 */
final class Committed {
    private final NavigableMap<Integer, NavigableMap<Long, LoggedTransaction>> epochs = new TreeMap<>();
    private final List<NavigableSet<Long>> logs = new ArrayList<>();

    /** Adds the log of a server. */
    void add(List<LoggedTransaction> log) {
        NavigableSet<Long> zxids = new TreeSet<>();
        for (LoggedTransaction transaction : log) {
            zxids.add(transaction.zxid());
            LoggedTransaction other = epochs.computeIfAbsent(transaction.epoch(), epoch -> new TreeMap<>())
                    .putIfAbsent(transaction.zxid(), transaction);
            if (other != null && !other.isSameAs(transaction)) {
                throw new IllegalStateException("two logs differ in one transaction: " + other + ", " + transaction);
            }
        }
        logs.add(zxids);
    }

    /** Returns the committed transactions of the added logs, in order. */
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
     * Returns the last committed transaction of an epoch; 0 if there is none.
     *
     * @param next first transaction of the next epoch with committed transactions
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
                throw new IllegalStateException("no log contains the transaction committed before " + each);
            }
        }
        return List.copyOf(epoch.values());
    }
}
