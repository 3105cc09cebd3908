package io.ostraka.core.job;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.core.decide.AlarmCauses;
import io.ostraka.core.decide.FireSituation.Interruption;
import io.ostraka.core.job.HostedItemState.Idle;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.Versioned;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Finds causes of alarms among the items that this instance owns. Reports the kinds of these alarms to the instance
 * when the kinds have changed. Reads nothing from ZooKeeper. An outdated record does no harm, because the leader reads
 * the records itself before it decides. Confined to the job's serial executor.
 */
final class AlarmReport {
    private final HostedJobState job;
    private final PlanReader plan;
    private Set<AlarmKind> reported = Set.of();

    AlarmReport(HostedJobState job, PlanReader plan) {
        this.job = job;
        this.plan = plan;
    }

    /**
     * Examines the items.
     *
     * @param starts false if this instance may start no item of the job
     * @param ofAnotherZone returns true for an item that this instance does not start, because the item belongs to
     *     another zone
     */
    void examine(boolean starts, Predicate<HostedItem> ofAnotherZone) {
        JobSnapshot snapshot = job.snapshot;
        Set<AlarmKind> found =
                starts && snapshot != null && job.session != null ? found(snapshot, ofAnotherZone) : Set.of();
        if (!found.equals(reported)) {
            reported = found;
            job.context.instance().alarmsChanged(job.name, found);
        }
    }

    private Set<AlarmKind> found(JobSnapshot snapshot, Predicate<HostedItem> ofAnotherZone) {
        Instant now = job.context.clock().now();
        List<AlarmCauses.Item> items = new ArrayList<>();
        // otherwise the policy may drop a missed fire, and the item then waits for its next fire although one is
        // overdue
        boolean decides = !(snapshot.configuration().misfire() instanceof MisfirePolicy.Skip)
                && snapshot.configuration().catchUpWindow().isEmpty();
        for (String key : snapshot.plan().itemsOf(job.session().instanceId())) {
            HostedItem hosted = job.items.get(key);
            Versioned<ItemRecord> record = hosted == null ? null : hosted.record();
            if (hosted == null || record == null) {
                continue;
            }
            boolean nothingDue = (decides
                            && hosted.state() instanceof Idle idle
                            && idle.quietUntil().isAfter(now))
                    || ofAnotherZone.test(hosted);
            items.add(new AlarmCauses.Item(
                    key,
                    record.value(),
                    record.value().unfinished() ? record.value().requireRun().startedAt() : Instant.MAX,
                    hosted.state() instanceof Idle idle ? idle.interruption() : Interruption.NONE,
                    nothingDue));
        }
        return AlarmCauses.kinds(
                new AlarmCauses.Job(
                        snapshot,
                        plan.changed(),
                        plan.planned(),
                        !job.context.instance().startsItems(),
                        Map.of()),
                items,
                job.triggers.open(),
                now);
    }
}
