package io.ostraka.api;

/**
 * The relation between the items of a job and the instances that may run them. A job with a scope other than {@link
 * #SHARDED} has a {@link JobConfiguration#shardingTotalCount()} of 1; {@link ShardingContext#itemKey()} identifies its
 * items.
 */
public enum Scope {
    /** The job has a fixed number of items, each assigned to one instance. The default. */
    SHARDED,
    /**
     * Every instance that hosts the job has an item of its own; the item's key is the instance's id. A new instance takes
     * part from the next fire on. An unfinished fire of an instance that has left counts as interrupted; no other
     * instance takes it over.
     */
    BROADCAST,
    /**
     * Every zone has one item, assigned to an instance of the zone. The zone's name is the item's key. An interrupted
     * fire runs again in the same zone, or in another zone if the first has no instance left. Later fires wait for the
     * zone's next instance.
     */
    ONE_PER_ZONE,
    /** The job has a single item, assigned to one instance among those of all zones. */
    SINGLETON
}
