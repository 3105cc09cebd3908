package io.ostraka.api.operations;

import io.ostraka.api.JobHealth;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/**
 * A reason why a job does not run as configured. One or more instances report it with the same text. Immutable.
 *
 * @param reason the reason, with the earliest of the times that the instances report
 * @param instances ids of the instances; at least one, sorted, unmodifiable
 */
public record ReportedReason(JobHealth.Reason reason, Set<String> instances) {
    /** Copies and sorts the instances. */
    public ReportedReason {
        instances = Collections.unmodifiableSet(new TreeSet<>(instances));
    }
}
