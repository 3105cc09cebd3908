package io.ostraka.api.operations;

import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The latest backfill of a job, in any state. In this record, a date is the fire time of one of the backfill's fires.
 * Immutable.
 *
 * @param job name of the job
 * @param id id of the backfill, which is the request id of the command. The id of each run consists of this id, a
 *     hyphen, and the date of the run in milliseconds since 1970
 * @param state state of the backfill
 * @param requested operator, reason and time of the request
 * @param last the latest command that stopped or resumed the backfill; null if there was none
 * @param first date of the first fire
 * @param end date of the last fire
 * @param next date of the next fire to trigger; null if all fires were triggered
 * @param fires number of fires of the whole backfill
 * @param triggered number of fires that were triggered
 * @param succeeded number of fires whose items all succeeded
 * @param failed number of fires in which at least one item did not succeed or did not run
 * @param unknown number of fires whose result is unknown, because ZooKeeper keeps a result only for an hour, and no
 *     leader has read it in that time. {@code maxFailures} limits the sum of failed and unknown fires
 * @param running run ids of the fires that were triggered and have not ended, by date. Unmodifiable
 * @param failedDates dates of the latest failed or unknown fires, at most 16, in the order in which the fires ended.
 *     Unmodifiable
 * @param parameters parameters of each run. Unmodifiable
 * @param parallel maximum number of fires that run at the same time
 * @param maxFailures number of failed fires after which no further fire is triggered
 * @param version version of the backfill for {@link CommandOptions#expectedVersion}
 */
public record BackfillDetails(
        String job,
        String id,
        State state,
        Change requested,
        @Nullable Change last,
        Instant first,
        Instant end,
        @Nullable Instant next,
        int fires,
        int triggered,
        int succeeded,
        int failed,
        int unknown,
        Map<Instant, String> running,
        List<Instant> failedDates,
        Map<String, String> parameters,
        int parallel,
        int maxFailures,
        long version) {
    /** State of a backfill. */
    public enum State {
        /** The leader triggers the next fires. */
        RUNNING,
        /**
         * A command has stopped the backfill. No further fire is triggered. The state stays until the backfill is
         * resumed, even if all fires had been triggered before the stop.
         */
        STOPPED,
        /** {@code maxFailures} fires have failed since the request or the last resume. No further fire is triggered. */
        FAILED,
        /** All fires have ended. */
        ENDED,
        /**
         * The job was removed. No further fire is triggered, and the backfill cannot be resumed. ZooKeeper keeps the
         * backfill until the job's next backfill, even after a purge of the job.
         */
        REMOVED
    }

    /** Copies the collections. */
    public BackfillDetails {
        running = Collections.unmodifiableMap(new TreeMap<>(running));
        failedDates = List.copyOf(failedDates);
        parameters = Collections.unmodifiableMap(new TreeMap<>(parameters));
    }
}
