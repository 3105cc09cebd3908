package io.ostraka.examples.demo;

import io.ostraka.api.ShardingContext;

/**
 * What a run takes to the store before its effects.
 *
 * @param token who of the item's successive owners writes
 * @param generation which item count of the job it belongs to
 */
record Fence(String job, int item, long token, long generation) {
    static Fence of(ShardingContext context) {
        return new Fence(context.jobName(), context.shardingItem(), context.fencingToken(), context.generationToken());
    }
}
