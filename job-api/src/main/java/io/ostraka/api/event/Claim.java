package io.ostraka.api.event;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Identity of one claim. A claim gives an instance the right to run one fire of one item, with all its retries.
 *
 * @param job name of the job
 * @param item key of the item
 * @param incarnation number of the job's set of item records. Each change of the item count creates a new set with a
 *     larger number
 * @param runId identity of the fire, the same for all its items and all their claims
 * @param fireTime scheduled instant of the fire. For a manual trigger, the time that the trigger contains; if the
 *     trigger contains no time, the time at which ZooKeeper accepted the trigger, by ZooKeeper's clock
 * @param triggered true for a manual trigger, false for a scheduled fire
 * @param shardingTotalCount number of items that the fire is split into
 * @param attempt number of the first attempt under this claim: 1, or more if earlier claims of the fire have made
 *     attempts
 * @param runNumber number of the claim among the claims of this item, counted from 1. The count starts at 1 again if
 *     the item's record was deleted or lost
 * @param nonce unique identifier of the claim; use it as the key if you store claims
 * @param fencingToken token of the claim, see {@link io.ostraka.api.ShardingContext#fencingToken()}; 0 if unknown,
 *     which is possible only for an interrupted claim that a later event describes
 * @param cursor latest scheduled fire that the item had completed or skipped when the claim was made, not counting the
 *     claimed fire itself
 * @param opened value of {@code cursor} at the beginning of this incarnation; null if unknown, because an earlier
 *     version of the library wrote the item's record
 * @param instanceId id of the instance that made the claim
 * @param claimedAt time of the claim by the clock of that instance
 */
public record Claim(
        String job,
        String item,
        long incarnation,
        String runId,
        Instant fireTime,
        boolean triggered,
        int shardingTotalCount,
        int attempt,
        long runNumber,
        String nonce,
        long fencingToken,
        Instant cursor,
        @Nullable Instant opened,
        String instanceId,
        Instant claimedAt) {}
