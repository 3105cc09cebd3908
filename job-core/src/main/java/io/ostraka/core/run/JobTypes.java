package io.ostraka.core.run;

import io.ostraka.api.HttpJob;
import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobItemExecutor;
import io.ostraka.api.ScriptJob;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/** Job types that this process can run, with an executor for each. Immutable. */
public final class JobTypes {
    private final List<Known<?>> all = new ArrayList<>();

    /** An executor and its job type, which is read only once. */
    private record Known<J extends Job>(Class<J> type, JobItemExecutor<J> executor) {
        static <J extends Job> Known<J> of(JobItemExecutor<J> executor) {
            Class<J> type = executor.type();
            if (type == null) { // user code may return null
                throw new IllegalArgumentException(
                        executor.getClass().getName() + " returns no job type; accepted: a class or an interface");
            }
            return new Known<>(type, executor);
        }

        @SuppressWarnings("unchecked") // the job is of the executor's type
        JobItemExecutor<Job> executor(Job job, JobConfiguration configuration) {
            executor.validate(type.cast(job), configuration);
            return (JobItemExecutor<Job>) executor;
        }
    }

    /**
     * Creates the executors of simple and dataflow jobs, and adds the given executors.
     *
     * @param others executors of further types
     */
    public JobTypes(Collection<? extends JobItemExecutor<?>> others) {
        all.add(Known.of(new SimpleJobExecutor()));
        all.add(Known.of(new DataflowJobExecutor()));
        others.forEach(executor -> all.add(Known.of(executor)));
    }

    /**
     * Returns the built-in executors, the executors that {@link ServiceLoader} finds, and the given executors.
     *
     * @param others executors of further types
     */
    public static JobTypes found(Collection<? extends JobItemExecutor<?>> others) {
        List<JobItemExecutor<?>> all = new ArrayList<>(others);
        ServiceLoader.load(JobItemExecutor.class).forEach(all::add);
        return new JobTypes(all);
    }

    /**
     * Finds the executor whose type is the most specific for a job, lets this executor validate the job, and returns
     * it.
     *
     * @throws JobConfigurationException if no executor supports the job type, if several are equally specific, or if
     *     the executor rejects the job
     */
    JobItemExecutor<Job> executor(Job job, JobConfiguration configuration) {
        List<Known<?>> fitting =
                all.stream().filter(known -> known.type.isInstance(job)).toList();
        List<Known<?>> mostSpecial = fitting.stream()
                .filter(known -> fitting.stream().allMatch(other -> other.type.isAssignableFrom(known.type)))
                .toList();
        if (mostSpecial.size() == 1) {
            return mostSpecial.get(0).executor(job, configuration);
        }
        if (fitting.isEmpty() && (job instanceof ScriptJob || job instanceof HttpJob)) {
            throw new JobConfigurationException(
                    configuration.jobName(),
                    "job",
                    job,
                    "a script or a request only with the artifact io.ostraka:ostraka-job-types on the class path");
        }
        throw new JobConfigurationException(
                configuration.jobName(),
                "job",
                job.getClass().getName(),
                fitting.isEmpty()
                        ? "one of the types " + names(all) + ", or a type with its own JobItemExecutor"
                        : "a job of one type with one executor; this job has the types " + names(fitting));
    }

    private static String names(List<Known<?>> some) {
        return some.stream()
                .map(known -> known.type.getName() + " (run by "
                        + known.executor.getClass().getName() + ")")
                .sorted()
                .collect(Collectors.joining(", "));
    }
}
