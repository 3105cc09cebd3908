package io.ostraka.core.instance;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobField;
import io.ostraka.api.metrics.Status;
import io.ostraka.core.job.HostedJob;
import io.ostraka.core.metrics.InstanceMeters;
import io.ostraka.core.model.Definition;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The jobs that this instance hosts, by name. Thread-safe. */
final class HostedJobs {
    /** Fields that belong to a job's code, so they stay the same while the job is hosted. */
    private static final List<JobField<?>> OF_CODE = JobConfiguration.fields().stream()
            .filter(field -> field.name().equals("scope") || field.name().equals("streaming"))
            .toList();

    private final Map<String, HostedJob> jobs = new ConcurrentHashMap<>();

    /** @throws JobConfigurationException if this instance hosts a job of that name already */
    void add(HostedJob job) {
        if (jobs.putIfAbsent(job.name(), job) != null) {
            throw new JobConfigurationException(
                    job.name(), "jobName", job.name(), "a job that this instance does not host yet");
        }
    }

    void remove(HostedJob job) {
        jobs.remove(job.name(), job);
    }

    @Nullable HostedJob get(String name) {
        return jobs.get(name);
    }

    /** Returns a live view of the jobs. */
    Collection<HostedJob> all() {
        return jobs.values();
    }

    /** Returns a live view of the jobs' names. */
    Set<String> names() {
        return jobs.keySet();
    }

    /** Calls an action with a job, if this instance hosts the job. */
    void ifHosted(String name, Consumer<HostedJob> action) {
        HostedJob hosted = jobs.get(name);
        if (hosted != null) {
            action.accept(hosted);
        }
    }

    /** Returns the state of each job whose plan has been read. */
    Map<String, Status.Hosted> status(InstanceMeters meters) {
        Map<String, Status.Hosted> all = new TreeMap<>();
        jobs.forEach((name, job) -> job.status(meters.tasks(name).read()).ifPresent(status -> all.put(name, status)));
        return all;
    }

    /**
     * Returns the definitions that new configurations of hosted jobs would result in.
     *
     * @throws JobConfigurationException if this instance does not host one of the jobs, if a revision is not higher
     *     than the present one, or if a field has changed that must stay the same while the job is hosted
     */
    Map<HostedJob, Definition> redefinitions(Collection<JobConfiguration> configurations) {
        Map<HostedJob, Definition> next = new LinkedHashMap<>();
        for (JobConfiguration configuration : configurations) {
            String name = configuration.jobName();
            HostedJob hosted = jobs.get(name);
            if (hosted == null) {
                throw new JobConfigurationException(name, "jobName", name, "a job that this instance hosts");
            }
            requireSuccessor(hosted.definition(), configuration);
            next.put(hosted, new Definition(configuration, hosted.definition().onceListeners()));
        }
        return next;
    }

    private static void requireSuccessor(Definition present, JobConfiguration next) {
        for (JobField<?> field : OF_CODE) {
            Object before = present.configuration().value(field);
            if (!Objects.equals(next.value(field), before)) {
                throw new JobConfigurationException(
                        next.jobName(),
                        field.name(),
                        next.value(field),
                        before + ", because it cannot change while the job is hosted");
            }
        }
        if (next.revision() <= present.revision()) {
            throw new JobConfigurationException(
                    next.jobName(), "revision", next.revision(), "more than the present " + present.revision());
        }
    }
}
