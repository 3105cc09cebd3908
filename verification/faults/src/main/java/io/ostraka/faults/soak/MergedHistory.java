package io.ostraka.faults.soak;

import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Item;
import io.ostraka.faults.history.Ledger;
import io.ostraka.faults.worker.EventLog;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Merges the events of several processes and the transactions of the servers into one history.
 *
 * <p>Processes of one host share a monotonic clock, so their events have one order. Transactions are ordered by their
 * numbers, but the servers record only the millisecond in which the leader received a transaction. A transaction is
 * therefore placed at the beginning of its millisecond, but never before the preceding transaction. There is one
 * exception: a transaction that completes a run is placed after the end of the run if the run ended within that
 * millisecond or within the tolerance of the clocks. In the history, all causes of a transaction are therefore before
 * it, and all its effects are after it. If the run ended later, it was completed too early, and its end remains after
 * the transaction. The same rule applies to a fire that continues after a call of a once-listener.
 */
final class MergedHistory {
    /**
     * Maximum difference between the times in two records of the same moment. It covers the fraction of a millisecond
     * that is cut off, and the difference between the clocks.
     */
    private static final long TOLERANCE_NANOS = 3_000_000;

    private MergedHistory() {}

    /**
     * Merges events and transactions into one history.
     *
     * @param happened recorded events, from any number of processes of this host
     * @param committed transactions of the servers, in their order
     */
    static List<Event> of(Collection<EventLog.Line> happened, List<Event.Transaction> committed) {
        List<EventLog.Line> lines = new ArrayList<>(happened);
        lines.sort(Comparator.comparingLong(EventLog.Line::nanos));
        Map<String, EventLog.Line> ends = new HashMap<>();
        var calls = new OnceListenerCalls();
        for (EventLog.Line line : lines) {
            if (line.event() instanceof Event.Ended ended) {
                ends.put(run(ended.run().item(), Ledger.claim(ended.run())), line);
            }
            calls.take(line);
        }
        List<Event> history = new ArrayList<>(lines.size() + committed.size());
        Ledger ledger = new Ledger();
        int next = 0;
        for (Event.Transaction transaction : committed) {
            while (next < lines.size() && isBefore(lines.get(next), transaction.at())) {
                history.add(lines.get(next++).event());
            }
            List<EventLog.Line> causes = calls.before(transaction);
            for (Ledger.Step step : ledger.take(transaction)) {
                EventLog.Line end = ends.get(run(step.item(), step.claim()));
                boolean itsOwn = step.kind() == Ledger.Kind.ENDED || step.kind() == Ledger.Kind.HANDED_OVER;
                if (itsOwn && end != null) {
                    causes.add(end);
                }
            }
            for (EventLog.Line cause : causes) {
                if (!isBefore(cause, transaction.at()) && isSoon(cause, transaction.at())) {
                    while (next < lines.size() && lines.get(next).nanos() <= cause.nanos()) {
                        history.add(lines.get(next++).event());
                    }
                }
            }
            history.add(transaction);
        }
        lines.subList(next, lines.size()).forEach(line -> history.add(line.event()));
        return history;
    }

    private static String run(Item item, long claim) {
        return item + " " + claim;
    }

    private static boolean isBefore(EventLog.Line line, Instant at) {
        return line.wall().isBefore(at);
    }

    private static boolean isSoon(EventLog.Line line, Instant at) {
        return line.wall().isBefore(at.plusNanos(TOLERANCE_NANOS));
    }
}
