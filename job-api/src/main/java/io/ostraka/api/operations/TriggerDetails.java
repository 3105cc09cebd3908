package io.ostraka.api.operations;

import java.time.Instant;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A manual trigger that is waiting or being processed. Immutable.
 *
 * @param runId id of the run
 * @param created time at which ZooKeeper accepted the trigger; null while the delay of the trigger has not passed
 * @param due time at which the delay of the trigger ends; null if the trigger has no delay or the delay has passed
 * @param items keys of the items to run; empty for all. Unmodifiable
 * @param left number of items that have not ended; null if the run has not begun
 */
public record TriggerDetails(
        String runId, @Nullable Instant created, @Nullable Instant due, Set<String> items, @Nullable Integer left) {
    /** Copies the items. */
    public TriggerDetails {
        items = Collections.unmodifiableSet(new TreeSet<>(items));
    }
}
