package io.ostraka.faults.history;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks I7: in the calm phase, every living process reports that it is healthy and that each of its jobs runs as
 * configured. It may report a problem of a job only while the cause exists: an operator's command, an item in
 * quarantine, an item that no instance is allowed to own, code that is still running, or a failed backfill. It reports
 * skipped fires only of a job that has skipped late fires, or whose policy may skip the latest one.
 */
final class GoodHealth extends Invariant {
    private final Set<String> reported = new HashSet<>();
    /** Jobs of which an item has skipped a fire that it could not start in time. */
    private final Set<String> late = new HashSet<>();

    @Override
    void move(Move move, State before) {
        if (move.next().skipped().stream().anyMatch(skipped -> Set.of("MISFIRED", "OVERLAPPED", "COALESCED")
                .contains(skipped.reason()))) {
            late.add(move.item().job());
        }
    }

    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Over over) {
            over.living()
                    .forEach(process -> expect(
                            reported.contains(process),
                            process + " reports its health in the calm",
                            "no report",
                            null));
        } else if (event instanceof Event.Health health && before.calm() != null) {
            reported.add(health.process());
            health(health, before);
        }
    }

    private void health(Event.Health health, State before) {
        expect(health.problem() == null, health.process() + " is healthy", health.problem(), null);
        State.Node node = before.node("/instances/" + health.instance());
        JsonElement hosted = node == null ? null : State.json(node.data()).get("jobs");
        if (hosted != null) { // null if the instance hosts many jobs, because the node then has another format
            for (JsonElement job : hosted.getAsJsonArray()) {
                boolean covered = health.reasons().containsKey(job.getAsString());
                expect(covered, health.process() + " reports every job that it hosts", job, null);
            }
        }
        health.reasons().forEach((job, reasons) -> {
            if (Recovers.isBuiltIn(job, before)) {
                WrittenPlan plan = before.plan(job);
                boolean covered = plan == null || plan.whole() || reasons.containsKey("UNPLACED_ITEMS");
                expect(covered, health.process() + " reports the unplaced items of job " + job, reasons, null);
                reasons.forEach((kind, text) -> expect(
                        isCaused(kind, job, before),
                        "job " + job + " runs as configured according to " + health.process(),
                        kind + ", " + text,
                        null));
            }
        });
    }

    private static boolean isFireless(@Nullable WrittenPlan plan) {
        return plan != null
                && plan.schedule.single().isPresent()
                && plan.schedule.next(plan.since()).isEmpty();
    }

    /** Returns whether the cause of a reported reason still exists, according to the history. */
    private boolean isCaused(String kind, String job, State before) {
        return switch (kind) {
            case "NO_FIRES" -> isFireless(before.plan(job));
            case "PAUSED" -> wants(job, "paused", "true", before);
            case "REMOVED" -> wants(job, "removed", "true", before);
            case "DISABLED_ITEMS" -> wants(job, "disabledItems", "\"", before);
            case "DISABLED_INSTANCES" -> wants(job, "disabledInstances", "\"", before);
            case "QUARANTINED_ITEMS" ->
                before.records(job).values().stream().anyMatch(record -> record.state.equals("QUARANTINED"));
            case "UNREADABLE_ITEMS" -> // a record was lost, and its item has not run since
                before.records(job).values().stream().anyMatch(WrittenRecord::replacesLost);
            case "STUCK_ITEMS", "STOP_IGNORED", "WAITING_ITEMS", "ITEM_COUNT_CHANGING", "ITEM_COUNT_POSTPONED" ->
                before.runs(job) || isUnplaced(job, before);
            case "SKIPPED_FIRES" -> late.contains(job) || maySkipTheLatest(before.definition(job));
            case "BACKFILL_FAILED" -> {
                State.Node backfill = before.node("/backfills/" + job);
                yield backfill != null
                        && State.json(backfill.data())
                                .get("state")
                                .getAsString()
                                .equals("FAILED");
            }
            case "UNPLACED_ITEMS", "NO_PLAN" -> isUnplaced(job, before);
            default -> false;
        };
    }

    /** Returns whether a job's policy may skip the latest fire, which an item then records with its next claim. */
    private static boolean maySkipTheLatest(@Nullable JsonObject definition) {
        return definition != null
                && (definition.has("catchUpWindow")
                        || definition
                                .getAsJsonObject("misfire")
                                .get("type")
                                .getAsString()
                                .equals("skip"));
    }

    /**
     * Returns whether at least one item of a job is unplaced. Another invariant checks whether an instance could own
     * the item.
     */
    private static boolean isUnplaced(String job, State before) {
        WrittenPlan plan = before.plan(job);
        return plan != null && (!plan.whole() || plan.owners.isEmpty());
    }

    /**
     * Returns whether a field has this value because an operator has set it, or because the definition sets it and no
     * operator has changed it.
     */
    private static boolean wants(String job, String field, String value, State before) {
        JsonObject definition = before.definition(job);
        JsonElement defined = definition == null ? null : definition.get(field);
        JsonElement wish = before.override(job).map(wanted -> wanted.get(field)).orElse(defined);
        return wish != null && wish.toString().contains(value);
    }
}
