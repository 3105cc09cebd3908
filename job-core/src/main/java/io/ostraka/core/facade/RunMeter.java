package io.ostraka.core.facade;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.metrics.Meters;
import io.ostraka.core.decide.Jitter;
import io.ostraka.core.execution.ItemRun;
import io.ostraka.core.execution.RunEnd;
import io.ostraka.core.execution.RunReports;
import io.ostraka.core.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Measures one run, and passes on what is told of it. What it is told on different threads is told one after the other. */
final class RunMeter implements RunReports {
    private final Meters meters;
    private final Clock clock;
    private final ItemRun run;
    private final long dueSince;
    private final RunReports next;
    private int tries;
    private Duration ran = Duration.ZERO;

    /**
     * @param dueSince when this instance found the run's fire due, monotonic
     * @param next told the same afterwards
     */
    RunMeter(Meters meters, Clock clock, ItemRun run, long dueSince, RunReports next) {
        this.meters = meters;
        this.clock = clock;
        this.run = run;
        this.dueSince = dueSince;
        this.next = next;
    }

    @Override
    public void began() {
        next.began();
        tries++;
        if (tries > 1) {
            meters.retried(run.jobName());
        } else {
            meters.started(run.jobName(), Duration.ofNanos(clock.monotonicNanos() - dueSince), delay());
        }
    }

    private Optional<Duration> delay() {
        if (run.claim().fire().triggered() || run.claim().attempt() > 1) {
            return Optional.empty();
        }
        Instant due = run.fireTime().plus(Jitter.of(run.schedule(), run.jobName(), run.item()));
        Duration late = Duration.between(due, clock.now());
        return Optional.of(late.isNegative() ? Duration.ZERO : late);
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
        meters.ended(run.jobName(), run.gaveUp(end) ? ItemOutcome.INTERRUPTED : end.outcome(), ran);
        next.ended(end);
    }
}
