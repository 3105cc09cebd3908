package io.ostraka.core.job;

import io.ostraka.api.FireListener;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobFire;
import io.ostraka.core.model.LogContext;
import io.ostraka.core.run.LimitedCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the listeners of a job one after the other, each with its own time limit. A failed listener does not prevent
 * the next calls. Confined to the job's serial executor.
 */
final class ListenerCalls<L extends FireListener> {
    private static final Logger log = LoggerFactory.getLogger(ListenerCalls.class);

    private final HostedJobState job;
    private final List<Listening<L>> inOrder;
    private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

    private record Listening<L extends FireListener>(L listener, LimitedCall call) {}

    interface Call<L> {
        void on(L listener) throws Exception;
    }

    /** Creates an object that calls the given listeners in the order of their {@code order()}. */
    ListenerCalls(HostedJobState job, Collection<? extends L> listeners) {
        this.job = job;
        List<Listening<L>> all = new ArrayList<>();
        for (L listener : listeners) {
            Duration limit = listener.timeLimit();
            if (limit == null || limit.isNegative() || limit.isZero()) { // user code may return null or zero
                throw new JobConfigurationException(
                        job.name, "timeLimit of " + listener.getClass().getName(), limit, "more than 0");
            }
            all.add(new Listening<>(listener, new LimitedCall(job.context.platform(), limit)));
        }
        all.sort(Comparator.comparingInt(each -> each.listener.order()));
        this.inOrder = List.copyOf(all);
    }

    boolean none() {
        return inOrder.isEmpty();
    }

    /** Returns whether all calls so far have returned or reached their time limits. */
    boolean idle() {
        return last.isDone();
    }

    /** Returns a stage that completes when all calls so far have returned or reached their time limits. */
    CompletionStage<Void> returned() {
        return last;
    }

    /**
     * Calls the listeners in order before a fire. The returned stage completes after these calls and all earlier calls.
     * It may complete on any thread.
     */
    CompletableFuture<Void> before(JobFire fire, Call<L> call) {
        inOrder.forEach(each -> call(each, "before", fire, call));
        return last;
    }

    /**
     * Calls the listeners in reverse order after a fire. The returned stage completes after these calls and all earlier
     * calls. It may complete on any thread.
     */
    CompletableFuture<Void> after(JobFire fire, Call<L> call) {
        for (int i = inOrder.size() - 1; i >= 0; i--) {
            call(inOrder.get(i), "after", fire, call);
        }
        return last;
    }

    private void call(Listening<L> each, String when, JobFire fire, Call<L> call) {
        last = last.thenCompose(done -> each.call.call(() -> {
                    LogContext before = LogContext.of(fire).apply();
                    try {
                        call.on(each.listener);
                    } finally {
                        before.apply();
                    }
                }))
                .exceptionally(failure -> {
                    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
                    log.error(
                            "job '{}': listener {} failed {} fire {}",
                            job.name,
                            each.listener.getClass().getName(),
                            when,
                            fire.runId(),
                            cause);
                    return null;
                });
    }
}
