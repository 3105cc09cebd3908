package io.ostraka.console.security;

import io.ostraka.api.operations.Role;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** All grants of a caller. A role that no grant gives is denied. Thread-safe if the source of labels is. */
public final class Grants {
    private final List<Grant> all;
    private final BiFunction<String, String, Map<String, String>> labels;

    /**
     * Creates the grants.
     *
     * @param labels returns the labels of a job by the names of its namespace and of the job, such as {@link JobLabels}
     */
    public Grants(Collection<Grant> all, BiFunction<String, String, Map<String, String>> labels) {
        this.all = all.stream().distinct().toList();
        this.labels = labels;
    }

    /**
     * Returns whether a grant gives a role. It asks for the labels of a job only if no grant by name gives the role and
     * a grant by label could.
     *
     * @param job name of a job; null for all jobs of the namespace and for the namespace itself
     */
    public boolean has(Role role, String namespace, @Nullable String job) {
        List<Grant> covering =
                all.stream().filter(each -> each.covers(role, namespace)).toList();
        if (job == null) {
            return covering.stream().anyMatch(Grant::coversAllJobs);
        }
        if (covering.stream().anyMatch(each -> each.labels().isEmpty() && each.matches(job))) {
            return true;
        }
        List<Grant> byLabel =
                covering.stream().filter(each -> !each.labels().isEmpty()).toList();
        if (byLabel.isEmpty()) {
            return false;
        }
        Map<String, String> ofJob = labels.apply(namespace, job);
        return byLabel.stream()
                .anyMatch(each -> ofJob.entrySet().containsAll(each.labels().entrySet()));
    }

    /** Returns whether any grant is for the namespace or for some of its jobs. */
    public boolean sees(String namespace) {
        return all.stream().anyMatch(each -> each.covers(Role.VIEWER, namespace));
    }

    /** Returns whether a grant gives the role ADMIN for all jobs of all namespaces. */
    boolean isAdministrator() {
        return all.stream()
                .anyMatch(each -> each.role() == Role.ADMIN && each.namespaces().equals("*") && each.coversAllJobs());
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** Returns the grants as text, sorted. */
    List<String> texts() {
        return all.stream().map(Grant::text).sorted().toList();
    }
}
