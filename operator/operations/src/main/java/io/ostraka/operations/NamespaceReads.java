package io.ostraka.operations;

import io.ostraka.api.operations.JobDetails;
import io.ostraka.api.operations.TriggerDetails;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.coordination.Items.RecordView;
import io.ostraka.core.decide.ClusterHealth;
import io.ostraka.core.instance.Answers;
import io.ostraka.core.instance.OperationsPort;
import io.ostraka.core.instance.Refusals;
import io.ostraka.core.instance.RequestGate;
import io.ostraka.core.model.BackfillView;
import io.ostraka.core.model.DelayedTrigger;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Names;
import io.ostraka.core.model.PendingTriggers;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.UnreadableTrigger;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the nodes that views and problems of a namespace depend on. The calling thread waits for the replies. */
final class NamespaceReads {
    /** Maximum age of a list of jobs that is returned without a new read. */
    private static final Duration FRESH = Duration.ofMillis(500);

    private final Coordination coordination;
    private final RequestGate gate;
    private final Answers answers;
    private final Clock clock;

    /** The latest list of jobs, or the read that fetches it. Guarded by this. */
    private @Nullable CompletableFuture<Snapshot> latest;

    private long latestNanos;

    NamespaceReads(OperationsPort port, Answers answers) {
        this.coordination = port.coordination();
        this.gate = port.gate();
        this.answers = answers;
        this.clock = port.clock();
    }

    <T> T read(String what, Supplier<CompletionStage<T>> request) {
        return answers.await("read " + what, gate.ask(request).answer());
    }

    /** Returns the latest snapshot if it is recent; otherwise reads a new one. Concurrent callers share one read. */
    Snapshot snapshot() {
        CompletableFuture<Snapshot> shared;
        synchronized (this) {
            // a read that waits for a connection serves all later callers too
            if (latest == null
                    || latest.isCompletedExceptionally()
                    || (latest.isDone() && clock.monotonicNanos() - latestNanos > FRESH.toNanos())) {
                latest = gate.ask(() -> Snapshot.read(coordination)).answer();
                latestNanos = clock.monotonicNanos();
            }
            shared = latest;
        }
        return answers.await("read the jobs", shared.copy()); // a caller that gives up must not cancel the others' read
    }

    /** Returns the texts of unreadable nodes; null if there are none. */
    static @Nullable String problem(Stream<UnreadableNode> unreadable) {
        String text = unreadable.map(UnreadableNode::text).collect(Collectors.joining("; "));
        return text.isEmpty() ? null : text;
    }

    /** Makes the next {@link #snapshot} read. */
    synchronized void forget() {
        latest = null;
    }

    /** Returns the ids of the registered instances. */
    Set<String> live() {
        return read("the instances", () -> coordination.membership().instances()).stream()
                .map(InstanceInfo::id)
                .collect(Collectors.toSet());
    }

    List<RecordView> records(JobView job) {
        return records(job.name(), keys(job));
    }

    /** Returns the records of the items of jobs that have a plan. The reads of several jobs share requests. */
    Map<String, List<RecordView>> records(List<JobView> jobs) {
        Map<String, List<RecordView>> records = new HashMap<>();
        for (int from = 0; from < jobs.size(); from += Snapshot.JOBS_AT_ONCE) {
            List<JobView> next = jobs.subList(from, Math.min(jobs.size(), from + Snapshot.JOBS_AT_ONCE));
            List<CompletableFuture<List<RecordView>>> reads = next.stream()
                    .map(job -> gate.ask(() -> askedKeys(job)
                                    .thenCompose(keys -> coordination.items().records(job.name(), keys)))
                            .answer())
                    .toList();
            for (int i = 0; i < next.size(); i++) {
                String job = next.get(i).name();
                records.put(job, answers.await("read the items of job '" + job + "'", reads.get(i)));
            }
        }
        return records;
    }

    List<RecordView> records(String job, List<String> keys) {
        return read("the items of job '" + job + "'", () -> coordination.items().records(job, keys));
    }

    /**
     * Returns the keys of a job's items. The keys of numbered items follow from the plan; other keys are read from
     * ZooKeeper.
     */
    List<String> keys(JobView job) {
        return read("the items of job '" + job.name() + "'", () -> askedKeys(job));
    }

    private CompletionStage<List<String>> askedKeys(JobView job) {
        Versioned<ShardingPlan> plan = job.plan();
        return plan != null && ShardingPlan.numbered(plan.value().scope())
                ? CompletableFuture.completedStage(plan.value().keys())
                : coordination.items().keys(job.name());
    }

    ClusterHealth health(Set<String> live) {
        return ClusterHealth.of(
                read(
                        "the health of the instances",
                        () -> coordination.membership().digests()),
                live);
    }

    JobDetails details(JobView job, ClusterHealth health, Set<String> live, List<RecordView> records) {
        String name = job.name();
        Instant at = coordination.membership().serverTime();
        PendingTriggers pending = pending(name);
        List<TriggerDetails> triggers = triggers(pending);
        BackfillView backfill = read(
                "the backfill of job '" + name + "'",
                () -> coordination.backfills().of(name));
        return new JobDetails(
                Views.summary(job, health, triggers.size(), at),
                ItemViews.activity(name, records, live),
                Views.fields(job),
                job.overrideKnown() ? job.overrideOrNone().disabledItems() : Set.of(),
                job.overrideKnown() ? job.overrideOrNone().disabledInstances() : Set.of(),
                job.overrideKnown() ? job.overrideOrNone().skipTo() : null,
                Views.changes(job),
                triggers,
                job.override() == null ? 0 : job.override().mzxid(),
                job.registeredBy(),
                problem(Stream.of(
                                job.damages().unreadable(),
                                pending.unreadable().stream().map(UnreadableTrigger::damage),
                                Stream.ofNullable(backfill.damage()))
                        .flatMap(nodes -> nodes)));
    }

    JobView known(String name) {
        Names.requireJob(name);
        JobView job = read("job '" + name + "'", () -> coordination.jobs().job(name));
        if (job.definition() == null && job.plan() == null && job.problem() == null) {
            throw Refusals.unknown(name);
        }
        return job;
    }

    PendingTriggers pending(String job) {
        return read("the triggers", () -> coordination.fires().pending(job));
    }

    static List<TriggerDetails> triggers(PendingTriggers pending) {
        List<TriggerDetails> all = new ArrayList<>();
        pending.waiting()
                .forEach(each -> all.add(new TriggerDetails(
                        each.trigger().request().runId(),
                        each.trigger().at(),
                        null,
                        each.trigger().request().items(),
                        each.progress() == null ? null : each.progress().left().size())));
        pending.delayed()
                .forEach(trigger -> all.add(new TriggerDetails(
                        trigger.value().request().runId(),
                        null,
                        DelayedTrigger.due(trigger),
                        trigger.value().request().items(),
                        null)));
        return all;
    }
}
