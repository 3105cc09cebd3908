package io.ostraka.api.event;

import io.ostraka.api.ItemOutcome;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The job's code has returned for the last time under a claim. The instance records the end in ZooKeeper after this
 * event. If another instance owns the item by then, a {@link RunFenced} event precedes or follows this event.
 *
 * @param claim the claim
 * @param attempt number of the latest attempt
 * @param outcome outcome of the run; {@link ItemOutcome#INTERRUPTED} if the instance handed the fire over
 * @param error short text of the failure, at most 500 bytes in JSON; null if there was none
 * @param startedAt start of the first attempt; null if the code never started
 * @param ran time that the code took, without the pauses between attempts
 * @param cursor latest scheduled fire of the item that is decided once this end is recorded
 * @param at time of the end
 */
public record RunEnded(
        Claim claim,
        int attempt,
        ItemOutcome outcome,
        @Nullable String error,
        @Nullable Instant startedAt,
        Duration ran,
        Instant cursor,
        Instant at)
        implements RunEvent {}
