package io.ostraka.faults.soak;

import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Item;
import io.ostraka.faults.history.Violation;
import io.ostraka.faults.history.Write;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Events in words that fit on a line. */
final class Telling {
    private static final int LONGEST = 900;

    private Telling() {}

    /** Tells what shows a violation, of transactions only what they did to the item that runs in it, if one does. */
    static List<String> of(Violation violation) {
        @Nullable Item item = violation.trail().stream()
                .filter(event -> event instanceof Event.OfRun)
                .map(event -> ((Event.OfRun) event).run().item())
                .findFirst()
                .orElse(null);
        return violation.trail().stream().map(event -> of(event, item)).toList();
    }

    /** Tells an event, of a transaction only what it did to the item, if one is given. */
    static String of(Event event, @Nullable Item item) {
        String what = event.toString();
        if (event instanceof Event.Transaction transaction) {
            String writes = transaction.writes().stream()
                    .filter(write -> item == null || isOf(write, item))
                    .map(Write::toString)
                    .collect(Collectors.joining("; "));
            what = "transaction 0x" + Long.toHexString(transaction.zxid()) + " of session 0x"
                    + Long.toHexString(transaction.session()) + (transaction.endsSession() ? ", its end" : "") + ": "
                    + writes;
        }
        return event.at() + " " + (what.length() > LONGEST ? what.substring(0, LONGEST) + " ..." : what);
    }

    private static boolean isOf(Write write, Item item) {
        return new Event.Transaction(0, Instant.EPOCH, 0, false, List.of(write)).concerns(item);
    }
}
