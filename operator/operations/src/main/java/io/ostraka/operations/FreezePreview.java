package io.ostraka.operations;

import io.ostraka.api.OstrakaException;
import io.ostraka.api.operations.JobState;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.coordination.Items.RecordView;
import io.ostraka.core.model.DelayedTrigger;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.ItemKeys;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Names;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Triggers;
import io.ostraka.core.model.Versioned;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Predicts the effects of a freeze and of its end on unfinished runs, manual triggers and the fires of the schedules.
 * Reads the items of at most {@value #MOST_READ} jobs.
 */
final class FreezePreview {
    private static final int MOST_READ = 1_000;

    /** Largest number of jobs that a preview describes. */
    private static final int MOST_DESCRIBED = 10;

    private final Snapshot snapshot;
    private final Map<String, List<RecordView>> records;
    private final Triggers triggers;
    private final List<Versioned<DelayedTrigger>> delayed;

    private FreezePreview(
            Snapshot snapshot,
            Map<String, List<RecordView>> records,
            Triggers triggers,
            List<Versioned<DelayedTrigger>> delayed) {
        this.snapshot = snapshot;
        this.records = records;
        this.triggers = triggers;
        this.delayed = delayed;
    }

    /**
     * Returns the expected effects of a freeze, one sentence each.
     *
     * @param until end of the freeze; null for no end
     */
    static CompletionStage<List<String>> frozen(Coordination from, @Nullable Instant until, Executor planner) {
        return read(from).thenApplyAsync(preview -> preview.frozen(until), planner);
    }

    /** Returns the expected effects of the end of the present freeze, one sentence each. */
    static CompletionStage<List<String>> thawed(Coordination from, Executor planner) {
        return read(from)
                .thenComposeAsync(
                        preview -> {
                            List<JobView> missing = preview.missing();
                            List<JobView> described = missing.subList(0, Math.min(missing.size(), MOST_DESCRIBED));
                            return whole(from, described, new ArrayList<>())
                                    .thenApplyAsync(
                                            jobs -> preview.thawed(jobs, missing.size() - described.size()), planner);
                        },
                        planner);
    }

    private static CompletionStage<FreezePreview> read(Coordination from) {
        CompletionStage<Triggers> triggers = from.fires().triggers();
        CompletionStage<List<Versioned<DelayedTrigger>>> delayed = from.fires().delayed();
        return Snapshot.read(from).thenCompose(snapshot -> {
            List<JobView> planned = snapshot.jobs().stream()
                    .filter(job -> job.plan() != null)
                    .limit(MOST_READ)
                    .toList();
            return records(from, planned, new HashMap<>())
                    .thenCompose(records -> triggers.thenCombine(
                            delayed, (waiting, later) -> new FreezePreview(snapshot, records, waiting, later)));
        });
    }

    private static CompletionStage<Map<String, List<RecordView>>> records(
            Coordination from, List<JobView> jobs, Map<String, List<RecordView>> read) {
        if (jobs.isEmpty()) {
            return CompletableFuture.completedStage(read);
        }
        List<JobView> next = jobs.subList(0, Math.min(jobs.size(), Snapshot.JOBS_AT_ONCE));
        Map<String, CompletableFuture<List<RecordView>>> replies = new HashMap<>();
        next.forEach(job -> replies.put(job.name(), records(from, job).toCompletableFuture()));
        return CompletableFuture.allOf(replies.values().toArray(CompletableFuture[]::new))
                .thenCompose(done -> {
                    replies.forEach((job, reply) -> read.put(job, reply.join()));
                    return records(from, jobs.subList(next.size(), jobs.size()), read);
                });
    }

    private static CompletionStage<List<RecordView>> records(Coordination from, JobView job) {
        ShardingPlan plan = Objects.requireNonNull(job.plan()).value();
        CompletionStage<List<String>> keys = ShardingPlan.numbered(plan.scope())
                ? CompletableFuture.completedStage(plan.keys())
                : from.items().keys(job.name());
        return keys.thenCompose(known -> from.items().records(job.name(), known));
    }

    /** Returns the jobs with their definitions. */
    private static CompletionStage<List<JobView>> whole(Coordination from, List<JobView> jobs, List<JobView> read) {
        return read.size() == jobs.size()
                ? CompletableFuture.completedStage(read)
                : from.jobs().job(jobs.get(read.size()).name()).thenCompose(job -> {
                    read.add(job);
                    return whole(from, jobs, read);
                });
    }

    private List<String> frozen(@Nullable Instant until) {
        List<String> effects = new ArrayList<>();
        effects.add(
                runs(true).map(runs -> "runs that have begun go on: " + runs).orElse("no item runs now"));
        runs(false).ifPresent(runs -> effects.add("interrupted runs wait for the end of the freeze: " + runs));
        triggers(until).ifPresent(runs -> effects.add("manual triggers wait for the end of the freeze: " + runs));
        if (until == null) {
            effects.add("fires of the schedules wait; after a thaw, the misfire policy of each job decides about them");
        } else {
            coming(until)
                    .ifPresent(fires -> effects.add("fires come due until then: " + fires
                            + "; after the freeze, the misfire policy of each job decides about them"));
        }
        effects.addAll(unread());
        return effects;
    }

    /** Says that the predictions are not about all jobs; empty if they are. */
    private List<String> unread() {
        long unread = snapshot.jobs().stream().filter(job -> job.plan() != null).count() - records.size();
        return unread == 0 ? List.of() : List.of("the items of " + unread + " more jobs are not read");
    }

    /** @param described jobs with missed fires, and {@code more} further ones */
    private List<String> thawed(List<JobView> described, int more) {
        List<String> effects = new ArrayList<>();
        runs(false)
                .ifPresent(runs ->
                        effects.add("interrupted runs of jobs with failover start on other instances: " + runs));
        triggers(snapshot.at()).ifPresent(runs -> effects.add("manual triggers start: " + runs));
        List<String> missed = described.stream()
                .filter(job -> job.definition() != null && starts(job))
                .flatMap(job -> MissedFires.madeUp(job, able(job), snapshot.at()).stream()
                        .map(fires -> "job '" + job.name() + "': " + fires))
                .toList();
        effects.addAll(missed);
        if (more > 0) {
            effects.add("and the missed fires of " + more + (more == 1 ? " more job" : " more jobs"));
        }
        if (!missed.isEmpty()) {
            effects.add(MissedFires.SKIPPED_FOR_GOOD);
        }
        if (effects.isEmpty()) {
            effects.add("no fire was missed, and no manual trigger waits");
        }
        effects.addAll(unread());
        return effects;
    }

    /** Returns the jobs with fires that a thaw lets start or that their misfire policies then skip. */
    private List<JobView> missing() {
        return snapshot.jobs().stream()
                .filter(job -> {
                    try {
                        return starts(job)
                                && MissedFires.of(job, able(job), snapshot.at()).items() > 0;
                    } catch (OstrakaException e) {
                        return false; // the schedule in the plan is damaged
                    }
                })
                .toList();
    }

    /** Returns whether only the freeze keeps the fires of a job from starting. */
    private boolean starts(JobView job) {
        JobState state = Views.state(job, snapshot.health());
        return state == JobState.ACTIVE || state == JobState.CHANGING;
    }

    private List<RecordView> able(JobView job) {
        return MissedFires.able(job, records.getOrDefault(job.name(), List.of()));
    }

    /** Returns the fires that come due until the end of a freeze, by job. */
    private Optional<String> coming(Instant until) {
        List<String> jobs = new ArrayList<>();
        for (JobView job : snapshot.jobs()) {
            Instant last = until.minusMillis(1); // a fire at the end of the freeze starts
            long count = starts(job) && !able(job).isEmpty() ? Views.fires(job, snapshot.at(), last) : 0;
            if (count > 0) {
                jobs.add((count >= FireTimes.COUNT_LIMIT ? "at least " : "") + count + " of job '" + job.name() + "'");
            }
        }
        return ofJobs(jobs);
    }

    /** @param live true for the runs of registered instances, false for those that wait for a takeover */
    private Optional<String> runs(boolean live) {
        List<String> jobs = new ArrayList<>();
        for (JobView job : snapshot.jobs()) {
            Set<String> items = new TreeSet<>(ItemKeys.ORDER);
            for (RecordView each : records.getOrDefault(job.name(), List.of())) {
                ItemRecord record = each.record() == null ? null : each.record().value();
                if (record != null && record.unfinished() && live == isLive(job.name(), each.item(), record)) {
                    items.add(each.item());
                }
            }
            if (!items.isEmpty()) {
                jobs.add(Names.items(items) + " of job '" + job.name() + "'");
            }
        }
        return ofJobs(jobs);
    }

    private boolean isLive(String job, String item, ItemRecord record) {
        String runner = record.requireRun().owner();
        return record.state() == ItemState.RUNNING
                && snapshot.instances().stream()
                        .anyMatch(instance -> instance.id().equals(runner)
                                || (instance.earlierIds().contains(runner)
                                        && instance.stillRunning()
                                                .getOrDefault(job, Set.of())
                                                .contains(item)));
    }

    /**
     * Returns the runs of the manual triggers that wait.
     *
     * @param due time until which delayed triggers are due; null for all
     */
    private Optional<String> triggers(@Nullable Instant due) {
        List<String> runs = Stream.concat(
                        triggers.readable().stream().map(Trigger::request),
                        delayed.stream()
                                .filter(each ->
                                        due == null || DelayedTrigger.due(each).isBefore(due))
                                .map(each -> each.value().request()))
                .map(request -> request.runId() + " of job '" + request.job() + "'")
                .toList();
        return runs.isEmpty() ? Optional.empty() : Optional.of(Draft.named(runs, ", "));
    }

    /** Returns a text for each of the first jobs, and the number of the others. */
    private static Optional<String> ofJobs(List<String> texts) {
        int more = texts.size() - MOST_DESCRIBED;
        String first = String.join("; ", texts.subList(0, Math.min(texts.size(), MOST_DESCRIBED)));
        return texts.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        first + (more > 0 ? "; and those of " + more + (more == 1 ? " more job" : " more jobs") : ""));
    }
}
