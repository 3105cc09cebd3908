package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * I5: items without numbers are where their scope has them: an instance's own are run by it alone, a zone's are begun by its
 * own instances; and in the calm there is one for each instance that may have it, or for each zone of such.
 */
final class InScope extends Invariant {
    /** How old what a leader knows may be when it is written. */
    private static final Duration VIEW = Duration.ofSeconds(30);

    /** The zone of every instance that there was, by id. */
    private final Map<String, String> zones = new HashMap<>();

    @Override
    void transaction(Event.Transaction transaction, State before) {
        for (Write write : transaction.writes()) {
            String[] parts = write.path().split("/", -1);
            String data = write instanceof Write.Created created
                    ? created.data()
                    : write instanceof Write.Changed changed ? changed.data() : "";
            if (data.isEmpty()) {
                continue;
            }
            if (parts.length == 3 && parts[1].equals("instances")) {
                JsonObject self = State.json(data).getAsJsonObject("self");
                zones.put(parts[2], self.get("zone").getAsString());
            } else if (parts.length == 4 && parts[1].equals("jobs") && parts[3].equals("sharding")) {
                planned(parts[2], new WrittenPlan(State.json(data)));
            } else if (parts.length == 5 && parts[3].equals("sharding") && write instanceof Write.Created) {
                born(new Item(parts[2], parts[4]), new WrittenRecord(State.json(data)), transaction, before);
            }
        }
    }

    private void planned(String job, WrittenPlan plan) {
        plan.owners.forEach((item, owner) -> {
            if (plan.scope.equals(WrittenPlan.BROADCAST)) {
                expect(item.equals(owner), "an instance's item of job " + job + " is its own", plan.json, null);
            } else if (plan.scope.equals(WrittenPlan.ONE_PER_ZONE)) {
                expect(zones.containsValue(item), "there is a zone " + item + " for job " + job, plan.json, null);
            }
        });
    }

    /** Nothing from before an instance joined is due. */
    private void born(Item item, WrittenRecord record, Event.Transaction by, State before) {
        WrittenPlan plan = before.plan(item.job());
        if (plan != null && plan.scope.equals(WrittenPlan.BROADCAST)) {
            boolean since = !record.cursor.isBefore(by.at().minus(VIEW));
            expect(since, "nothing is due from before an instance joined", record, item);
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
            expect(key.equals(owner), "an instance's item is run by it alone", move, move.item());
        } else if (plan.scope.equals(WrittenPlan.ONE_PER_ZONE) && move.next().attempt() == 1) {
            expect(key.equals(zones.get(owner)), "a zone's item is begun in the zone", move, move.item());
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
        Eligible.of(job, before).all().forEach(instance -> due.add(own ? instance : zones.getOrDefault(instance, "")));
        expect(plan.keys().equals(due), "all take part in job " + job + " who may, " + due, plan.json, null);
        before.records(job).keySet().forEach(item -> {
            boolean there = !own || before.exists("/instances/" + item.key());
            expect(there, "with an instance goes its record", item, item);
        });
        plan.owners.forEach((item, owner) -> {
            boolean home = own || item.equals(zones.get(owner));
            expect(home, "in the calm a zone's item is in its zone", plan.json, new Item(job, item));
        });
    }
}
