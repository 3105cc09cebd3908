package io.ostraka.core.operations;

import io.ostraka.api.ItemOutcome;
import io.ostraka.core.coordination.Items.RecordView;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.Wanted;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Describes which other instance runs an item now, and what keeps the item from starting. Pure functions. */
final class ItemObstacles {
    private ItemObstacles() {}

    /**
     * Returns sentences to append to the explanation of the item's owner, each after a full stop; empty if nothing
     * keeps the owner from starting the item's next fire.
     *
     * @param job a job with a plan and a readable override
     * @param owner id of the instance to which the plan assigns the item; null if there is none
     * @param live the registered instances
     * @param wanted the operators' orders for the namespace
     * @param now current time on the server's clock
     */
    static String of(
            JobView job,
            RecordView item,
            @Nullable String owner,
            Collection<InstanceInfo> live,
            Wanted wanted,
            Instant now) {
        String run = item.record() == null
                ? ""
                : run(job.name(), item.item(), item.record().value(), owner, live);
        List<String> obstacles = new ArrayList<>();
        if (wanted.frozen() != null) {
            obstacles.add("the namespace is frozen " + wanted.frozen());
        }
        obstacles.add(Views.obstacle(job, now));
        if (job.overrideOrNone().disabledItems().contains(item.item())) {
            obstacles.add("the item is disabled by an operator");
        }
        obstacles.add(ofRecord(item));
        obstacles.removeIf(String::isEmpty);
        return run + (obstacles.isEmpty() ? "" : ". It starts no scheduled fire now: " + String.join("; ", obstacles));
    }

    /** Returns a sentence about the item's unfinished run; empty if there is none or if the owner runs the item. */
    private static String run(
            String job, String item, ItemRecord record, @Nullable String owner, Collection<InstanceInfo> live) {
        if (!record.unfinished()) {
            return "";
        }
        Run run = record.requireRun();
        String runner = run.owner();
        String since = ", since " + run.startedAt();
        if (record.state() == ItemState.HANDED_OVER) {
            return ". Instance " + runner + " has handed over its run, and no instance has taken the run over yet";
        }
        for (InstanceInfo instance : live) {
            if (instance.id().equals(runner)) {
                return runner.equals(owner) ? "" : ". Instance " + runner + " still runs it" + since;
            }
            if (instance.earlierIds().contains(runner)
                    && instance.stillRunning().getOrDefault(job, Set.of()).contains(item)) {
                return ". Instance " + instance.id() + " still runs it for its earlier session " + runner + since;
            }
        }
        return ". Instance " + runner + " ran it" + since
                + ", and is not registered any more; no instance has taken the run over yet";
    }

    private static String ofRecord(RecordView item) {
        if (item.record() == null) {
            return item.damage() == null ? "" : item.damage().text();
        }
        ItemRecord record = item.record().value();
        if (record.state() != ItemState.QUARANTINED) {
            return "";
        }
        String failures = record.outcome() == ItemOutcome.CRASHED
                ? "" // the error contains the number of instances that died
                : record.consecutiveFailures() + " failures in a row, the last: ";
        return "the item is quarantined since " + record.endedAt() + ": " + failures + record.error()
                + "; find the cause, then release the item";
    }
}
