package io.ostraka.api;

/**
 * The items of a job, and the instances that may run them. A job with another scope than {@link #SHARDED} has a {@link
 * JobConfiguration#shardingTotalCount()} of 1; its items are known by {@link ShardingContext#itemKey()}.
 */
public enum Scope {
    /** The job has a fixed number of items, each on one instance; the default. */
    SHARDED,
    /**
     * Every instance that hosts the job has an item of its own, whose key is the instance's id. A new instance takes part from the next
     * fire on. An unfinished fire of an instance that has left counts as interrupted; no other instance takes it over.
     */
    BROADCAST,
    /**
     * Every zone has an item on one of its instances; the item's key is the zone's name. An interrupted fire runs again in the zone, or
     * in another zone if the zone has no instance left; later fires wait for the zone's next instance.
     */
    ONE_PER_ZONE,
    /** One item, on one instance in all zones. */
    SINGLETON
}
