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
 * <p>A leader numbers the proposals of its epoch without gaps. The proposals up to some number are committed. The later
 * proposals were never committed: they are only in the log of the leader, which died, and in the log of at most one
 * follower. Each of these two servers deletes them from its log when it follows a leader again, unless it receives a
 * snapshot instead.
 *
 * <p>If a proposal is committed, all earlier proposals of its epoch are committed too. Two rules find committed
 * proposals:
 * <ul>
 * <li>A proposal is committed if a majority of the servers have logged it.
 * <li>A proposal is committed if, in one log, the next entry is the first proposal of a later epoch, and that epoch has
 * committed transactions. The server of this log was then in sync with the later leader, and that leader had all
 * committed proposals. The next entry must be the first proposal of its epoch, because a log that continues after a
 * snapshot lacks entries.
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
     * Returns the number of the last committed transaction of an epoch; 0 if there is none.
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
