package io.ostraka.core.job;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.event.RunEnded;
import io.ostraka.api.event.RunRetried;
import io.ostraka.api.event.RunStarted;
import io.ostraka.core.decide.FireSituation;
import io.ostraka.core.event.Events;
import io.ostraka.core.model.Names;
import io.ostraka.core.run.ItemRun;
import io.ostraka.core.run.RunEnd;
import io.ostraka.core.run.RunObserver;
import io.ostraka.core.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the events of one run, and forwards all reports about the run except {@link #returned} to another observer.
 * The reports arrive one after the other, on different threads.
 */
final class RunEvents implements RunObserver {
    /** Largest error in JSON, in bytes: more than a subscriber stores, so that it can first remove secrets. */
    private static final int LONGEST_ERROR = 8_000;

    private final Events events;
    private final Clock clock;
    private final ItemRun run;
    private final long dueSince;
    private final RunObserver next;
    private @Nullable Instant startedAt;
    private Duration ran = Duration.ZERO;

    /**
     * @param dueSince time at which this instance found the run's fire due, in monotonic nanoseconds
     * @param next observer that also receives the reports
     */
    RunEvents(Events events, Clock clock, ItemRun run, long dueSince, RunObserver next) {
        this.events = events;
        this.clock = clock;
        this.run = run;
        this.dueSince = dueSince;
        this.next = next;
    }

    @Override
    public void began() {
        next.began();
        Instant now = clock.now();
        if (startedAt == null) {
            startedAt = now;
            if (events.received(RunStarted.class)) {
                Duration waited = Duration.ofNanos(clock.monotonicNanos() - dueSince);
                events.publish(new RunStarted(run.identity(), waited, delay(now), now));
            }
        } else if (events.received(RunRetried.class)) {
            events.publish(new RunRetried(run.identity(), run.attempt(), now));
        }
    }

    private @Nullable Duration delay(Instant now) {
        if (run.claim().fire().triggered() || run.claim().attempt() > 1) {
            return null;
        }
        Instant due = run.claim().fire().at().plus(FireSituation.jitter(run.schedule(), run.jobName(), run.item()));
        Duration late = Duration.between(due, now);
        return late.isNegative() ? Duration.ZERO : late;
    }

    @Override
    public void returned(Duration took) {
        ran = ran.plus(took);
    }

    @Override
    public void stalled() {
        next.stalled();
    }

    @Override
    public void abandoned() {
        next.abandoned();
    }

    @Override
    public void ended(RunEnd end) {
        try {
            publishEnd(end);
        } finally {
            next.ended(end);
        }
    }

    private void publishEnd(RunEnd end) {
        if (events.received(RunEnded.class)) {
            boolean gaveUp = run.gaveUp(end);
            boolean continues = gaveUp && run.mayBeTakenOver();
            String error = end.error();
            events.publish(new RunEnded(
                    run.identity(),
                    run.attempt(),
                    gaveUp ? ItemOutcome.INTERRUPTED : end.outcome(),
                    error == null ? null : Names.excerpt(error, LONGEST_ERROR),
                    startedAt,
                    ran,
                    continues ? run.record().cursor() : run.record().cursorAtEnd(),
                    clock.now()));
        }
    }
}
