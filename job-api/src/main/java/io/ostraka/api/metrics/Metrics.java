package io.ostraka.api.metrics;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Figures that an instance has measured. Immutable.
 *
 * @param jobs figures by job name; a job without any event in this instance has no entry
 * @param load current load of the instance
 * @param status state of the jobs, for monitoring systems that raise alarms
 */
public record Metrics(Map<String, JobMetrics> jobs, Load load, Status status) {
    /** Copies the jobs and sorts them by name. */
    public Metrics {
        jobs = Collections.unmodifiableMap(new TreeMap<>(jobs));
    }
}
