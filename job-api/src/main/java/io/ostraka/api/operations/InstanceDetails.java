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
 * @param pid id of the process
 * @param state {@link InstanceState#WORKING} or {@link InstanceState#DRAINING}
 * @param leading true if the instance is the leader
 * @param clockAhead true if the instance gets no items because its clock is too far ahead of ZooKeeper's clock
 * @param jobs names of the jobs that the instance hosts; unmodifiable
 * @param items number of items that are assigned to the instance, by job. A job without such items has no entry;
 *     unmodifiable
 * @param problem problem of the whole instance, as the instance reports it; null if there is none
 * @param healthGap explanation if the instance's health report is missing, unreadable or too long; the instance may
 *     then have problems that no view shows. Null if the report is complete
 */
public record InstanceDetails(
        JobInstance instance,
        long pid,
        InstanceState state,
        boolean leading,
        boolean clockAhead,
        Set<String> jobs,
        Map<String, Integer> items,
        @Nullable String problem,
        @Nullable String healthGap) {
    /** Copies the collections. */
    public InstanceDetails {
        jobs = Collections.unmodifiableSet(new TreeSet<>(jobs));
        items = Collections.unmodifiableMap(new TreeMap<>(items));
    }
}
