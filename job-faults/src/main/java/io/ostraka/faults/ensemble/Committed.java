package io.ostraka.faults.ensemble;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

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
    private Committed() {}

    /** Merges logs; the result is in the order of commitment. */
    static List<LoggedTransaction> of(List<List<LoggedTransaction>> logs) {
        NavigableMap<Integer, NavigableMap<Long, LoggedTransaction>> epochs = new TreeMap<>();
        Map<Long, Integer> copies = new HashMap<>();
        for (List<LoggedTransaction> log : logs) {
            long last = 0;
            for (LoggedTransaction transaction : log) {
                if (transaction.zxid() <= last) {
                    throw new IllegalStateException("a log goes back, to " + transaction);
                }
                last = transaction.zxid();
                LoggedTransaction other = epochs.computeIfAbsent(transaction.epoch(), epoch -> new TreeMap<>())
                        .putIfAbsent(transaction.counter(), transaction);
                if (other != null && !other.isSameAs(transaction)) {
                    throw new IllegalStateException("two logs contradict each other: " + other + ", " + transaction);
                }
                copies.merge(transaction.zxid(), 1, Integer::sum);
            }
        }
        List<List<LoggedTransaction>> committed = new ArrayList<>();
        int next = 0;
        for (var epoch : epochs.descendingMap().entrySet()) {
            long last = 0;
            for (LoggedTransaction transaction : epoch.getValue().values()) {
                if (copies.getOrDefault(transaction.zxid(), 0) > logs.size() / 2) {
                    last = transaction.counter();
                }
            }
            for (List<LoggedTransaction> log : logs) {
                last = Math.max(last, lastBefore(next, epoch.getKey(), log));
            }
            if (last > 0) {
                next = epoch.getKey();
                committed.add(withoutGap(epoch.getValue().headMap(last, true)));
            }
        }
        Collections.reverse(committed);
        return committed.stream().flatMap(List::stream).toList();
    }

    /** The counter of what stands directly before the first proposal of an epoch; 0 if that is not of the given one. */
    private static long lastBefore(int next, int epoch, List<LoggedTransaction> log) {
        for (int i = 1; i < log.size(); i++) {
            LoggedTransaction first = log.get(i);
            if (first.epoch() == next && first.counter() == 1 && log.get(i - 1).epoch() == epoch) {
                return log.get(i - 1).counter();
            }
        }
        return 0;
    }

    private static List<LoggedTransaction> withoutGap(NavigableMap<Long, LoggedTransaction> epoch) {
        long expected = 1;
        for (Map.Entry<Long, LoggedTransaction> each : epoch.entrySet()) {
            if (each.getKey() != expected++) {
                throw new IllegalStateException("no log has what was committed before " + each.getValue());
            }
        }
        return List.copyOf(epoch.values());
    }
}
