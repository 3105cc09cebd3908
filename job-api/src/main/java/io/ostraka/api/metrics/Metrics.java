package io.ostraka.api.metrics;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * What an instance has measured.
 *
 * @param jobs by name; a job of which nothing has happened here is not there
 * @param load how much is under way
 */
public record Metrics(Map<String, JobMetrics> jobs, Load load) {
    /** Copies the jobs, in order. */
    public Metrics {
        jobs = Collections.unmodifiableMap(new TreeMap<>(jobs));
    }
}
