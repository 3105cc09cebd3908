package io.ostraka.core.decide;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.AlarmPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.ShardingPlan;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The latest scheduled fire of a job that should have begun. This value depends only on the time and on the job's plan,
 * configuration and override, and not on the records of its items.
 *
 * @param at time of the fire; null if there is none
 * @param until time until which this value is correct if the nodes of the job do not change; {@link Instant#MAX} if the
 *     value stays correct
 */
public record ExpectedFire(@Nullable Instant at, Instant until) {
    /** No fire, until the nodes of the job change. */
    public static final ExpectedFire NONE = new ExpectedFire(null, Instant.MAX);

    /**
     * Returns the latest fire whose time limit for the alarm {@link AlarmKind#MISSED} has passed.
     *
     * @param now current time
     */
    public static ExpectedFire of(AlarmCauses.Job job, Instant now) {
        JobSnapshot snapshot = job.snapshot();
        ShardingPlan plan = snapshot.plan();
        AlarmPolicy policy = snapshot.configuration().alarms();
        List<String> items = plan.keys();
        if (job.frozen()
                || snapshot.paused()
                || snapshot.override().removed()
                || !policy.has(AlarmKind.MISSED)
                || !ShardingPlan.canSkip(plan.schedule())
                || items.stream().allMatch(snapshot::disabled)) { // also true for a removed job, which has no items
            return NONE;
        }
        Duration limit = policy.limit(AlarmKind.MISSED).orElse(Schedule.LONGEST);
        Duration jitter = plan.schedule() instanceof Schedule.Bounded bounded ? bounded.jitter() : Duration.ZERO;
        Duration allowed = limit.plus(jitter);
        // an operator may have kept earlier fires from starting
        Instant after = Backlog.later(plan.startsAfter(), job.changed());
        Instant upTo = Backlog.later(now.minus(allowed), after);
        Instant at =
                snapshot.times().latest(after, upTo, 1).stream().findFirst().orElse(null);
        Instant until =
                snapshot.times().next(upTo).map(next -> next.plus(allowed)).orElse(Instant.MAX);
        return new ExpectedFire(at, until);
    }
}
