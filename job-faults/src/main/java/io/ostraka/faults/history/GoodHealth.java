package io.ostraka.faults.history;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.HashSet;
import java.util.Set;

/**
 * I7: once nothing interferes any more, every process that lives says of itself that it is well, and of each job that it hosts that
 * it runs as configured, but for what operators want, for what has killed too many, for what can be nowhere, and for what code that still
 * runs holds up.
 */
final class GoodHealth extends Invariant {
    private final Set<String> told = new HashSet<>();

    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Over over) {
            over.living()
                    .forEach(process -> expect(
                            told.contains(process),
                            process + " says in the calm how it is",
                            "nothing is recorded",
                            null));
        } else if (event instanceof Event.Health health && before.calm() != null) {
            told.add(health.process());
            health(health, before);
        }
    }

    private void health(Event.Health health, State before) {
        expect(health.problem() == null, "all is well with " + health.process(), health.problem(), null);
        State.Node node = before.node("/instances/" + health.instance());
        JsonElement hosted = node == null ? null : State.json(node.data()).get("jobs");
        if (hosted != null) { // many are written otherwise
            for (JsonElement job : hosted.getAsJsonArray()) {
                boolean told = health.reasons().containsKey(job.getAsString());
                expect(told, health.process() + " tells of every job that it hosts", job, null);
            }
        }
        health.reasons().forEach((job, reasons) -> {
            if (Recovers.isLibrarys(job, before)) {
                WrittenPlan plan = before.plan(job);
                boolean told = plan == null || plan.whole() || reasons.containsKey("UNPLACED_ITEMS");
                expect(told, health.process() + " tells of items of job " + job + " that are nowhere", reasons, null);
                reasons.forEach((kind, text) -> expect(
                        isCaused(kind, job, before),
                        "job " + job + " runs as configured by what " + health.process() + " tells",
                        kind + ", " + text,
                        null));
            }
        });
    }

    /** Whether the history shows why a job doesn't run as configured, and that it still can't. */
    private static boolean isCaused(String kind, String job, State before) {
        return switch (kind) {
            case "PAUSED" -> wants(job, "paused", "true", before);
            case "REMOVED" -> wants(job, "removed", "true", before);
            case "DISABLED_ITEMS" -> wants(job, "disabledItems", "\"", before);
            case "DISABLED_INSTANCES" -> wants(job, "disabledInstances", "\"", before);
            case "QUARANTINED_ITEMS" ->
                before.records(job).values().stream().anyMatch(record -> record.state.equals("QUARANTINED"));
            case "STUCK_ITEMS", "WAITING_ITEMS", "ITEM_COUNT_CHANGING", "ITEM_COUNT_POSTPONED" ->
                before.runs(job) || isNowhere(job, before);
            case "UNPLACED_ITEMS", "NO_PLAN" -> isNowhere(job, before);
            default -> false;
        };
    }

    /** Whether some of its items, or all, are on no instance: whether they must be is not asked here. */
    private static boolean isNowhere(String job, State before) {
        WrittenPlan plan = before.plan(job);
        return plan != null && (!plan.whole() || plan.owners.isEmpty());
    }

    /** Whether an operator wants it, or the definition has it so and no operator wants otherwise. */
    private static boolean wants(String job, String field, String value, State before) {
        JsonObject definition = before.definition(job);
        JsonElement defined = definition == null ? null : definition.get(field);
        JsonElement wish = before.override(job).map(wanted -> wanted.get(field)).orElse(defined);
        return wish != null && wish.toString().contains(value);
    }
}
