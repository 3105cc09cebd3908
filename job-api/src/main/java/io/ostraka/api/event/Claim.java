package io.ostraka.api.event;

import java.time.Instant;

/**
 * Identity of one claim, which gives an instance the right to run one fire of one item. All attempts under a claim
 * share it.
 *
 * @param job name of the job
 * @param item key of the item
 * @param incarnation number of the item's set of records; it grows with each change of the item count
 * @param runId identity of the fire, the same for all its items and all their claims
 * @param fireTime scheduled instant of the fire; for a manual trigger the instant, by ZooKeeper's clock, at which it
 *     was accepted
 * @param triggered true for a manual trigger, false for a scheduled fire
 * @param shardingTotalCount number of items that the fire is split into
 * @param attempt number of the claim's first attempt at the fire: 1, or more after a failover
 * @param runNumber number of the claim among all claims of this item: the first is 1, and each claim has the number of
 *     the one before it plus one; it starts at 1 again if the item's record was deleted or lost
 * @param nonce text that no other claim has; use it as the key under which a history stores the claim
 * @param fencingToken token of the claim, as {@link io.ostraka.api.ShardingContext#fencingToken()}; 0 if it is not
 *     known, which is possible only for a claim that was interrupted before it was taken over
 * @param cursor latest scheduled fire of the item that was decided when the claim was made, apart from the claimed fire
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
        String instanceId,
        Instant claimedAt) {}
