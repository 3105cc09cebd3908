package io.ostraka.api;

/**
 * Defines which items a job has and which instances may run them. A job with a scope other than {@link #SHARDED} is
 * configured with a {@link JobConfiguration#shardingTotalCount()} of 1, and {@link ShardingContext#itemKey()}
 * identifies its items.
 */
public enum Scope {
    /** The job has a fixed number of items, each assigned to one instance. The default. */
    SHARDED,
    /**
     * Every instance that hosts the job has an item of its own, whose key is the instance's id. A new instance takes
     * part from the next fire on. If an instance leaves during a fire, its item ends as {@link
     * ItemOutcome#INTERRUPTED}; no other instance takes the item over.
     */
    BROADCAST,
    /**
     * Every zone has one item, whose key is the zone's name. The item is assigned to an instance of the zone. An
     * interrupted fire runs again in the same zone, or in another zone if its own zone has no instance left. In that
     * case, the item's later fires wait for a new instance of its own zone.
     */
    ONE_PER_ZONE,
    /** The job has a single item, which is assigned to one instance in any zone. */
    SINGLETON
}
