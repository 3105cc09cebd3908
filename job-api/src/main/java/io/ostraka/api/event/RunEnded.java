package io.ostraka.api.event;

import io.ostraka.api.ItemOutcome;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A run has ended: the job's code has returned, and no retry follows under this claim. The instance records the end in
 * ZooKeeper after this event. If another instance already owns the item, a {@link RunFenced} event precedes or follows
 * this event. If the instance learns after this event, but before it has recorded the end, that it has lost its
 * session, the fire of a failed run does not end: an {@link ItemTakenOver} event follows if the job has failover, and
 * otherwise the record shows {@link ItemOutcome#INTERRUPTED}.
 *
 * @param claim the claim
 * @param attempt number of the last attempt
 * @param outcome outcome of the run; {@link ItemOutcome#INTERRUPTED} if the instance had given up the run before its
 *     code returned. Another instance then runs the fire again or, without failover, the fire ends
 * @param error description of the failure, at most 8,000 bytes in JSON. Ends with {@code …} if it was longer. Null if
 *     the run did not fail
 * @param startedAt start of the first attempt; null if the code never started
 * @param ran total run time of the code in all attempts, without the pauses between them
 * @param cursor latest scheduled fire that the item will have completed or skipped once this end is recorded
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
