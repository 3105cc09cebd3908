package io.ostraka.history.row;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A manual trigger of a job, as the table {@code run} stores it. A scheduled fire has no such row; queries group the
 * claims of its items. If several rows have the same run id, the first one is kept.
 *
 * @param job name of the job
 * @param runId identity of the run
 * @param at time at which ZooKeeper accepted the trigger, by ZooKeeper's clock
 * @param fireTime fire time that the job's code receives
 * @param shardingTotalCount number of items of the job
 * @param requestedBy person or program that requested the run; null if unknown
 * @param reason reason for the request; null if unknown
 * @param rerunOf run id of the fire that this run repeats; null if it repeats none
 * @param parameters parameters of the run, as the redactor left them; unmodifiable
 * @param exact true if {@code parameters} are exactly those of the run, so that it can run again; false if the redactor
 *     has changed them, or if they were too long and were shortened
 */
public record TriggeredRun(
        String job,
        String runId,
        Instant at,
        Instant fireTime,
        int shardingTotalCount,
        @Nullable String requestedBy,
        @Nullable String reason,
        @Nullable String rerunOf,
        Map<String, String> parameters,
        boolean exact)
        implements Row {
    /** Copies the parameters. */
    public TriggeredRun {
        parameters = Collections.unmodifiableMap(new TreeMap<>(parameters));
    }
}
