package io.ostraka.operations;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.Schedule;
import io.ostraka.core.coordination.Items.RecordView;
import io.ostraka.core.model.Definition;
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
import java.util.Optional;
import java.util.Set;

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
    static final String SKIPPED_FOR_GOOD = OverrideCommands.NO_WAY_BACK + ": skipped fires do not come back";

    /**
     * Returns the expected effects of a command that skips fires, one sentence each.
     *
     * @param to time before which the command skips the fires
     * @param now current time on the server's clock
     */
    static List<String> skipped(JobView job, List<RecordView> records, Instant to, Instant now) {
        Versioned<ShardingPlan> planned = job.plan();
        if (planned == null) {
            return List.of("job '" + job.name() + "' has no plan yet, so no fire was missed", SKIPPED_FOR_GOOD);
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
        effects.add(SKIPPED_FOR_GOOD);
        return effects;
    }

    /**
     * Returns how the misfire policy treats the missed fires once they may start; empty if no fire was missed, or if
     * the schedule has no fires that could be missed.
     *
     * @param job a job with a definition
     * @param records records of the items that may start then
     * @param now current time on the server's clock
     */
    static List<String> caughtUp(JobView job, List<RecordView> records, Instant now) {
        return madeUp(job, records, now)
                .map(fires -> List.of(fires, SKIPPED_FOR_GOOD))
                .orElse(List.of());
    }

    /** Returns only the description of the missed fires, as {@link #caughtUp} does. */
    static Optional<String> madeUp(JobView job, List<RecordView> records, Instant now) {
        MissedFires missed = of(job, records, now);
        return missed.items == 0
                ? Optional.empty()
                : Optional.of(missed.text() + " so far; " + policy(job.configuration()));
    }

    /** Returns the fate of the missed fires of an item that is enabled, as {@link #caughtUp} does. */
    static List<String> enabled(JobView job, String item, List<RecordView> records, Instant now) {
        List<RecordView> own =
                records.stream().filter(each -> each.item().equals(item)).toList();
        boolean quarantined = own.stream()
                .anyMatch(each -> each.record() != null && each.record().value().state() == ItemState.QUARANTINED);
        return quarantined
                ? List.of("the item is quarantined, so it starts no fire until it is released")
                : caughtUp(job, own, now);
    }

    /** Returns the fires that items have missed so far; none if the schedule has no fires that could be missed. */
    static MissedFires of(JobView job, List<RecordView> records, Instant now) {
        Versioned<ShardingPlan> planned = job.plan();
        return planned == null || !ShardingPlan.canSkip(planned.value().schedule())
                ? new MissedFires(0, 0, 0, false)
                : of(planned.value(), times(job, planned.value()), records, now);
    }

    /** Returns the records of the items that an end of a pause or of a freeze lets start: neither disabled nor quarantined. */
    static List<RecordView> able(JobView job, List<RecordView> records) {
        Set<String> disabled = job.overrideKnown() ? job.overrideOrNone().disabledItems() : Set.of();
        return records.stream()
                .filter(each -> !disabled.contains(each.item())
                        && (each.record() == null || each.record().value().state() != ItemState.QUARANTINED))
                .toList();
    }

    /**
     * Returns the fate of the fires of an item that is disabled now, one sentence each.
     *
     * @param job a job with a definition
     */
    static List<String> whileDisabled(JobView job) {
        Schedule schedule = job.configuration().schedule();
        Versioned<Definition> definition = job.definition();
        boolean onDemand = schedule.unbounded() instanceof Schedule.OnDemand;
        List<String> effects = new ArrayList<>();
        effects.add("until the item is enabled, it "
                + (onDemand ? "skips manual triggers" : "starts no fire of its schedule and skips manual triggers"));
        if (definition != null && definition.value().onceListeners() && !onDemand) {
            effects.add("it skips each fire that other items run, because the job has a once-listener");
        } else if (ShardingPlan.canSkip(schedule)) {
            effects.add("its missed fires wait until it is enabled; then, " + policy(job.configuration()));
        }
        return effects;
    }

    private static FireTimes times(JobView job, ShardingPlan plan) {
        return FireSchedules.inForce(job.name(), plan.schedule(), plan).remembering(); // all items have the same fires
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

    /** Describes which of the missed fires run. */
    private static String policy(JobConfiguration job) {
        if (job.schedule().unbounded() instanceof Schedule.Once) {
            return "the only fire of the schedule runs, however late";
        }
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
