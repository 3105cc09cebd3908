package io.ostraka.operations;

import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.decide.ClusterHealth;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.PublishedDigest;
import io.ostraka.core.model.Trigger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * The plans and overrides of all jobs, the instances, their health and the triggers, as read for a list of all jobs.
 *
 * @param jobs views without definitions, sorted by name
 * @param instances registered instances
 * @param health health of the jobs and of the instances
 * @param triggers number of manual triggers by job
 * @param at time of the read on the server's clock, as far as this client knows it
 */
record Snapshot(
        List<JobView> jobs,
        List<InstanceInfo> instances,
        ClusterHealth health,
        Map<String, Long> triggers,
        Instant at) {
    /**
     * Number of jobs in one read. The nodes of this many jobs fill one request. Small reads keep each step of the
     * store's thread short, so that other requests do not wait long.
     */
    static final int JOBS_AT_ONCE = 16;

    static CompletionStage<Snapshot> read(Coordination from) {
        CompletionStage<Map<String, Long>> triggers = from.fires().triggers().thenApply(all -> all.readable().stream()
                .map(Trigger::request)
                .collect(Collectors.groupingBy(Trigger.Request::job, Collectors.counting())));
        CompletionStage<List<InstanceInfo>> instances = from.membership().instances();
        CompletionStage<ClusterHealth> health = from.membership().digests().thenCombine(instances, Snapshot::health);
        return from.jobs()
                .names()
                .thenCompose(names -> plans(from, names.stream().sorted().toList(), new ArrayList<>()))
                .thenCompose(jobs -> instances.thenCompose(live -> health.thenCombine(
                        triggers,
                        (merged, counts) -> new Snapshot(
                                jobs, live, merged, counts, from.membership().serverTime()))));
    }

    static ClusterHealth health(List<PublishedDigest> digests, List<InstanceInfo> live) {
        return ClusterHealth.of(digests, live.stream().map(InstanceInfo::id).collect(Collectors.toSet()));
    }

    private static CompletionStage<List<JobView>> plans(Coordination from, List<String> names, List<JobView> read) {
        if (read.size() == names.size()) {
            return CompletableFuture.completedStage(read);
        }
        List<String> next = names.subList(read.size(), Math.min(names.size(), read.size() + JOBS_AT_ONCE));
        return from.jobs().plans(next).thenCompose(views -> {
            read.addAll(views);
            return plans(from, names, read);
        });
    }
}
