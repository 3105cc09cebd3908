package io.ostraka.api;

/**
 * Into which items each fire of a job is split, and who may have them. A job of another scope than {@link #SHARDED} has a
 * {@link JobConfiguration#shardingTotalCount()} of 1; its runs go by {@link ShardingContext#itemKey()}.
 */
public enum Scope {
    /** Into as many as the job has, each on one instance: the default. */
    SHARDED,
    /**
     * Every instance that hosts the job has an item of its own, whose key is the instance's id. One that joins takes part
     * from the next fire on; what one leaves behind unfinished is nobody else's, and counts as interrupted.
     */
    BROADCAST,
    /**
     * Every zone has an item, whose key is the zone's name, on one of its instances. What is interrupted is run again in the
     * zone, or elsewhere if the zone has no instance left; later fires wait for the zone's next instance.
     */
    ONE_PER_ZONE,
    /** One item, on one instance in all zones. */
    SINGLETON
}
