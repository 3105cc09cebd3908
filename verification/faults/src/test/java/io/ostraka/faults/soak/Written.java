package io.ostraka.faults.soak;

import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Item;
import io.ostraka.faults.history.Write;
import java.time.Instant;
import java.util.List;

/** Transactions that write an item's record, for hand-made histories. */
final class Written {
    static final Item ITEM = new Item("job", "0");

    private Written() {}

    /** Creates the job and the first record of its item, which has not run. */
    static Event.Transaction first(long zxid, Instant at) {
        return new Event.Transaction(
                zxid,
                at,
                1,
                false,
                List.of(
                        new Write.Created("/jobs/job/config", "{}", false),
                        new Write.Created("/jobs/job/sharding/0", record("IDLE", "n0", 1, "p@1@1", at), false)));
    }

    /** Writes the item's record in a state, with the nonce of a claim and the session that made the claim. */
    static Event.Transaction record(long zxid, Instant at, String state, String nonce, int attempt, long session) {
        String data = record(state, nonce, attempt, "p@1@" + Long.toHexString(session), at);
        return new Event.Transaction(
                zxid, at, session, false, List.of(new Write.Changed("/jobs/job/sharding/0", data)));
    }

    /** Registers an instance that is also a candidate for leader. */
    static Event.Transaction candidate(long zxid, Instant at, String instance) {
        return new Event.Transaction(
                zxid,
                at,
                session(instance),
                false,
                List.of(
                        new Write.Created("/instances/" + instance, "{}", true),
                        new Write.Created("/leader/latch/x-latch-0000000001", "", true)));
    }

    static Event.Transaction instance(long zxid, Instant at, String instance) {
        return new Event.Transaction(
                zxid, at, session(instance), false, List.of(new Write.Created("/instances/" + instance, "{}", true)));
    }

    private static long session(String instance) {
        return Long.parseLong(instance.substring(instance.lastIndexOf('@') + 1), 16);
    }

    /** Creates a plan that assigns the item to an instance; the item fires every second. */
    static Event.Transaction plan(long zxid, Instant at, String instance) {
        String data = ("{'total':1,'incarnation':1,'items':{'" + instance + "':'0'},'anchor':'2026-01-01T00:00:00Z',"
                        + "'schedule':{'type':'fixedRate','period':'PT1S'}}")
                .replace('\'', '"');
        return new Event.Transaction(zxid, at, 1, false, List.of(new Write.Created("/jobs/job/sharding", data, false)));
    }

    static Event.Transaction endOfSession(long zxid, Instant at, long session) {
        return new Event.Transaction(zxid, at, session, true, List.of());
    }

    private static String record(String state, String nonce, int attempt, String owner, Instant due) {
        return ("{'state':'" + state + "','incarnation':1,'cursor':'2026-01-01T00:00:00Z','triggerCursor':0,"
                        + "'skipped':[],'outcome':'SUCCEEDED','run':{'fire':{'id':'f','at':'" + due
                        + "','triggerZxid':0},'total':1,'attempt':" + attempt + ",'crashes':0,'owner':'" + owner
                        + "','nonce':'" + nonce + "'}}")
                .replace('\'', '"');
    }
}
