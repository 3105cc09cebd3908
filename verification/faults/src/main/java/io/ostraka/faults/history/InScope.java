package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.TreeSet;

/**
 * Checks I5: items without numbers follow their scope. The item of an instance runs only on that instance. Only an
 * instance of the zone starts the fires of a zone's item. At the end of the calm phase, each eligible instance has its
 * own item; in a job with one item for each zone, each zone with an eligible instance has its item.
 */
final class InScope extends Invariant {
    /** Longest time by which a leader's view may be outdated when the leader writes a plan. */
    private static final Duration VIEW = Duration.ofSeconds(30);

    @Override
    void transaction(Event.Transaction transaction, State before) {
        for (Write write : transaction.writes()) {
            String[] parts = write.path().split("/", -1);
            String data = write.data();
            if (data.isEmpty()) {
                continue;
            }
            if (parts.length == 4 && parts[1].equals("jobs") && parts[3].equals("sharding")) {
                planned(parts[2], before.writtenPlan(data), before);
            } else if (parts.length == 5 && parts[3].equals("sharding") && write instanceof Write.Created) {
                born(new Item(parts[2], parts[4]), before.writtenRecord(data), transaction, before);
            }
        }
    }

    private void planned(String job, WrittenPlan plan, State before) {
        plan.owners.forEach((item, owner) -> {
            if (plan.scope.equals(WrittenPlan.BROADCAST)) {
                expect(item.equals(owner), "an instance owns its own item of job " + job, plan.json, null);
            } else if (plan.scope.equals(WrittenPlan.ONE_PER_ZONE)) {
                boolean exists = before.instances().keySet().stream().anyMatch(id -> item.equals(zone(id, before)));
                expect(exists, "zone " + item + " of job " + job + " exists", plan.json, null);
            }
        });
    }

    /** Returns the zone of an instance, which may have ended; the empty text if there was no such instance. */
    private static String zone(String instance, State before) {
        JsonObject content = before.instances().get(instance);
        return content == null
                ? ""
                : content.getAsJsonObject("self").get("zone").getAsString();
    }

    /** Checks that the new item of an instance skips the fires that were due before the instance started. */
    private void born(Item item, WrittenRecord record, Event.Transaction by, State before) {
        WrittenPlan plan = before.plan(item.job());
        if (plan != null && plan.scope.equals(WrittenPlan.BROADCAST)) {
            boolean since = !record.cursor.isBefore(by.at().minus(VIEW));
            expect(since, "no fire from before an instance's start is due", record, item);
        }
    }

    @Override
    void move(Move move, State before) {
        WrittenPlan plan = before.plan(move.item().job());
        if (plan == null || !move.claims()) {
            return;
        }
        String key = move.item().key();
        String owner = move.next().owner();
        if (plan.scope.equals(WrittenPlan.BROADCAST)) {
            expect(key.equals(owner), "only an instance itself claims its item", move, move.item());
        } else if (plan.scope.equals(WrittenPlan.ONE_PER_ZONE) && move.next().attempt() == 1) {
            expect(key.equals(zone(owner, before)), "an instance of the zone starts a zone's fire", move, move.item());
        }
    }

    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Over) {
            for (String job : before.jobs()) {
                WrittenPlan plan = before.plan(job);
                if (plan != null && !plan.numbered() && plan.total > 0) {
                    over(job, plan, before);
                }
            }
        }
    }

    private void over(String job, WrittenPlan plan, State before) {
        boolean own = plan.scope.equals(WrittenPlan.BROADCAST);
        TreeSet<String> due = new TreeSet<>();
        Eligible.of(job, before).all().forEach(instance -> due.add(own ? instance : zone(instance, before)));
        expect(
                plan.keys().equals(due),
                "all eligible instances or zones take part in job " + job + ", " + due,
                plan.json,
                null);
        before.records(job).keySet().forEach(item -> {
            boolean exists = !own || before.exists("/instances/" + item.key());
            expect(exists, "a record is deleted with its instance", item, item);
        });
        plan.owners.forEach((item, owner) -> {
            boolean home = own || item.equals(zone(owner, before));
            expect(home, "in the calm an instance of the zone owns a zone's item", plan.json, new Item(job, item));
        });
    }
}
