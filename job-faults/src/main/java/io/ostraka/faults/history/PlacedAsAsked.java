package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import java.util.HashMap;
import java.util.Map;

/**
 * I5: items are where their job wants them: claimed by instances alone that have what it requires, and no more of them on one
 * than it allows. A requirement is understood that is one tag with its value.
 */
final class PlacedAsAsked extends Invariant {
    /** The node of every instance that there was, by id. */
    private final Map<String, JsonObject> instances = new HashMap<>();

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
                instances.put(parts[2], State.json(data));
            } else if (parts.length == 4 && parts[1].equals("jobs") && parts[3].equals("sharding")) {
                planned(parts[2], new WrittenPlan(State.json(data)), before);
            }
        }
    }

    private void planned(String job, WrittenPlan plan, State before) {
        JsonObject definition = before.definition(job);
        if (definition == null || !definition.has("maxItemsPerInstance")) {
            return;
        }
        int most = definition.get("maxItemsPerInstance").getAsInt();
        Map<String, Integer> counts = new HashMap<>();
        plan.owners.values().forEach(owner -> counts.merge(owner, 1, Integer::sum));
        boolean within = counts.values().stream().allMatch(count -> count <= most);
        expect(within, "an instance has " + most + " items of job " + job + " at most", plan.json, null);
    }

    @Override
    void move(Move move, State before) {
        JsonObject definition = before.definition(move.item().job());
        if (!move.claims() || definition == null || !definition.has("requiredInstances")) {
            return;
        }
        String required = definition.get("requiredInstances").getAsString();
        JsonObject owner = instances.get(move.next().owner());
        String[] wanted = required.split("=", -1);
        JsonObject tags =
                owner == null ? new JsonObject() : owner.getAsJsonObject("self").getAsJsonObject("tags");
        boolean fits = tags.has(wanted[0]) && tags.get(wanted[0]).getAsString().equals(wanted[1]);
        expect(fits, "who claims is one of those that are required, " + required, move, move.item());
    }
}
