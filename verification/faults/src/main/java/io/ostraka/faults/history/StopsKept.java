package io.ostraka.faults.history;

import java.time.Instant;
import java.util.Map;

/**
 * Checks I4: the stop of a fire by an operator exists until every item that the stop concerns has decided the fire. At
 * the end of the calm phase, no stop of a decided fire is left.
 */
final class StopsKept extends Invariant {
    private static final String STOPS = "/stops/";
    /** Names of the nodes of scheduled fires. */
    private static final String SCHEDULED = "-?[0-9]+\\.[0-9]+";

    @Override
    void transaction(Event.Transaction transaction, State before) {
        for (Write write : transaction.writes()) {
            if (write instanceof Write.Deleted && isStop(write.path())) {
                expect(decided(write.path(), before), "a stop is deleted after the end of its fire", write, null);
            }
        }
    }

    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Over) {
            before.below("/stops").keySet().stream()
                    .filter(StopsKept::isStop)
                    .forEach(path -> expect(
                            !decided(path, before) || future(path, event.at()) || lost(path, before),
                            "in the calm every stop is of a fire that has not ended",
                            path,
                            null));
        }
    }

    /**
     * Returns whether a stopped fire is not due yet. This is possible if an operator has set back a cursor that had
     * passed the fire.
     */
    private static boolean future(String path, Instant now) {
        String fire = path.substring(path.lastIndexOf('~') + 1);
        return fire.matches(SCHEDULED) && Long.parseLong(fire.substring(0, fire.indexOf('.'))) > now.toEpochMilli();
    }

    /**
     * Returns whether the plan contains an item that the stop concerns but that has no record, because a person deleted
     * the record. The item's owner may still restore the record as it was before the fire.
     */
    private static boolean lost(String path, State before) {
        String[] parts = path.substring(STOPS.length()).split("~", -1);
        WrittenPlan plan = before.plan(parts[0]);
        return plan != null
                && plan.keys().stream()
                        .filter(key -> parts[1].equals("*") || parts[1].equals(key))
                        .anyMatch(key -> !before.exists(new Item(parts[0], key).record()));
    }

    private static boolean isStop(String path) {
        return path.startsWith(STOPS) && !path.startsWith(OrdersKept.EVICTION);
    }

    /** Returns whether all items that the stop concerns have decided the fire, so that none of them can run it. */
    private static boolean decided(String path, State before) {
        String[] parts = path.substring(STOPS.length()).split("~", -1);
        String fire = parts[2];
        for (Map.Entry<Item, WrittenRecord> entry : before.records(parts[0]).entrySet()) {
            Item item = entry.getKey();
            if ((parts[1].equals("*") || parts[1].equals(item.key()))
                    && !decided(item, fire, entry.getValue(), before)) {
                return false;
            }
        }
        return true;
    }

    private static boolean decided(Item item, String fire, WrittenRecord record, State before) {
        boolean scheduled = fire.matches(SCHEDULED);
        String id = scheduled ? fire.substring(0, fire.indexOf('.')) : fire;
        boolean sameIncarnation = !scheduled || fire.endsWith("." + record.incarnation);
        if (record.unfinished() && sameIncarnation && record.fire().equals(id)) {
            return false;
        }
        if (!scheduled) {
            String run = "\"runId\":\"" + fire + '"';
            String key = '"' + item.key() + '"';
            return before.below("/triggers").values().stream()
                    .filter(node -> node.data().contains(run))
                    .allMatch(node -> record.triggerCursor() >= node.czxid()
                            || (node.data().contains("\"items\":[\"")
                                    && !node.data().contains(key)));
        }
        return !sameIncarnation || record.state.equals("RETIRED") || record.cursor.toEpochMilli() >= Long.parseLong(id);
    }
}
