package io.ostraka.core.job;

import io.ostraka.api.OverlapPolicy;
import io.ostraka.core.decide.Overlap;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.run.ItemRun;
import io.ostraka.core.run.ItemRun.Stop;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cancels runs that must end before their code returns, and warns of runs that take too long. Confined to the job's
 * serial executor.
 */
final class RunSupervision {
    private static final Logger log = LoggerFactory.getLogger(RunSupervision.class);

    private final HostedJobState job;

    RunSupervision(HostedJobState job) {
        this.job = job;
    }

    /** Cancels the runs whose fire an operator has stopped. Works without a connection, and while the job drains. */
    void endStopped() {
        for (HostedItem hosted : job.items.values()) {
            ItemRun run = hosted.executing();
            if (run != null) {
                job.stopOf(run).ifPresent(run::cancel);
            }
        }
    }

    /** Warns once about each run that takes too long. Runs that are found in the same step share one log line. */
    void warnOfLong() {
        Instant now = job.context.clock().now();
        List<ItemRun> found = new ArrayList<>();
        for (HostedItem hosted : job.items.values()) {
            ItemRun run = hosted.executing();
            if (run != null && run.takesTooLong(now) && !run.waitsForThread() && hosted.markOverlong()) {
                found.add(run);
            }
        }
        if (!found.isEmpty()) {
            ItemRun first = found.get(0);
            log.warn(
                    "{}{} has been running since {} and has no time limit; the item starts no other fire until the code"
                            + " returns. Look where the code waits, restart this instance to end it, and set the job's"
                            + " timeout{}",
                    first,
                    found.size() == 1 ? "" : " (with " + (found.size() - 1) + " more items)",
                    first.claim().startedAt(),
                    first.whereabouts());
        }
    }

    /**
     * Cancels each run that must give way to the next fire of its item, see {@link OverlapPolicy.CancelRunning}.
     * Returns the time at which the next run must be cancelled; {@link Instant#MAX} if there is none.
     */
    Instant endOvertaken(JobSnapshot snapshot, Instant now) {
        Instant next = Instant.MAX;
        for (HostedItem hosted : job.items.values()) {
            ItemRun run = hosted.executing();
            if (run == null || run.stop() != null) {
                continue;
            }
            Instant overtaken =
                    Overlap.overtaken(snapshot, hosted.key(), run.claim()).orElse(Instant.MAX);
            if (!overtaken.isAfter(now)) {
                run.stop(Stop.CANCELLED);
            } else if (overtaken.isBefore(next)) {
                next = overtaken;
            }
        }
        return next;
    }
}
