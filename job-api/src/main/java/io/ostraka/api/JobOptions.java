package io.ostraka.api;

import java.util.List;

/**
 * Interceptors and listeners for one job in this process. They are not part of the job's definition and are not stored
 * in ZooKeeper, so each instance must pass its own. Immutable.
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
     * Returns these options with the given interceptors in place of earlier ones.
     *
     * @param interceptors the interceptors, outermost first; they run inside the interceptors that the registry adds to
     *     all jobs
     */
    public JobOptions interceptors(List<? extends RunInterceptor> interceptors) {
        return new JobOptions(List.copyOf(interceptors), listeners);
    }

    /** Returns these options with the given interceptors. See {@link #interceptors(List)}. */
    public JobOptions interceptors(RunInterceptor... interceptors) {
        return interceptors(List.of(interceptors));
    }

    /**
     * Returns these options with the given listeners in place of earlier ones.
     *
     * @param listeners listeners of type {@link JobListener} or {@link OnceListener}. The engine also calls the
     *     listeners that the registry adds to all jobs
     */
    public JobOptions listeners(List<? extends FireListener> listeners) {
        return new JobOptions(interceptors, List.copyOf(listeners));
    }

    /** Returns these options with the given listeners. See {@link #listeners(List)}. */
    public JobOptions listeners(FireListener... listeners) {
        return listeners(List.of(listeners));
    }

    /** Returns the interceptors, outermost first. The list is unmodifiable. */
    public List<RunInterceptor> interceptors() {
        return interceptors;
    }

    /**
     * Returns the listeners, in no particular order; {@link FireListener#order} defines the order of calls. The list is
     * unmodifiable.
     */
    public List<FireListener> listeners() {
        return listeners;
    }
}
