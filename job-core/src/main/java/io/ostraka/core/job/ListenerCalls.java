package io.ostraka.core.job;

import io.ostraka.api.FireListener;
import io.ostraka.api.JobConfigurationException;
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
 * Calls some listeners of a job, one after the other, each for so long; that one fails changes nothing. Confined to the
 * job's lane.
 */
final class ListenerCalls<L extends FireListener> {
    private static final Logger log = LoggerFactory.getLogger(ListenerCalls.class);

    private final JobState job;
    private final List<Listening<L>> inOrder;
    private CompletableFuture<Void> told = CompletableFuture.completedFuture(null);

    private record Listening<L extends FireListener>(L listener, LimitedCall call) {}

    /** What is told of. */
    interface Occurrence<L> {
        void tell(L listener) throws Exception;
    }

    /** Takes listeners, in any order. */
    ListenerCalls(JobState job, Collection<? extends L> listeners) {
        this.job = job;
        List<Listening<L>> all = new ArrayList<>();
        for (L listener : listeners) {
            Duration limit = listener.timeLimit();
            if (limit == null || limit.isNegative() || limit.isZero()) { // users' code
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

    /** Tells whether there is nothing left to tell. */
    boolean idle() {
        return told.isDone();
    }

    /** Returns a stage that completes when all calls so far are over, or have had their time. */
    CompletionStage<Void> told() {
        return told;
    }

    /** Tells them before a fire, in their order; completed, on any thread, once that and all before is over. */
    CompletableFuture<Void> before(String runId, Occurrence<L> occurrence) {
        inOrder.forEach(each -> tell(each, "before", runId, occurrence));
        return told;
    }

    /** The same after a fire: the first comes last. */
    CompletableFuture<Void> after(String runId, Occurrence<L> occurrence) {
        for (int i = inOrder.size() - 1; i >= 0; i--) {
            tell(inOrder.get(i), "after", runId, occurrence);
        }
        return told;
    }

    private void tell(Listening<L> each, String when, String runId, Occurrence<L> occurrence) {
        told = told.thenCompose(done -> each.call.call(() -> occurrence.tell(each.listener)))
                .exceptionally(failure -> {
                    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
                    log.error(
                            "job '{}': listener {} failed {} fire {}",
                            job.name,
                            each.listener.getClass().getName(),
                            when,
                            runId,
                            cause);
                    return null;
                });
    }
}
