package io.ostraka.core.job;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.metrics.Status;
import io.ostraka.api.metrics.TaskMetrics;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.run.ItemRun;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * State of a job's items in this instance, for monitoring systems. Reads nothing from ZooKeeper. {@link #examine} is
 * confined to the job's serial executor; {@link #read} may be called on any thread.
 */
final class StatusReport {
    private final HostedJobState job;
    private volatile @Nullable State state;

    /** @param oldestRun start of the oldest run; null if there is no run */
    private record State(
            @Nullable Instant lastSuccess, int failuresInRow, @Nullable Instant oldestRun, boolean paused) {}

    StatusReport(HostedJobState job) {
        this.job = job;
    }

    /** Updates the state from the job's items. */
    void examine() {
        JobSnapshot snapshot = job.snapshot;
        if (snapshot == null) {
            return;
        }
        State before = state;
        Instant lastSuccess =
                before == null ? null : before.lastSuccess; // kept, because a record may show only later failures
        int failuresInRow = 0;
        Instant oldestRun = null;
        for (HostedItem hosted : job.items.values()) {
            ItemRun run = hosted.executing();
            if (run != null && (oldestRun == null || run.claim().startedAt().isBefore(oldestRun))) {
                oldestRun = run.claim().startedAt();
            }
            Versioned<ItemRecord> record = hosted.record();
            if (record != null && job.owns(hosted.key())) {
                failuresInRow = Math.max(failuresInRow, record.value().consecutiveFailures());
                Instant success = lastSuccess(record.value());
                lastSuccess = lastSuccess == null || (success != null && success.isAfter(lastSuccess))
                        ? success
                        : lastSuccess;
            }
        }
        state = new State(lastSuccess, failuresInRow, oldestRun, snapshot.paused());
    }

    private static @Nullable Instant lastSuccess(ItemRecord record) {
        if (record.outcome() == ItemOutcome.SUCCEEDED) {
            return record.endedAt();
        }
        ItemRecord.End previous = record.previous();
        return previous != null && previous.outcome() == ItemOutcome.SUCCEEDED ? previous.endedAt() : null;
    }

    /**
     * Returns the state as last examined; empty if the job's plan has not been read yet.
     *
     * @param tasks metrics of the job's child tasks
     */
    Optional<Status.Hosted> read(TaskMetrics tasks) {
        State last = state;
        if (last == null) {
            return Optional.empty();
        }
        Duration longest = last.oldestRun == null
                ? Duration.ZERO
                : Duration.between(last.oldestRun, job.context.clock().now());
        return Optional.of(new Status.Hosted(
                last.lastSuccess,
                last.failuresInRow,
                longest.isNegative() ? Duration.ZERO : longest,
                last.paused,
                tasks));
    }
}
