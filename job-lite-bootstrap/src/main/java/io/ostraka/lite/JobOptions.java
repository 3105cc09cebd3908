package io.ostraka.lite;

import io.ostraka.api.FireListener;
import io.ostraka.api.JobListener;
import io.ostraka.api.OnceListener;
import io.ostraka.api.RunInterceptor;
import java.util.List;

/**
 * Code that this process adds to one job: interceptors around its runs, and listeners for its fires. The code belongs to the
 * process and not to the job's definition, so it is not stored in ZooKeeper. Immutable.
 */
public final class JobOptions {
    private static final JobOptions NONE = new JobOptions(List.of(), List.of());

    private final List<RunInterceptor> interceptors;
    private final List<FireListener> listeners;

    private JobOptions(List<RunInterceptor> interceptors, List<FireListener> listeners) {
        this.interceptors = interceptors;
        this.listeners = listeners;
    }

    /** Returns options without interceptors and listeners. */
    public static JobOptions none() {
        return NONE;
    }

    /**
     * Returns these options with the given interceptors, in place of earlier ones.
     *
     * @param interceptors outermost first; they run inside those that {@link RegistryBuilder#interceptor} adds to all jobs
     */
    public JobOptions interceptors(RunInterceptor... interceptors) {
        return new JobOptions(List.of(interceptors), listeners);
    }

    /**
     * Returns these options with the given listeners, in place of earlier ones.
     *
     * @param listeners {@link JobListener} or {@link OnceListener}; they are called beside those that {@link
     *     RegistryBuilder#jobListener} adds to all jobs
     */
    public JobOptions listeners(FireListener... listeners) {
        return new JobOptions(interceptors, List.of(listeners));
    }

    List<RunInterceptor> interceptors() {
        return interceptors;
    }

    List<FireListener> listeners() {
        return listeners;
    }
}
