package io.ostraka.api.operations;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Numbers of scheduled fires in a period. Immutable.
 *
 * @param slot length of each part of the period
 * @param slots parts of the period, in order
 * @param unpredictable jobs without a forecast, because their fires depend on the ends of runs or their plan is
 *     unreadable; unmodifiable
 */
public record Forecast(Duration slot, List<Slot> slots, Set<String> unpredictable) {
    /** Copies the collections. */
    public Forecast {
        slots = List.copyOf(slots);
        unpredictable = Collections.unmodifiableSet(new TreeSet<>(unpredictable));
    }

    /**
     * A part of the period.
     *
     * @param start first instant of the part
     * @param fires number of fires by job, at most 1,000 for each; jobs without fires are left out. Unmodifiable
     * @param clockChanges names of the jobs' time zones in which clocks are set forward or back during this part;
     *     unmodifiable
     */
    public record Slot(Instant start, Map<String, Integer> fires, Set<String> clockChanges) {
        /** Copies the collections. */
        public Slot {
            fires = Collections.unmodifiableMap(new TreeMap<>(fires));
            clockChanges = Collections.unmodifiableSet(new TreeSet<>(clockChanges));
        }
    }
}
