package io.ostraka.operations;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.operations.AlarmDetails;
import io.ostraka.api.operations.InstanceDetails;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.JobActivity;
import io.ostraka.api.operations.JobDetails;
import io.ostraka.api.operations.JobState;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.api.operations.NamespaceDetails;
import io.ostraka.api.operations.Problem;
import io.ostraka.api.operations.Problem.Kind;
import io.ostraka.core.coordination.Items.RecordView;
import io.ostraka.core.decide.ClusterHealth;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.function.Predicate;

/** Reads the nodes that the problems of the namespace or of one job depend on, with few requests to ZooKeeper. */
final class Triage {
    /** Largest number of jobs whose problems are listed. */
    private static final int MOST_JOBS = 50;

    /** Largest number of jobs whose items are read. */
    private static final int MOST_CHECKED = 1_000;

    /** Reasons that jobs report, but that belong to the namespace or to an instance, which shows each of them once. */
    private static final Set<Kind> OF_NAMESPACE =
            EnumSet.of(Kind.FROZEN, Kind.DRAINED, Kind.CLOCK_AHEAD, Kind.DISCONNECTED);

    private final NamespaceReads reads;
    private final BinaryOperator<String> explain;
    private final ClusterHealth health;
    private final Set<String> live;
    private final List<AlarmDetails> alarms;

    private Triage(
            NamespaceReads reads,
            ClusterHealth health,
            Set<String> live,
            List<AlarmDetails> alarms,
            BinaryOperator<String> explain) {
        this.reads = reads;
        this.health = health;
        this.live = live;
        this.alarms = alarms.stream().filter(AlarmDetails::firing).toList();
        this.explain = explain;
    }

    /**
     * Returns the problems of the namespace.
     *
     * @param jobs returns whether the list may contain problems of a job
     * @param instances read after the owners of the items, so that they contain each owner that lives
     * @param explain explains the placement of an item, from the names of the job and the item
     */
    static List<Problem> ofNamespace(
            NamespaceReads reads,
            Predicate<String> jobs,
            List<AlarmDetails> alarms,
            NamespaceDetails namespace,
            List<InstanceDetails> instances,
            BinaryOperator<String> explain) {
        Snapshot snapshot = reads.snapshot();
        return new Triage(reads, snapshot.health(), reads.live(), alarms, explain)
                .of(snapshot, jobs, namespace, instances);
    }

    /** Returns the problems of a job. */
    static List<Problem> ofJob(
            NamespaceReads reads, String name, List<AlarmDetails> alarms, BinaryOperator<String> explain) {
        JobView job = reads.known(name);
        Set<String> live = reads.live();
        return sorted(new Triage(reads, reads.health(live), live, alarms, explain)
                .of(job, job.plan() == null ? List.of() : reads.records(job)));
    }

    private List<Problem> of(
            Snapshot snapshot, Predicate<String> chosen, NamespaceDetails namespace, List<InstanceDetails> instances) {
        List<JobView> jobs =
                snapshot.jobs().stream().filter(job -> chosen.test(job.name())).toList();
        List<JobView> planned = jobs.stream().filter(job -> job.plan() != null).toList();
        Map<String, List<RecordView>> records =
                reads.records(planned.subList(0, Math.min(planned.size(), MOST_CHECKED)));
        List<JobView> suspicious = jobs.stream()
                .filter(job -> isSuspicious(job, records.getOrDefault(job.name(), List.of()), snapshot.at()))
                .toList();
        List<Problem> found = new ArrayList<>(NamespaceTriage.of(
                namespace,
                instances,
                gone(planned),
                alarms.stream().filter(alarm -> alarm.job() == null).toList(),
                Math.max(0, suspicious.size() - MOST_JOBS),
                Math.max(0, planned.size() - MOST_CHECKED)));
        for (JobView job : suspicious.subList(0, Math.min(suspicious.size(), MOST_JOBS))) {
            try {
                of(reads.known(job.name()), records.getOrDefault(job.name(), List.of())).stream()
                        .filter(problem -> !OF_NAMESPACE.contains(problem.kind()))
                        .forEach(found::add);
            } catch (CoordinationException e) {
                if (e.kind() != CoordinationException.Kind.NOT_FOUND) {
                    throw e;
                } // purged since the list was read
            }
        }
        return sorted(found);
    }

    private static List<Problem> sorted(List<Problem> problems) {
        return problems.stream().sorted(Comparator.comparing(Problem::level)).toList();
    }

    private List<Problem> of(JobView job, List<RecordView> records) {
        String name = job.name();
        JobDetails details = reads.details(job, health, live, records);
        Map<String, String> owners =
                job.plan() == null ? Map.of() : job.plan().value().owners();
        List<ItemDetails> items = records.stream()
                .filter(item -> ItemViews.belongs(job, item))
                .map(item -> ItemViews.item(job, item, owners.get(item.item()), live, null))
                .toList();
        String explanation = items.stream()
                .filter(item -> item.owner() == null && job.overrideKnown() && job.plan() != null)
                .findFirst()
                .map(item -> explain.apply(name, item.item()))
                .orElse("");
        return JobTriage.of(
                details,
                items,
                alarms.stream().filter(alarm -> name.equals(alarm.job())).toList(),
                job.overrideKnown() ? job.overrideOrNone().silencedAlarms() : Set.of(),
                explanation);
    }

    /** Returns whether a job may have a problem, so that more of its nodes have to be read. */
    private boolean isSuspicious(JobView job, List<RecordView> records, Instant at) {
        JobSummary summary = Views.summary(job, health, 0, at);
        return summary.state() != JobState.ACTIVE
                || !summary.stateText().isEmpty()
                || summary.unassigned() > 0
                || summary.health().stream()
                        .anyMatch(each -> !OF_NAMESPACE.contains(
                                Kind.valueOf(each.reason().kind().name())))
                || alarms.stream().anyMatch(alarm -> job.name().equals(alarm.job()))
                || isChanged(job.overrideOrNone())
                || isSuspicious(ItemViews.activity(job.name(), records, live), at);
    }

    private static boolean isChanged(JobOverride override) {
        return !override.silencedAlarms().isEmpty()
                || override.fields().keySet().stream()
                        .anyMatch(field -> !field.name().equals("paused"));
    }

    private static boolean isSuspicious(JobActivity activity, Instant at) {
        Instant since = activity.runningSince();
        return (since != null && since.isBefore(at.minus(JobTriage.SHORTEST)))
                || activity.quarantined() > 0
                || activity.interrupted() > 0
                || activity.failuresInARow() > 0;
    }

    /** Returns the jobs of each owner that is not registered. */
    private Map<String, List<String>> gone(List<JobView> planned) {
        Map<String, List<String>> gone = new TreeMap<>();
        for (JobView job : planned) {
            Views.owners(job).keySet().stream()
                    .filter(owner -> !live.contains(owner))
                    .forEach(owner ->
                            gone.computeIfAbsent(owner, id -> new ArrayList<>()).add(job.name()));
        }
        return gone;
    }
}
