package io.ostraka.history.jdbc;

import io.ostraka.history.row.TriggeredRun;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A fire of a job, with the claims of its items that the history contains.
 *
 * @param runId identity of the fire
 * @param fireTime scheduled instant of the fire, or the fire time of a manual trigger
 * @param triggered true for a manual trigger
 * @param shardingTotalCount number of items that the fire is split into
 * @param outcomes number of items by the outcome of their last claims. {@code OTHER} stands for all outcomes that later
 *     versions of the library have added. Outcomes that no item has are missing. Unmodifiable
 * @param claims number of claims. It is larger than the number of items if an item was claimed again, for example after
 *     the death of an instance
 * @param item key of the item, if the claims are those of one item only; null otherwise
 * @param firstStart earliest start of an item's code; null if none is known
 * @param lastEnd latest end of a claim; null if there is no claim
 * @param trigger the manual trigger; null for a scheduled fire, or if the history does not contain the trigger
 */
public record RunSummary(
        String runId,
        Instant fireTime,
        boolean triggered,
        int shardingTotalCount,
        Map<String, Long> outcomes,
        long claims,
        @Nullable String item,
        @Nullable Instant firstStart,
        @Nullable Instant lastEnd,
        @Nullable TriggeredRun trigger) {
    /** Copies the numbers. */
    public RunSummary {
        outcomes = Collections.unmodifiableMap(new TreeMap<>(outcomes));
    }

    /** Returns this fire with its manual trigger. */
    RunSummary with(@Nullable TriggeredRun found) {
        return new RunSummary(
                runId, fireTime, triggered, shardingTotalCount, outcomes, claims, item, firstStart, lastEnd, found);
    }

    /** Returns this fire with other outcomes. */
    RunSummary with(Map<String, Long> ofItems) {
        return new RunSummary(
                runId, fireTime, triggered, shardingTotalCount, ofItems, claims, item, firstStart, lastEnd, trigger);
    }
}
