package io.ostraka.core.decide;

import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.SkipReason;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Applies a job's overlap policy, which keeps some of the overlapped fires. A fire is overlapped if it became due in
 * the item's busy time, see {@link FireDecision}.
 */
public final class Overlap {
    private Overlap() {}

    /** Returns the oldest overlapped fire that the policy keeps; empty if it keeps none. */
    static Optional<Instant> oldest(Backlog backlog, OverlapPolicy policy) {
        if (policy instanceof OverlapPolicy.Skip
                || (backlog.onTime() != null
                        && (policy instanceof OverlapPolicy.Coalesce
                                || policy instanceof OverlapPolicy.CancelRunning))) {
            return Optional.empty();
        }
        return backlog.times()
                .oldestOfLatest(
                        backlog.busyFrom(),
                        backlog.busyTo(),
                        policy instanceof OverlapPolicy.Queue queue ? queue.max() : 1);
    }

    /** Returns the reason to record for overlapped fires that the policy skips. */
    static SkipReason reason(OverlapPolicy policy) {
        return policy instanceof OverlapPolicy.Coalesce ? SkipReason.COALESCED : SkipReason.OVERLAPPED;
    }

    /**
     * Returns the time at which {@link OverlapPolicy.CancelRunning} ends a run: the start of the next scheduled fire.
     * Empty if there is no next fire, or if the run must not be cancelled.
     */
    public static Optional<Instant> overtaken(JobSnapshot snapshot, String item, Run run) {
        return !(snapshot.configuration().overlap() instanceof OverlapPolicy.CancelRunning)
                        || run.fire().triggered()
                        || snapshot.plan().closed()
                        || snapshot.paused()
                        || snapshot.disabled(item)
                ? Optional.empty()
                : next(snapshot.configuration().jobName(), item, run, snapshot.plan(), snapshot.times());
    }

    /**
     * Returns the time from which the owner of a run is busy if the run has not ended by then: the start of the next
     * scheduled fire. Empty if there is no next fire, or if the next fire depends on the end of the run.
     */
    public static Optional<Instant> next(String job, String item, Run run, ShardingPlan plan, FireTimes times) {
        if (times.patient()) {
            return Optional.empty();
        }
        Duration jitter = FireSituation.jitter(plan.schedule(), job, item);
        // the owner's clock may differ, so the run's own fire is left out by its time
        Instant after = Backlog.later(
                Backlog.later(run.startedAt().minus(jitter), run.fire().at()), plan.startsAfter());
        return times.next(after).map(next -> next.plus(jitter));
    }
}
