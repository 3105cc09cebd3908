package io.ostraka.core.run;

import io.ostraka.api.RunInterceptor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls the interceptors around the runs of a job, in order. Immutable. */
public final class Interceptors {
    private static final Logger log = LoggerFactory.getLogger(Interceptors.class);

    private final List<RunInterceptor> outermostFirst;

    /**
     * Sorts the interceptors by {@link RunInterceptor#order}. If two interceptors have the same order, the one for all
     * jobs encloses the one for this job.
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
     * Calls {@code before} of all interceptors, then the given code, then {@code after} of all interceptors, all on the
     * calling thread. An exception ends this sequence and propagates to the caller. Finally calls {@code completion} of
     * each interceptor whose {@code before} has returned; an exception of {@code completion} is only logged.
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
        } catch (Throwable e) { // user code may throw anything
            failure = e;
            throw e;
        } finally {
            for (RunInterceptor each : innermostFirst) {
                complete(each, run, failure);
            }
        }
    }

    /** Returns a child task of a run within the {@link RunInterceptor#aroundTask} of all interceptors. */
    Runnable aroundTask(ItemRun run, Runnable task) {
        Runnable all = task;
        for (int i = outermostFirst.size() - 1; i >= 0; i--) {
            RunInterceptor each = outermostFirst.get(i);
            all = Objects.requireNonNull(
                    each.aroundTask(run, all), () -> each.getClass().getName() + ".aroundTask returned null");
        }
        return all;
    }

    private static void complete(RunInterceptor interceptor, ItemRun run, @Nullable Throwable failure) {
        try {
            interceptor.completion(run, failure);
        } catch (Throwable e) { // user code may throw anything
            log.error(
                    "{}: completion of interceptor {} failed",
                    run,
                    interceptor.getClass().getName(),
                    e);
        }
    }
}
