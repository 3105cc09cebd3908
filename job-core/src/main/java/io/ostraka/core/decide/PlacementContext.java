package io.ostraka.core.decide;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a job's placement depends on beside the job itself.
 *
 * @param runTimes how long runs of its items take by measurement, by item; those without one are missing
 * @param otherItems how many items of other jobs an instance has; those with none are missing
 * @param apart instances that have items of the job that this one keeps apart from, and yields to
 * @param disabled instances that an operator has disabled for it
 * @param lastFire the latest fire of it that was decided; null if not known
 */
public record PlacementContext(
        Map<String, Duration> runTimes,
        Map<String, Integer> otherItems,
        Set<String> apart,
        Set<String> disabled,
        @Nullable Instant lastFire) {
    /** Nothing is known, and nothing is in the way. */
    public static final PlacementContext NONE = new PlacementContext(Map.of(), Map.of(), Set.of(), null);

    /** Those where no instance is disabled. */
    public PlacementContext(
            Map<String, Duration> runTimes,
            Map<String, Integer> otherItems,
            Set<String> apart,
            @Nullable Instant lastFire) {
        this(runTimes, otherItems, apart, Set.of(), lastFire);
    }

    /** Copies. */
    public PlacementContext {
        runTimes = Map.copyOf(runTimes);
        otherItems = Map.copyOf(otherItems);
        apart = Set.copyOf(apart);
        disabled = Set.copyOf(disabled);
    }
}
