package io.ostraka.core.leader;

import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.coordination.TransactionResult.About;
import io.ostraka.core.model.DelayedTrigger;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.Refresh;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns delayed triggers into ordinary triggers when they are due. Reads all delayed triggers after each change and
 * schedules a wake-up for the next due time. Confined to the leader's executor.
 */
final class DelayedTriggers {
    /** Pause before a failed step is retried. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private static final Logger log = LoggerFactory.getLogger(DelayedTriggers.class);

    private final Term term;
    private final Refresh<List<Versioned<DelayedTrigger>>> refresh;

    DelayedTriggers(Term term) {
        this.term = term;
        this.refresh = term.refresh(
                "the read of the delayed triggers",
                PAUSE,
                () -> term.coordination.fires().delayed(),
                this::take);
    }

    /** Reads the delayed triggers and releases those that are due. */
    void read() {
        refresh.demand();
    }

    private void take(List<Versioned<DelayedTrigger>> waiting) {
        Instant now = term.coordination.membership().serverTime();
        waiting.stream().filter(each -> !DelayedTrigger.due(each).isAfter(now)).forEach(this::release);
        waiting.stream()
                .map(DelayedTrigger::due)
                .filter(now::isBefore)
                .min(Instant::compareTo)
                .ifPresent(next -> refresh.demandAfter(Duration.between(now, next)));
    }

    private void release(Versioned<DelayedTrigger> due) {
        settle(() -> term.coordination.fires().release(term.leadership, due), due);
    }

    private void settle(Supplier<CompletionStage<TransactionResult>> request, Versioned<DelayedTrigger> due) {
        term.onReply(request, (result, error) -> {
            if (result != null) {
                term.checked(result);
            }
            if (result instanceof TransactionResult.Outdated outdated && outdated.about() == About.DEFINITION) {
                log.warn(
                        "job '{}' has no definition; its delayed trigger for {} is deleted",
                        due.value().request().job(),
                        DelayedTrigger.due(due));
                settle(() -> term.coordination.fires().drop(term.leadership, due), due);
            } else if (!(result instanceof TransactionResult.Done)) { // the deletion of the node causes the next read
                refresh.demandAfter(PAUSE);
            }
        });
    }
}
