package io.ostraka.operations;

import io.ostraka.api.ItemOutcome;
import io.ostraka.core.coordination.Items.RecordView;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Orders;
import io.ostraka.core.model.Run;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Describes why an item cannot start now, and which other instance runs it. Pure functions. */
final class ItemObstacles {
    private ItemObstacles() {}

    /**
     * Returns sentences to append to the explanation of the item's owner. Each sentence begins with the full stop of
     * the sentence before it. Empty if nothing keeps the owner from starting the item's next fire.
     *
     * @param job a job with a plan and a readable override
     * @param owner id of the instance to which the plan assigns the item; null if there is none
     * @param live the registered instances
     * @param orders the operators' orders for the namespace
     * @param now current time on the server's clock
     */
    static String of(
            JobView job,
            RecordView item,
            @Nullable String owner,
            Collection<InstanceInfo> live,
            Orders orders,
            Instant now) {
        String run =
                item.record() == null ? "" : run(job, item.item(), item.record().value(), owner, live, now);
        List<String> obstacles = new ArrayList<>();
        if (orders.frozen() != null) {
            obstacles.add("the namespace is frozen " + orders.frozen());
        }
        obstacles.add(Views.obstacle(job, now));
        boolean disabled = job.overrideOrNone().disabledItems().contains(item.item());
        if (disabled) {
            obstacles.add(disabled(job.overrideOrNone()));
        }
        obstacles.add(ofRecord(item, disabled));
        obstacles.removeIf(String::isEmpty);
        return run
                + (obstacles.isEmpty() ? "" : ". It starts no scheduled fire now: " + String.join("; ", obstacles))
                + schedule(job.overrideOrNone());
    }

    /** Returns a sentence if an override of the schedule determines when the item starts; empty if there is none. */
    private static String schedule(JobOverride override) {
        JobOverride.Change change = override.changes().get("schedule");
        return override.schedule() == null
                ? ""
                : ". An override of the field schedule is in force" + (change == null ? "" : ", by " + origin(change));
    }

    private static String disabled(JobOverride override) {
        JobOverride.Change change = override.changes().get("disabledItems");
        if (change == null) {
            return "the item is disabled by an operator";
        }
        return (override.disabledItems().size() > 1
                        ? "the item is disabled, and the job's disabled items were last changed by "
                        : "the item is disabled by ")
                + origin(change);
    }

    private static String origin(JobOverride.Change change) {
        return change.by() + " since " + change.at() + (change.reason().isEmpty() ? "" : " (" + change.reason() + ")")
                + (change.until() == null ? "" : " until " + change.until());
    }

    /** Returns a sentence about the item's unfinished run; empty if there is none or if the owner runs the item. */
    private static String run(
            JobView job,
            String item,
            ItemRecord record,
            @Nullable String owner,
            Collection<InstanceInfo> live,
            Instant now) {
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
                return runner.equals(owner)
                        ? ". Its run since " + run.startedAt() + " keeps later fires from starting until it ends"
                                + length(job, record, Duration.between(run.startedAt(), now))
                        : ". Instance " + runner + " still runs it" + since;
            }
            if (instance.earlierIds().contains(runner)
                    && instance.stillRunning()
                            .getOrDefault(job.name(), Set.of())
                            .contains(item)) {
                return ". Instance " + instance.id() + " still runs it for its earlier session " + runner + since;
            }
        }
        return ". Instance " + runner + " ran it" + since
                + ", and is not registered any more; no instance has taken the run over yet";
    }

    /**
     * Returns a clause if the run has exceeded its timeout or takes longer than usual; empty if neither is the case.
     */
    private static String length(JobView job, ItemRecord record, Duration ran) {
        Optional<Duration> timeout = timeout(job).filter(limit -> ran.compareTo(limit) > 0);
        if (timeout.isPresent()) {
            return ", and is over its timeout of " + timeout.get();
        }
        Duration usual = record.runTime();
        return usual == null || ran.compareTo(JobTriage.limit(usual)) <= 0
                ? ""
                : ", and takes longer than usual (" + usual.truncatedTo(ChronoUnit.MILLIS) + " on average)";
    }

    private static Optional<Duration> timeout(JobView job) {
        return job.definition() == null ? Optional.empty() : job.configuration().timeout();
    }

    private static String ofRecord(RecordView item, boolean disabled) {
        if (item.record() == null) {
            return item.damage() == null ? "" : item.damage().text();
        }
        ItemRecord record = item.record().value();
        if (record.state() != ItemState.QUARANTINED) {
            return "";
        }
        String since = "the item is quarantined since " + record.endedAt() + ": ";
        return record.outcome() == ItemOutcome.CRASHED // the text of the error already has the number of instances
                ? since + record.error() + (disabled ? "; release it" : "; disable the item, and release it")
                        + " only after the cause is mended: its next run may end further instances"
                : since + record.consecutiveFailures() + " failures in a row, the last: " + record.error()
                        + "; find the cause, then release" + (disabled ? " and enable" : "") + " the item";
    }
}
