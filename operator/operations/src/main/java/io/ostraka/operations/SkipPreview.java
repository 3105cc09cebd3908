package io.ostraka.operations;

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

/** Predicts which fires a command skips, from the plan and the records of the items. */
final class SkipPreview {
    private SkipPreview() {}

    /**
     * Returns the expected effects, one sentence each.
     *
     * @param to time before which the command skips the fires
     * @param now current time on the server's clock
     */
    static List<String> effects(JobView job, List<RecordView> records, Instant to, Instant now) {
        Versioned<ShardingPlan> planned = job.plan();
        if (planned == null) {
            return List.of("job '" + job.name() + "' has no plan yet, so no fire was missed");
        }
        ShardingPlan plan = planned.value();
        FireTimes times = FireSchedules.inForce(job.name(), plan.schedule(), plan);
        Instant before = to.minusNanos(1);
        Instant due = before.isBefore(now) ? before : now;
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
        List<String> effects = new ArrayList<>();
        effects.add(missed(most + (more ? " or more" : ""), most, missed, items));
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
     * Describes the missed fires.
     *
     * @param number {@code most} as text, such as {@code at least 1000}
     * @param most largest number of fires that one item has missed
     * @param all number of missed fires of all items together
     */
    private static String missed(String number, long most, long all, int items) {
        if (items == 0) {
            return "skips no missed fire";
        }
        String fires = number + (number.equals("1") ? " missed fire of " : " missed fires of ");
        boolean equal = all == most * items;
        return "skips " + (equal ? "" : "up to ") + fires + (items == 1 ? "1 item" : "each of " + items + " items")
                + (equal ? "" : ", " + all + " in total");
    }
}
