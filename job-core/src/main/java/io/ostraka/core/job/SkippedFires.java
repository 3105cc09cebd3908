package io.ostraka.core.job;

import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.SkipReason;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.ItemKeys;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.Names;
import io.ostraka.core.model.Skipped;
import io.ostraka.core.model.Versioned;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Skipped fires that items of this instance could not start in time. Reports them in one log line and as a reason in
 * health, at most once a minute, because a job that is too slow skips fires again and again. Confined to the job's
 * serial executor.
 */
final class SkippedFires {
    private static final Logger log = LoggerFactory.getLogger(SkippedFires.class);
    /** Shortest time between two reports, so that a change of the text costs few writes of the published health. */
    private static final Duration PAUSE = Duration.ofMinutes(1);
    /** Time for which a skip is a reason in health, also if later fires start in time. */
    private static final Duration LASTS = Duration.ofMinutes(10);

    private final HostedJobState job;
    private final PlanReader plan;
    private final Map<String, Skip> latest = new HashMap<>();
    private boolean unreported;
    /** Time of the latest report, in monotonic nanoseconds; null before the first. */
    private @Nullable Long reported;

    /**
     * Skipped fires of an item.
     *
     * @param misfired true if the latest of them is a misfire, false if it is overlapped
     * @param found time at which the skip was found, in monotonic nanoseconds
     */
    private record Skip(Instant from, Instant to, long count, boolean misfired, long found) {
        /** Combines this skip with a later one, which contains it if this one was found before it was recorded. */
        Skip and(Skip later) {
            return later.from.isAfter(to)
                    ? new Skip(from, later.to, count + later.count, later.misfired, later.found)
                    : later;
        }
    }

    SkippedFires(HostedJobState job, PlanReader plan) {
        this.job = job;
        this.plan = plan;
    }

    /**
     * Records the late fires that a decision about an item skips. They may be known already, because an item without a
     * fire to run records its skips with its next claim. Fires from before an operator's latest change are left out:
     * the change may have ended a pause, and the operator knows of it.
     */
    void found(String item, ItemRecord record, Collection<Skipped> fires) {
        for (Skipped each : fires) {
            Skip before = latest.get(item);
            if ((before == null || each.to().isAfter(before.to)) && each.to().isAfter(allowed(record))) {
                boolean misfired = each.reason() == SkipReason.MISFIRED;
                latest.merge(item, new Skip(each.from(), each.to(), each.count(), misfired, now()), Skip::and);
                unreported = true;
            }
        }
    }

    /** Returns the time of an operator's latest change that may have allowed the item to start. */
    private Instant allowed(ItemRecord record) {
        ItemRecord.Release release = record.release();
        Instant latest = plan.ordered();
        return release == null || !release.at().isAfter(latest) ? latest : release.at();
    }

    /** Writes the log line and the reason for health if they have changed. Called every few seconds. */
    void examine() {
        if (latest.isEmpty() || (reported != null && now() - reported < PAUSE.toNanos())) {
            return;
        }
        latest.entrySet()
                .removeIf(each ->
                        now() - each.getValue().found >= LASTS.toNanos() && isDecided(each.getKey(), each.getValue()));
        String late = latest.isEmpty() ? null : describe();
        job.problem(Kind.SKIPPED_FIRES, late);
        if (unreported) {
            log.warn("job '{}': {}", job.name, late);
        }
        unreported = false;
        reported = now();
    }

    /** Returns whether the item has decided about a fire after the skipped ones. */
    private boolean isDecided(String item, Skip skip) {
        HostedItem hosted = job.items.get(item);
        Versioned<ItemRecord> record = hosted == null ? null : hosted.record();
        return record == null
                || (!record.value().cursor().isBefore(skip.to)
                        && record.value().skipped().stream()
                                .noneMatch(skipped -> skipped.reason() == SkipReason.MISFIRED));
    }

    private String describe() {
        long count = latest.values().stream().mapToLong(Skip::count).sum();
        Instant from = latest.values().stream()
                .map(Skip::from)
                .min(Comparator.naturalOrder())
                .orElseThrow();
        Instant to = latest.values().stream()
                .map(Skip::to)
                .max(Comparator.naturalOrder())
                .orElseThrow();
        boolean most = latest.values().stream().anyMatch(skip -> skip.count >= FireTimes.COUNT_LIMIT);
        List<String> items = latest.keySet().stream().sorted(ItemKeys.ORDER).toList();
        return Names.items(items) + " could not start " + (most ? "at least " : "") + count
                + (count == 1 ? " fire in time, due at " + to : " fires in time, due from " + from + " to " + to)
                + ", and skipped " + (count == 1 ? "it" : "them")
                + (latest.values().stream().allMatch(Skip::misfired)
                        ? ", as the policy misfire says; if all fires must run, set it to fireAll"
                        : ", as the policies misfire and overlap say; if all fires must run, set them to fireAll and queue");
    }

    private long now() {
        return job.context.platform().clock().monotonicNanos();
    }
}
