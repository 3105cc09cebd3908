package io.ostraka.faults.soak;

import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Item;
import io.ostraka.faults.history.Violation;
import io.ostraka.faults.history.Write;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Formats events as single lines. */
final class EventText {
    private static final int LONGEST = 900;

    private EventText() {}

    /**
     * Formats the events of a violation. If one of the events belongs to a run, the line of a transaction contains only
     * the writes that concern the run's item.
     */
    static List<String> of(Violation violation) {
        @Nullable Item item = violation.trail().stream()
                .filter(event -> event instanceof Event.OfRun)
                .map(event -> ((Event.OfRun) event).run().item())
                .findFirst()
                .orElse(null);
        return violation.trail().stream().map(event -> of(event, item)).toList();
    }

    /**
     * Formats an event. If an item is given, the line of a transaction contains only the writes that concern this item.
     */
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

    /**
     * Returns whether an event may explain why an item runs or does not run: it concerns the item, or an instance that
     * can run it.
     */
    static boolean concerns(Event event, Item item) {
        return event.concerns(item)
                || event instanceof Event.Killed
                || (event instanceof Event.Transaction transaction
                        && (transaction.endsSession()
                                || transaction.writes().stream().anyMatch(write -> isOf(write, item))));
    }

    private static boolean isOf(Write write, Item item) {
        String path = write.path();
        return isOfItem(write, item)
                || path.startsWith("/instances/")
                || path.startsWith("/leader/")
                || path.equals("/jobs/" + item.job() + "/sharding");
    }

    private static boolean isOfItem(Write write, Item item) {
        return new Event.Transaction(0, Instant.EPOCH, 0, false, List.of(write)).concerns(item);
    }
}
