package io.ostraka.operations;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.Progress;
import io.ostraka.api.operations.Change;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.JobActivity;
import io.ostraka.api.operations.Operation;
import io.ostraka.core.coordination.Items.RecordView;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Run;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Computes the views of items from their records. Pure functions. */
final class ItemViews {
    private ItemViews() {}

    /** @param live ids of the registered instances */
    static JobActivity activity(String job, List<RecordView> items, Set<String> live) {
        Map<ItemOutcome, Integer> outcomes = new EnumMap<>(ItemOutcome.class);
        Instant lastFire = null;
        Instant runningSince = null;
        int running = 0;
        int interrupted = 0;
        int quarantined = 0;
        int unreadable = 0;
        int failures = 0;
        for (RecordView item : items) {
            if (item.record() == null) {
                unreadable++;
                continue;
            }
            ItemRecord record = item.record().value();
            failures = Math.max(failures, record.consecutiveFailures());
            Run run = record.run();
            if (run != null && (lastFire == null || run.fire().at().isAfter(lastFire))) {
                lastFire = run.fire().at();
            }
            switch (state(record, live)) {
                case RUNNING -> {
                    running++;
                    Instant started = record.requireRun().startedAt();
                    runningSince = runningSince == null || started.isBefore(runningSince) ? started : runningSince;
                }
                case INTERRUPTED -> interrupted++;
                case QUARANTINED -> quarantined++;
                case IDLE, UNREADABLE -> {}
            }
            if (record.outcome() != null) {
                outcomes.merge(record.outcome(), 1, Integer::sum);
            }
        }
        return new JobActivity(
                job, lastFire, outcomes, running, runningSince, interrupted, quarantined, unreadable, failures);
    }

    private static ItemDetails.State state(ItemRecord record, Set<String> live) {
        return switch (record.state()) {
            case IDLE, RETIRED -> ItemDetails.State.IDLE;
            case RUNNING ->
                live.contains(record.requireRun().owner()) ? ItemDetails.State.RUNNING : ItemDetails.State.INTERRUPTED;
            case HANDED_OVER -> ItemDetails.State.INTERRUPTED;
            case QUARANTINED -> ItemDetails.State.QUARANTINED;
        };
    }

    /**
     * Returns whether an item belongs to the job's list of items. The record of an instance or a zone that no longer
     * takes part stays, but it is an item only while its run is unfinished, it is quarantined, or an operator has
     * disabled it.
     *
     * @param job the item's job
     */
    static boolean belongs(JobView job, RecordView item) {
        return job.plan() == null
                || job.plan().value().keys().contains(item.item())
                || item.record() == null
                || isOpen(item)
                || (job.overrideKnown() && job.overrideOrNone().disabledItems().contains(item.item()));
    }

    /** Returns whether an item has an unfinished run or is quarantined. */
    static boolean isOpen(RecordView item) {
        ItemRecord record = item.record() == null ? null : item.record().value();
        return record != null && (record.unfinished() || record.state() == ItemState.QUARANTINED);
    }

    /**
     * Returns the view of an item.
     *
     * @param job the item's job
     * @param owner id of the instance to which the plan assigns the item; null if there is none
     * @param live ids of the registered instances
     * @param progress latest progress of the item; null if there is none or it was not read
     */
    static ItemDetails item(
            JobView job, RecordView item, @Nullable String owner, Set<String> live, @Nullable Progress progress) {
        boolean disabled =
                job.overrideKnown() && job.overrideOrNone().disabledItems().contains(item.item());
        if (item.record() == null) {
            String problem = item.damage() == null
                    ? "the item has no record; its owner writes a new one"
                    : item.damage().text();
            return new ItemDetails(
                    item.item(),
                    ItemDetails.State.UNREADABLE,
                    disabled,
                    owner,
                    null,
                    null,
                    0,
                    List.of(),
                    null,
                    0,
                    Map.of(),
                    0,
                    problem);
        }
        ItemRecord record = item.record().value();
        return new ItemDetails(
                item.item(),
                state(record, live),
                disabled,
                owner,
                record.run() == null ? null : run(job.name(), record, record.run(), progress),
                record.cursor(),
                record.incarnation(),
                record.skipped().stream()
                        .map(fires -> new ItemDetails.Skipped(fires.from(), fires.to(), fires.count(), fires.reason()))
                        .toList(),
                record.runTime(),
                record.consecutiveFailures(),
                changes(record),
                item.record().mzxid(),
                null);
    }

    /** Returns the operators' changes that the record stores, by the name of the command. */
    private static Map<String, Change> changes(ItemRecord record) {
        Map<String, Change> changes = new TreeMap<>();
        ItemRecord.Release release = record.release();
        if (release != null) {
            changes.put(Operation.RELEASE_ITEM.name(), new Change(release.by(), release.reason(), release.at(), null));
        }
        ItemRecord.SetBack setBack = record.setBack();
        if (setBack != null) {
            changes.put(
                    Operation.SET_BACK_CURSOR.name(), new Change(setBack.by(), setBack.reason(), setBack.at(), null));
        }
        return changes;
    }

    private static ItemDetails.Run run(String job, ItemRecord record, Run run, @Nullable Progress progress) {
        Fire fire = run.fire();
        String runId = fire.runId(job);
        boolean ended = record.state() == ItemState.IDLE || record.state() == ItemState.QUARANTINED;
        return new ItemDetails.Run(
                run.number(),
                runId,
                fire.logicalTime(),
                fire.triggered(),
                run.attempt(),
                run.owner(),
                run.startedAt(),
                ended ? record.endedAt() : null,
                record.outcome(),
                record.error(),
                progress == null || !progress.runId().equals(runId) ? null : progress);
    }
}
