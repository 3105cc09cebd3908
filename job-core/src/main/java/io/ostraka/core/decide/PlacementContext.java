package io.ostraka.core.decide;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Additional inputs of a job's placement: measurements, and instances that the job must avoid.
 *
 * @param runTimes average run time by item; items without a measured run are missing
 * @param otherItems number of items of other jobs by instance; instances without items of other jobs are missing
 * @param apart instances that own items of a job that this job avoids, see {@link AntiAffinity}
 * @param disabled instances that an operator has disabled for the job
 * @param lastFire due time of the job's latest claimed or skipped fire; null if unknown
 * @param busyOwner instance that a later fire has found busy with the job's first item; null if there is none
 */
public record PlacementContext(
        Map<String, Duration> runTimes,
        Map<String, Integer> otherItems,
        Set<String> apart,
        Set<String> disabled,
        @Nullable Instant lastFire,
        @Nullable String busyOwner) {
    /** Context without measurements and without instances to avoid. */
    public static final PlacementContext NONE = new PlacementContext(Map.of(), Map.of(), Set.of(), null);

    /** Creates a context without disabled instances and without a busy owner. */
    public PlacementContext(
            Map<String, Duration> runTimes,
            Map<String, Integer> otherItems,
            Set<String> apart,
            @Nullable Instant lastFire) {
        this(runTimes, otherItems, apart, Set.of(), lastFire, null);
    }

    public PlacementContext {
        runTimes = Map.copyOf(runTimes);
        otherItems = Map.copyOf(otherItems);
        apart = Set.copyOf(apart);
        disabled = Set.copyOf(disabled);
    }
}
