package io.ostraka.core.decide;

import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobHealth.Reason;
import io.ostraka.api.operations.ReportedReason;
import io.ostraka.core.model.HealthDigest;
import io.ostraka.core.model.PublishedDigest;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Health of the cluster, merged from the digests of its instances.
 *
 * @param jobs reasons why jobs do not run as configured, by job, most severe first
 * @param problems problems of whole instances, by instance
 * @param incomplete live instances whose health is not fully known, each with the cause. If this map is not empty, a
 *     job may have reasons although {@code jobs} does not contain it
 */
public record ClusterHealth(
        Map<String, List<ReportedReason>> jobs, Map<String, String> problems, Map<String, String> incomplete) {
    /** Health of a cluster without any reports. */
    public static final ClusterHealth NONE = new ClusterHealth(Map.of(), Map.of(), Map.of());

    private static final String NO_DIGEST = "it has published no health: it has just joined";

    /** Copies and sorts the maps. */
    public ClusterHealth {
        jobs = Collections.unmodifiableMap(new TreeMap<>(jobs));
        problems = Collections.unmodifiableMap(new TreeMap<>(problems));
        incomplete = Collections.unmodifiableMap(new TreeMap<>(incomplete));
    }

    private record Reported(String job, Reason reason, String instance) {}

    private record Text(Kind kind, String text) {
        Text(Reported reported) {
            this(reported.reason().kind(), reported.reason().text());
        }
    }

    /**
     * Merges digests.
     *
     * @param live ids of the registered instances; digests of other instances are ignored
     */
    public static ClusterHealth of(Collection<PublishedDigest> published, Set<String> live) {
        Map<String, HealthDigest> digests = new TreeMap<>();
        Map<String, String> incomplete = new TreeMap<>();
        live.forEach(instance -> incomplete.put(instance, NO_DIGEST));
        for (PublishedDigest each : published) {
            if (!live.contains(each.instance())) {
                continue;
            }
            if (each.digest() != null) {
                digests.put(each.instance(), each.digest().value());
                incomplete.remove(each.instance());
            } else if (each.damage() != null) {
                incomplete.put(each.instance(), each.damage().text());
            }
        }
        Map<String, String> problems = new TreeMap<>();
        digests.forEach((instance, digest) -> {
            if (digest.problem() != null) {
                problems.put(instance, digest.problem());
            }
            if (digest.truncated() > 0) {
                incomplete.put(
                        instance, "its published health leaves out " + digest.truncated() + " jobs with reasons");
            }
        });
        Map<String, List<ReportedReason>> jobs = new TreeMap<>();
        digests.values().stream()
                .flatMap(ClusterHealth::reported)
                .collect(Collectors.groupingBy(Reported::job))
                .forEach((job, reasons) -> jobs.put(job, merged(reasons)));
        return new ClusterHealth(jobs, problems, incomplete);
    }

    private static Stream<Reported> reported(HealthDigest digest) {
        return digest.jobs().entrySet().stream().flatMap(job -> job.getValue().stream()
                .map(reason -> new Reported(job.getKey(), reason, digest.instance())));
    }

    private static ReportedReason shared(List<Reported> same) {
        return new ReportedReason(
                same.stream()
                        .map(Reported::reason)
                        .min(Comparator.comparing(Reason::since))
                        .orElseThrow(),
                same.stream().map(Reported::instance).collect(Collectors.toSet()));
    }

    private static List<ReportedReason> merged(List<Reported> reasons) {
        return reasons.stream().collect(Collectors.groupingBy(Text::new)).values().stream()
                .map(ClusterHealth::shared)
                .sorted(Comparator.comparing(
                                (ReportedReason reported) -> reported.reason().kind())
                        .thenComparing(reported -> reported.reason().since())
                        .thenComparing(reported -> reported.reason().text()))
                .toList();
    }
}
