package io.ostraka.faults.soak;

import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Ledger;
import io.ostraka.faults.history.Write;
import io.ostraka.faults.worker.EventLog;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Records when each call of a once-listener returned, and finds the calls whose return a transaction records. */
final class OnceListenerCalls {
    /** A call of a once-listener in one process for one fire. */
    private record Call(String process, String job, String runId, boolean over) {}

    private final Map<Long, String> processes = new HashMap<>();
    private final Map<Call, EventLog.Line> returned = new HashMap<>();

    /** Takes a line of an event log. */
    void take(EventLog.Line line) {
        if (line.event() instanceof Event.Began began) {
            processes.put(Ledger.session(began.instance()), began.process());
        } else if (line.event() instanceof Event.Announced announced) {
            processes.put(Ledger.session(announced.instance()), announced.process());
            if (announced.returned()) {
                returned.put(new Call(announced.process(), announced.job(), announced.runId(), announced.over()), line);
            }
        }
    }

    /**
     * Returns the event log lines of the calls whose return the transaction records. In the merged history, these lines
     * must precede the transaction.
     */
    List<EventLog.Line> before(Event.Transaction transaction) {
        List<EventLog.Line> lines = new ArrayList<>();
        String process = processes.get(transaction.session());
        for (Write write : transaction.writes()) {
            String[] parts = write.path().split("/", -1);
            if (process == null || parts.length != 5 || !parts[3].equals("fires")) {
                continue;
            }
            String fire = parts[4];
            String runId = fire.matches("-?\\d+\\.\\d+")
                    ? parts[2] + "@" + Instant.ofEpochMilli(Long.parseLong(fire.substring(0, fire.indexOf('.'))))
                    : fire;
            for (boolean over : new boolean[] {false, true}) {
                EventLog.Line line = returned.get(new Call(process, parts[2], runId, over));
                if (line != null && !isIn(write, over ? "CLOSING" : "BEGINNING")) {
                    lines.add(line);
                }
            }
        }
        return lines;
    }

    private static boolean isIn(Write write, String phase) {
        String text = "\"phase\":\"" + phase + "\"";
        return (write instanceof Write.Changed changed && changed.data().contains(text))
                || (write instanceof Write.Created created && created.data().contains(text));
    }
}
