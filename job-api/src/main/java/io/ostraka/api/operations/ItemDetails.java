package io.ostraka.api.operations;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.Progress;
import io.ostraka.api.SkipReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * State of an item of a job. Immutable.
 *
 * @param item the {@link io.ostraka.api.ShardingContext#itemKey()}
 * @param state state of the item
 * @param disabled true if an operator has disabled the item
 * @param owner id of the instance that the item is assigned to; null if it is assigned to none
 * @param run the current run or, if the item is not running, its last run; null if it has never run
 * @param decidedUpTo cursor of the item: the item has run or skipped every scheduled fire up to this time; null if the
 *     record is missing or unreadable
 * @param incarnation number of the job's set of item records, as in the events' {@link io.ostraka.api.event.Claim}; 0
 *     if the record is missing or unreadable
 * @param skipped scheduled fires that the item skipped with its latest claim, or later without a claim, oldest first;
 *     empty if there are none. Metrics and events report earlier skipped fires. Unmodifiable
 * @param expectedRunTime average duration of the item's runs; null if unknown
 * @param failuresInARow number of successive failed runs
 * @param changes latest {@code RELEASE_ITEM} and latest {@code SET_BACK_CURSOR} command, by name of the operation; a
 *     change of the cursor is shown until the cursor has reached its former value. Unmodifiable
 * @param version version of the record, for {@link CommandOptions#expectedVersion} of these commands; 0 if the record
 *     is missing or unreadable. Each fire changes the version, too
 * @param problem description of an unreadable or missing record, with the action that repairs it; null if the record is
 *     readable
 */
public record ItemDetails(
        String item,
        State state,
        boolean disabled,
        @Nullable String owner,
        @Nullable Run run,
        @Nullable Instant decidedUpTo,
        long incarnation,
        List<Skipped> skipped,
        @Nullable Duration expectedRunTime,
        int failuresInARow,
        Map<String, Change> changes,
        long version,
        @Nullable String problem) {
    /** Copies the collections. */
    public ItemDetails {
        skipped = List.copyOf(skipped);
        changes = Map.copyOf(changes);
    }

    /**
     * Successive fires that an item did not run.
     *
     * @param from first of these fires
     * @param to last of these fires
     * @param count number of fires. If the value is 1,000 or more, even more fires may have been skipped, because the
     *     engine stops counting at 1,000 or soon after
     * @param reason reason why the item skipped these fires
     */
    public record Skipped(Instant from, Instant to, long count, SkipReason reason) {}

    /** State of an item. */
    public enum State {
        /** The item waits for its next fire. */
        IDLE,
        /** The item runs. */
        RUNNING,
        /**
         * The instance that ran the item has shut down or lost its session. The interrupted fire has neither started
         * again nor ended yet.
         */
        INTERRUPTED,
        /** The item starts no fire until an operator releases it. */
        QUARANTINED,
        /** The record of the item is unreadable or missing. */
        UNREADABLE
    }

    /**
     * A run of an item.
     *
     * @param number number of the claim among the claims of the item; see {@link io.ostraka.api.event.Claim#runNumber}
     * @param runId identity of the fire; see {@link io.ostraka.api.ShardingContext#runId()}
     * @param fire the {@link io.ostraka.api.ShardingContext#fireTime()} of the run. A run that repeats a fire has the time
     *     of that fire
     * @param triggered true if a manual trigger caused the fire
     * @param attempt number of the attempt, from 1
     * @param runner id of the instance that runs or ran the item
     * @param startedAt start of the run by the runner's clock
     * @param endedAt end of the run by the runner's clock; null while it runs
     * @param outcome outcome of the run; null while it runs
     * @param error short description of the failure; null if there was none
     * @param progress latest progress that the code has reported; null if none was reported, or if {@link
     *     Operations#items} was called without item keys
     */
    public record Run(
            long number,
            String runId,
            Instant fire,
            boolean triggered,
            int attempt,
            String runner,
            Instant startedAt,
            @Nullable Instant endedAt,
            @Nullable ItemOutcome outcome,
            @Nullable String error,
            @Nullable Progress progress) {}
}
