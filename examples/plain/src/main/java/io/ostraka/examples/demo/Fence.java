package io.ostraka.examples.demo;

import io.ostraka.api.ShardingContext;

/**
 * The tokens that a run passes to the store before its effects.
 *
 * @param job name of the job
 * @param item number of the item
 * @param token fencing token of the claim; a later owner of the item has a larger token
 * @param generation fencing token of the job as a whole, which rises when the item count changes
 */
record Fence(String job, int item, long token, long generation) {
    static Fence of(ShardingContext context) {
        return new Fence(context.jobName(), context.shardingItem(), context.fencingToken(), context.generationToken());
    }
}
