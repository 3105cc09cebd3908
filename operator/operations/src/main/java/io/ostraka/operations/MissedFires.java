package io.ostraka.operations;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.core.coordination.Items.RecordView;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.schedule.FireSchedules;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The fires that the items of a job have missed, from the plan and the records of the items. Predicts what a command does
 * with them.
 *
 * @param most largest number of fires that one item has missed
 * @param all number of missed fires of all items together
 * @param items number of items that have missed a fire
 * @param more true if there are too many fires to count
 */
record MissedFires(long most, long all, int items, boolean more) {
    /**
     * Returns the expected effects of a command that skips fires, one sentence each.
     *
     * @param to time before which the command skips the fires
     * @param now current time on the server's clock
     */
    static List<String> skipped(JobView job, List<RecordView> records, Instant to, Instant now) {
        Versioned<ShardingPlan> planned = job.plan();
        if (planned == null) {
            return List.of("job '" + job.name() + "' has no plan yet, so no fire was missed");
        }
        ShardingPlan plan = planned.value();
        FireTimes times = times(job, plan);
        Instant before = to.minusNanos(1);
        List<String> effects = new ArrayList<>();
        effects.add("skips "
                + of(plan, times, records, before.isBefore(now) ? before : now).text());
        Instant from = now.isAfter(plan.startsAfter()) ? now : plan.startsAfter();
        if (before.isAfter(from)) {
            long coming = times.count(from, before);
            effects.add("skips the next " + coming + (coming >= FireTimes.COUNT_LIMIT ? " or more" : "")
                    + " fires of every item");
        }
        effects.add(times.next(before.isAfter(from) ? before : from)
                .map(next -> "the next fire is at " + next)
                .orElse("the schedule has no later fire"));
        return effects;
    }

    /**
     * Returns what the misfire policy does with the missed fires after a resume; empty if no fire was missed.
     *
     * @param now current time on the server's clock
     */
    static List<String> caughtUp(JobView job, List<RecordView> records, Instant now) {
        Versioned<ShardingPlan> planned = job.plan();
        if (planned == null) {
            return List.of();
        }
        MissedFires missed = of(planned.value(), times(job, planned.value()), records, now);
        return missed.items == 0 ? List.of() : List.of(missed.text() + " so far; " + policy(job.configuration()));
    }

    private static FireTimes times(JobView job, ShardingPlan plan) {
        return FireSchedules.inForce(job.name(), plan.schedule(), plan);
    }

    private static MissedFires of(ShardingPlan plan, FireTimes times, List<RecordView> records, Instant due) {
        long missed = 0;
        long most = 0;
        int items = 0;
        boolean more = false;
        for (RecordView each : records) {
            ItemRecord record = each.record() == null ? null : each.record().value();
            if (record != null && record.state() != ItemState.RETIRED) {
                Instant decided = record.unfinished() ? record.cursorAtEnd() : record.cursor();
                Instant from = decided.isAfter(plan.startsAfter()) ? decided : plan.startsAfter();
                long count = from.isBefore(due) ? times.of(record).count(from, due) : 0;
                missed += count;
                most = Math.max(most, count);
                items += count > 0 ? 1 : 0;
                more |= count >= FireTimes.COUNT_LIMIT;
            }
        }
        return new MissedFires(most, missed, items, more);
    }

    private String text() {
        if (items == 0) {
            return "no missed fire";
        }
        String number = most + (more ? " or more" : "");
        String fires = number + (number.equals("1") ? " missed fire of " : " missed fires of ");
        boolean equal = all == most * items;
        return (equal ? "" : "up to ")
                + fires
                + (items == 1 ? "1 item" : "each of " + items + " items")
                + (equal ? "" : ", " + all + " in total");
    }

    /** Describes which of the missed fires run after a resume. */
    private static String policy(JobConfiguration job) {
        String threshold = "younger than "
                + job.misfireThreshold()
                        .map(limit -> limit + " (misfireThreshold)")
                        .orElse("the misfire threshold");
        MisfirePolicy policy = job.misfire();
        String kept;
        if (policy instanceof MisfirePolicy.FireAll all) {
            kept = "fireAll, the latest " + all.max() + " run, the oldest first, and one more if the latest is "
                    + threshold + "; the others are skipped";
        } else if (policy instanceof MisfirePolicy.Skip) {
            kept = "skip, the latest one runs if it is " + threshold + ", and the others are skipped";
        } else {
            kept = "fireOnce, the latest one runs, and the others are skipped";
        }
        return "by the misfire policy " + kept
                + job.catchUpWindow()
                        .map(window -> "; none runs that is older than " + window + " (catchUpWindow)")
                        .orElse("");
    }
}
