package io.ostraka.core.leader;

import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.coordination.TransactionResult.About;
import io.ostraka.core.model.DelayedTrigger;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.Stages;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
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
    private List<Versioned<DelayedTrigger>> waiting = List.of();
    private Runnable wakeUp = () -> {};
    private boolean reading;
    private boolean stale;

    DelayedTriggers(Term term) {
        this.term = term;
    }

    /** Reads the delayed triggers and releases those that are due. */
    void read() {
        if (reading) {
            stale = true;
            return;
        }
        reading = true;
        stale = false;
        Stages.of(() -> term.coordination.fires().delayed())
                .whenComplete((read, error) -> term.executor.execute(() -> {
                    reading = false;
                    if (term.over) {
                        return;
                    }
                    if (stale) {
                        read();
                    } else if (error != null) {
                        wake(PAUSE);
                    } else {
                        waiting = read;
                        work();
                    }
                }));
    }

    private void work() {
        Instant now = term.coordination.membership().serverTime();
        waiting.stream().filter(each -> !DelayedTrigger.due(each).isAfter(now)).forEach(this::release);
        waiting.stream()
                .map(DelayedTrigger::due)
                .filter(now::isBefore)
                .min(Instant::compareTo)
                .ifPresent(next -> wake(Duration.between(now, next)));
    }

    private void release(Versioned<DelayedTrigger> due) {
        settle(term.coordination.fires().release(term.leadership, due), due);
    }

    private void settle(CompletionStage<TransactionResult> tried, Versioned<DelayedTrigger> due) {
        tried.whenComplete((result, error) -> term.executor.execute(() -> {
            if (error == null) {
                term.checked(result);
            }
            if (term.over || result instanceof TransactionResult.Done) {
                return; // the deletion of the node causes the next read
            }
            if (result instanceof TransactionResult.Outdated outdated && outdated.about() == About.DEFINITION) {
                String job = due.value().request().job();
                log.warn(
                        "job '{}' has no definition; its delayed trigger for {} is deleted",
                        job,
                        DelayedTrigger.due(due));
                settle(term.coordination.fires().drop(term.leadership, due), due);
            } else {
                wake(PAUSE);
            }
        }));
    }

    /** Schedules a read after a pause. The read does nothing if the term of leadership has ended by then. */
    private void wake(Duration pause) {
        wakeUp.run();
        wakeUp = term.platform
                .timer()
                .after(
                        pause,
                        () -> term.executor.execute(() -> {
                            if (!term.over) {
                                read();
                            }
                        }));
    }
}
