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
 * One history of what several processes have recorded and what the servers have carried out.
 *
 * <p>What processes of one host record has one order, for they share a monotonic clock. Transactions have their own, by
 * number; but of their time the servers only keep the millisecond in which the leader took them up. So each is put where
 * that millisecond begins, not before the transaction that precedes it, and behind the end of a run that it says has ended,
 * if that was in the same millisecond or as little later as clocks are read apart. All that must precede it has been
 * recorded by then, and what follows from it has not. An end that comes later than that stays behind: it was told too early.
 * So it is with a fire that goes on because a once-listener has been told of it.
 */
final class MergedHistory {
    /** How far apart two readings of the same instant may be: of a millisecond that was cut off, and of clocks. */
    private static final long TOLERANCE_NANOS = 3_000_000;

    private MergedHistory() {}

    /**
     * Puts everything in one order.
     *
     * @param happened what was recorded, of any number of processes of this host
     * @param committed what the servers carried out, in its order
     */
    static List<Event> of(Collection<EventLog.Line> happened, List<Event.Transaction> committed) {
        List<EventLog.Line> lines = new ArrayList<>(happened);
        lines.sort(Comparator.comparingLong(EventLog.Line::nanos));
        Map<String, EventLog.Line> ends = new HashMap<>();
        var told = new Told();
        for (EventLog.Line line : lines) {
            if (line.event() instanceof Event.Ended ended) {
                ends.put(run(ended.run().item(), Ledger.claim(ended.run())), line);
            }
            told.take(line);
        }
        List<Event> history = new ArrayList<>(lines.size() + committed.size());
        Ledger ledger = new Ledger();
        int next = 0;
        for (Event.Transaction transaction : committed) {
            while (next < lines.size() && isBefore(lines.get(next), transaction.at())) {
                history.add(lines.get(next++).event());
            }
            List<EventLog.Line> causes = told.before(transaction);
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
