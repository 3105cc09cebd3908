package io.ostraka.api.operations;

import io.ostraka.api.ItemOutcome;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Current runs of a job and outcomes of its last runs, from the records of its items. Immutable.
 *
 * @param job name of the job
 * @param lastFire time of the latest fire among the current or last runs of the items; null if no item has ever run
 * @param outcomes number of items by the outcome of their last run; running items and items that have never run are not
 *     included. Unmodifiable
 * @param running number of running items
 * @param runningSince earliest start of a current run, by its owner's clock; null if no item runs
 * @param interrupted number of items whose run was interrupted and waits for another instance
 * @param quarantined number of quarantined items
 * @param unreadable number of items with a missing or unreadable record; the other figures do not include these items
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
