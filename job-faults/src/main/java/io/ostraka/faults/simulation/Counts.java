package io.ostraka.faults.simulation;

import io.ostraka.api.FailoverReason;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.SkipReason;
import io.ostraka.api.metrics.Meters;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Counts what the meters of one instance are told, as long as its process lives. */
final class Counts implements Meters {
    private final Map<String, Map<String, Long>> jobs = new TreeMap<>();

    /** Returns how often what was told, by job. */
    Map<String, Map<String, Long>> read() {
        return jobs;
    }

    private void add(String job, String what, long times) {
        jobs.computeIfAbsent(job, key -> new TreeMap<>()).merge(what, times, Long::sum);
    }

    @Override
    public void started(String job, Duration waited, Optional<Duration> delay) {
        add(job, "started", 1);
    }

    @Override
    public void retried(String job) {
        add(job, "retried", 1);
    }

    @Override
    public void ended(String job, ItemOutcome outcome, Duration ran) {
        add(job, "ended " + outcome, 1);
    }

    @Override
    public void skipped(String job, SkipReason reason, long fires) {
        add(job, "skipped " + reason, fires);
    }

    @Override
    public void failedOver(String job, FailoverReason reason) {
        add(job, "failed over", 1);
    }
}
