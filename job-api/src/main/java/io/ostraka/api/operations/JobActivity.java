package io.ostraka.api.operations;

import io.ostraka.api.ItemOutcome;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a job runs now, and how its last runs ended, from the records of its items. Immutable.
 *
 * @param job name of the job
 * @param lastFire latest fire of the job that an item has claimed; null if no item has ever run
 * @param outcomes number of items by the outcome of their last run; running items and items that have never run are not
 *     counted. Unmodifiable
 * @param running number of running items
 * @param runningSince start of the longest run, by its owner's clock; null if no item runs
 * @param interrupted number of items whose run was interrupted and waits for another instance
 * @param quarantined number of quarantined items
 * @param unreadable number of items with a missing or unreadable record, which the other figures leave out
 * @param failuresInARow largest number of successive failed runs of an item
 */
public record JobActivity(
        String job,
        @Nullable Instant lastFire,
        Map<ItemOutcome, Integer> outcomes,
        int running,
        @Nullable Instant runningSince,
        int interrupted,
        int quarantined,
        int unreadable,
        int failuresInARow) {
    /** Copies the outcomes. */
    public JobActivity {
        Map<ItemOutcome, Integer> copy = new EnumMap<>(ItemOutcome.class);
        copy.putAll(outcomes);
        outcomes = Collections.unmodifiableMap(copy);
    }
}
