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
 * Turns triggers that were to come later into triggers once they are due. It reads which there are when they have changed,
 * and lets the alarm tell when the next one is due. Confined to the leader's lane.
 */
final class DelayedTriggers {
    /** Before something that went wrong is tried again, and how soon after the alarm what is not due yet is looked at. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private static final Logger log = LoggerFactory.getLogger(DelayedTriggers.class);

    private final Term term;
    private List<Versioned<DelayedTrigger>> waiting = List.of();
    private Runnable alarm = () -> {};
    private boolean reading;
    private boolean stale;

    DelayedTriggers(Term term) {
        this.term = term;
    }

    /** Reads which there are, and works off what is due. */
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
        waiting.stream().filter(each -> !each.value().due().isAfter(now)).forEach(this::release);
        waiting.stream()
                .map(each -> each.value().due())
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
                return; // its deletion is reported as a change of the delayed triggers
            }
            if (result instanceof TransactionResult.Outdated outdated && outdated.about() == About.DEFINITION) {
                String job = due.value().request().job();
                log.warn(
                        "job '{}' is not known any more: its trigger for {} is deleted",
                        job,
                        due.value().due());
                settle(term.coordination.fires().drop(term.leadership, due), due);
            } else {
                wake(PAUSE);
            }
        }));
    }

    /** Reads again in a while, if the term lasts. */
    private void wake(Duration pause) {
        alarm.run();
        alarm = term.platform
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
