package io.ostraka.core.model;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.Health;
import io.ostraka.api.InstanceState;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobHealth.Reason;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The part of an instance's health that the instance publishes for operators and for the leader: its own state, and the
 * jobs that do not run as configured. Other jobs are left out.
 *
 * @param instance id of the instance
 * @param state state of the instance in its life cycle
 * @param leading true if the instance is the leader
 * @param connectedSince start of the instance's connection, on the instance's clock
 * @param problem problem of the whole instance; null if there is none
 * @param jobs reasons why jobs do not run as configured, by job. Each list has at least one reason, the most severe
 *     first
 * @param alarms kinds of alarms for which the instance has found a cause, by job. The leader examines these jobs
 * @param historyLost latest time at which the instance's history has dropped rows; null if it has dropped none
 * @param truncated number of jobs that have reasons but are left out, because the digest would be too large
 */
public record HealthDigest(
        String instance,
        InstanceState state,
        boolean leading,
        Instant connectedSince,
        @Nullable String problem,
        Map<String, List<Reason>> jobs,
        Map<String, Set<AlarmKind>> alarms,
        @Nullable Instant historyLost,
        int truncated) {
    /** Largest size of a text, in bytes. Longer texts are cut. */
    private static final int LONGEST_TEXT = 1_000;

    private static final Comparator<Kind> ATTENTION_FIRST = Comparator.comparing(Kind::needsAttention)
            .reversed()
            .thenComparing(Kind::status, Comparator.reverseOrder());

    /** Copies and sorts the jobs and their reasons, shortens long texts, and replaces control characters in texts. */
    public HealthDigest {
        Names.require("id", instance);
        Names.requireRange("truncated", truncated, 0, Integer.MAX_VALUE);
        problem = problem == null ? null : Names.excerpt(problem, LONGEST_TEXT);
        Map<String, List<Reason>> copy = new TreeMap<>();
        jobs.forEach((job, reasons) -> {
            if (!reasons.isEmpty()) {
                copy.put(Names.requireJob(job), printable(reasons));
            }
        });
        jobs = Collections.unmodifiableMap(copy);
        Map<String, Set<AlarmKind>> kinds = new TreeMap<>();
        alarms.forEach((job, found) -> {
            if (!found.isEmpty()) {
                kinds.put(Names.requireJob(job), Collections.unmodifiableSet(EnumSet.copyOf(found)));
            }
        });
        alarms = Collections.unmodifiableMap(kinds);
    }

    private static List<Reason> printable(List<Reason> reasons) {
        return reasons.stream()
                .map(reason -> new Reason(reason.kind(), Names.excerpt(reason.text(), LONGEST_TEXT), reason.since()))
                .sorted(Comparator.comparing(Reason::kind)) // the kinds are declared in the order of their severity
                .toList();
    }

    /**
     * Returns the digest of an instance's health.
     *
     * @param alarms kinds of alarms for which the instance has found a cause, by job
     * @param historyLost latest time at which the instance's history has dropped rows; null if it has dropped none
     */
    public static HealthDigest of(
            String instance, Health health, Map<String, Set<AlarmKind>> alarms, @Nullable Instant historyLost) {
        Map<String, List<Reason>> jobs = new TreeMap<>();
        health.jobs().forEach((name, job) -> jobs.put(name, job.reasons()));
        return new HealthDigest(
                instance,
                health.state(),
                health.leading(),
                health.connectedSince(),
                health.problem(),
                jobs,
                alarms,
                historyLost,
                0);
    }

    /**
     * Returns a digest with at most the given number of jobs. Jobs that need attention are kept first, then stopped
     * jobs.
     */
    public HealthDigest limitedTo(int most) {
        Map<String, List<Reason>> kept = new TreeMap<>();
        jobs.entrySet().stream()
                .sorted(Map.Entry.comparingByValue(Comparator.comparing(HealthDigest::mostUrgent, ATTENTION_FIRST)))
                .limit(most)
                .forEach(job -> kept.put(job.getKey(), job.getValue()));
        int left = jobs.size() - kept.size();
        return new HealthDigest(
                instance, state, leading, connectedSince, problem, kept, alarms, historyLost, truncated + left);
    }

    private static Kind mostUrgent(List<Reason> reasons) {
        return reasons.stream().map(Reason::kind).min(ATTENTION_FIRST).orElseThrow();
    }
}
