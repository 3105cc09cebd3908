package io.ostraka.core.leader;

import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.Stages;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Revokes the temporary changes of a job's override when their end time has passed on the server's clock, and schedules
 * a reconciliation for the next end time. Only the leader decides that an end time has passed, so all instances follow
 * the same override. Confined to the leader's executor.
 */
final class EndingChanges {
    private static final Logger log = LoggerFactory.getLogger(EndingChanges.class);
    /** Longest pause of the timer. An end time may be thousands of years away. */
    private static final Duration LONGEST = Duration.ofDays(1);

    private final String job;
    private final Term term;
    private final Runnable reconcile;
    private Runnable wakeUp = () -> {};

    /** @param reconcile reconciles the job; called on the leader's executor */
    EndingChanges(String job, Term term, Runnable reconcile) {
        this.job = job;
        this.term = term;
        this.reconcile = reconcile;
    }

    /** Revokes the ended changes and returns the reply to that transaction; empty if no change has ended. */
    Optional<CompletionStage<TransactionResult>> end(JobView seen) {
        wakeUp.run();
        Versioned<JobOverride> present = seen.override();
        if (present == null) {
            return Optional.empty();
        }
        Instant now = term.coordination.membership().serverTime();
        JobOverride left = present.value().endedAt(now);
        left.ends().values().stream()
                .min(Comparator.naturalOrder())
                .ifPresent(next -> wake(Duration.between(now, next)));
        if (left.equals(present.value())) {
            return Optional.empty();
        }
        return Optional.of(Stages.of(() -> term.coordination.jobs().endChanges(term.leadership, seen, left))
                .thenApplyAsync(
                        result -> {
                            if (result instanceof TransactionResult.Done) {
                                log.info(
                                        "job '{}': the operators' change of {} has ended",
                                        job,
                                        String.join(", ", JobOverride.changed(present.value(), left)));
                            }
                            return term.checked(result);
                        },
                        term.executor));
    }

    private void wake(Duration pause) {
        wakeUp = term.after(pause.compareTo(LONGEST) < 0 ? pause : LONGEST, reconcile);
    }
}
