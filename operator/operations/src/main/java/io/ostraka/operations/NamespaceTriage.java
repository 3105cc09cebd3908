package io.ostraka.operations;

import io.ostraka.api.operations.AlarmDetails;
import io.ostraka.api.operations.InstanceDetails;
import io.ostraka.api.operations.NamespaceDetails;
import io.ostraka.api.operations.Problem;
import io.ostraka.api.operations.Problem.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds the situations of a namespace and of its instances that need a person. Pure functions. */
final class NamespaceTriage {
    private final List<Draft> found = new ArrayList<>();

    private NamespaceTriage() {}

    /**
     * Returns the problems in the order in which they were found.
     *
     * @param gone jobs by the ids of their owners that are not registered
     * @param alarms current alarms of the namespace
     * @param left number of jobs with problems that the list does not contain
     * @param unchecked number of jobs whose runs were not read
     */
    static List<Problem> of(
            NamespaceDetails namespace,
            List<InstanceDetails> instances,
            Map<String, List<String>> gone,
            List<AlarmDetails> alarms,
            int left,
            int unchecked) {
        NamespaceTriage triage = new NamespaceTriage();
        triage.namespace(namespace);
        instances.forEach(triage::instance);
        String next = namespace.instances() > 0
                ? "; the leader moves them within seconds"
                : "; no instance is left that could take them over";
        gone.forEach((id, jobs) -> triage.add(
                        Kind.INSTANCE_GONE, "instance '" + id + "' has shut down or lost its session", id)
                .detail("it still owns items of " + Draft.named(jobs, ", ") + next));
        for (AlarmDetails alarm : alarms) {
            triage.add(JobTriage.about(alarm.kind()).get(0), alarm.text()).alarm(alarm);
        }
        if (left > 0) {
            triage.add(Kind.MORE_JOBS, left + " more jobs have problems or overrides");
        }
        if (unchecked > 0) {
            triage.add(Kind.UNCHECKED_JOBS, "the runs of " + unchecked + " jobs are not checked");
        }
        Remedies remedies = new Remedies("", List.of(), Set.of());
        return triage.found.stream()
                .map(draft -> draft.problem(null, remedies.of(draft)))
                .toList();
    }

    private Draft add(Kind kind, String text, String... instances) {
        Draft draft = new Draft(kind, text).instances(List.of(instances));
        found.add(draft);
        return draft;
    }

    private void namespace(NamespaceDetails namespace) {
        if (namespace.frozen() != null) {
            add(Kind.FROZEN, "the namespace is frozen, so no item of any job starts")
                    .change(namespace.frozen());
        }
        namespace.drained().forEach((name, change) -> add(
                        Kind.DRAINED, "instance '" + name + "' is drained and gets no items", name)
                .change(change));
        if (namespace.problem() != null) {
            add(Kind.UNREADABLE, namespace.problem());
        }
        if (namespace.instances() == 0) {
            add(Kind.NO_INSTANCE, "no instance is registered, so nothing runs");
        } else if (namespace.leader() == null) {
            add(Kind.NO_LEADER, "no instance leads, so no item moves and no change of a job takes effect");
        }
    }

    private void instance(InstanceDetails instance) {
        String id = instance.instance().id();
        String host = instance.instance().host();
        if (instance.clockAhead()) {
            String text = "'s clock is more than 10 s ahead of ZooKeeper's, so the instance gets no items";
            add(Kind.CLOCK_AHEAD, Draft.shortInstance(id) + text, id)
                    .subject(host)
                    .detail("instance " + id + ", host " + host);
        }
        if (instance.problem() != null) {
            add(Kind.INSTANCE_PROBLEM, "instance '" + id + "' reports: " + instance.problem(), id);
        }
        if (instance.healthGap() != null) {
            add(Kind.HEALTH_GAP, "instance '" + id + "': " + instance.healthGap(), id);
        }
    }
}
