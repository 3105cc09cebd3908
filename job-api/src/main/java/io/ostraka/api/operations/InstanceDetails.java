package io.ostraka.api.operations;

import io.ostraka.api.InstanceState;
import io.ostraka.api.JobInstance;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A registered instance. Immutable.
 *
 * @param instance id and attributes
 * @param pid id of its process
 * @param state {@link InstanceState#WORKING} or {@link InstanceState#DRAINING}
 * @param leading whether the instance leads
 * @param clockAhead whether its clock is too far ahead of ZooKeeper's clock, so that it gets no items
 * @param jobs names of the jobs that it hosts; unmodifiable
 * @param items number of assigned items by job, for jobs of which it has items; unmodifiable
 * @param problem problem of the whole instance, as it reports itself; null if there is none
 */
public record InstanceDetails(
        JobInstance instance,
        long pid,
        InstanceState state,
        boolean leading,
        boolean clockAhead,
        Set<String> jobs,
        Map<String, Integer> items,
        @Nullable String problem) {
    /** Copies the collections. */
    public InstanceDetails {
        jobs = Collections.unmodifiableSet(new TreeSet<>(jobs));
        items = Collections.unmodifiableMap(new TreeMap<>(items));
    }
}
