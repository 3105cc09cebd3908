package io.ostraka.core.run;

import io.ostraka.api.RunInterceptor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls the interceptors around the runs of a job, in order. Immutable. */
public final class Interceptors {
    private static final Logger log = LoggerFactory.getLogger(Interceptors.class);

    private final List<RunInterceptor> outermostFirst;

    /**
     * Sorts the interceptors by {@link RunInterceptor#order}. If two have the same order, the interceptor of all jobs
     * encloses that of the job.
     *
     * @param ofAllJobs interceptors around the runs of every job
     * @param ofJob interceptors around the runs of this job
     */
    public Interceptors(Collection<? extends RunInterceptor> ofAllJobs, Collection<? extends RunInterceptor> ofJob) {
        List<RunInterceptor> all = new ArrayList<>(ofAllJobs);
        all.addAll(ofJob);
        all.sort(Comparator.comparingInt(RunInterceptor::order));
        outermostFirst = List.copyOf(all);
    }

    boolean none() {
        return outermostFirst.isEmpty();
    }

    /**
     * Calls {@code before} of all interceptors, the given code, and {@code after} and {@code completion} of all
     * interceptors, on the calling thread. Exceptions propagate to the caller, except those of {@code completion}.
     */
    void around(ItemRun run, ItemRun.Code code) throws Throwable {
        Deque<RunInterceptor> innermostFirst = new ArrayDeque<>();
        Throwable failure = null;
        try {
            for (RunInterceptor each : outermostFirst) {
                each.before(run);
                innermostFirst.push(each);
            }
            code.run();
            for (RunInterceptor each : innermostFirst) {
                each.after(run);
            }
        } catch (Throwable e) { // user code
            failure = e;
            throw e;
        } finally {
            for (RunInterceptor each : innermostFirst) {
                complete(each, run, failure);
            }
        }
    }

    private static void complete(RunInterceptor interceptor, ItemRun run, @Nullable Throwable failure) {
        try {
            interceptor.completion(run, failure);
        } catch (Throwable e) { // user code
            log.error(
                    "{}: completion of interceptor {} failed",
                    run,
                    interceptor.getClass().getName(),
                    e);
        }
    }
}
