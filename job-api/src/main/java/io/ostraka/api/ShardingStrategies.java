package io.ostraka.api;

/**
 * Names of the library's sharding strategies, for {@link JobConfiguration.Builder#shardingStrategy(String)}. A strategy
 * marked as a router is meant for jobs with one item.
 */
public final class ShardingStrategies {
    /** Item counts differ by at most one between instances, and as few items as possible move. The default. */
    public static final String STICKY_BALANCED = "STICKY_BALANCED";

    /** Item counts are proportional to the instances' weights, and as few items as possible move. */
    public static final String WEIGHTED = "WEIGHTED";

    /** The total of the items' measured run times is about the same on each instance. */
    public static final String LOAD_AWARE = "LOAD_AWARE";

    /** Item counts differ by at most one between zones, and then between the instances of each zone. */
    public static final String ZONE_SPREAD = "ZONE_SPREAD";

    /**
     * The instance depends only on the item's key and on the set of instances, so that other code can compute the
     * instance. Also meant for jobs with one item, like a router.
     */
    public static final String CONSISTENT_HASH = "CONSISTENT_HASH";

    /**
     * Consecutive items are on the same instance, and item counts differ by at most one. The same as ElasticJob's
     * strategy of this name.
     */
    public static final String AVG_ALLOCATION = "AVG_ALLOCATION";

    /**
     * Like {@link #AVG_ALLOCATION}, but starts with the first or the last instance, depending on the hash of the job's
     * name. The same as ElasticJob's strategy of this name.
     */
    public static final String ODEVITY = "ODEVITY";

    /**
     * Like {@link #AVG_ALLOCATION}, but starts with an instance that the hash of the job's name selects. The same as
     * ElasticJob's strategy of this name.
     */
    public static final String ROUND_ROBIN = "ROUND_ROBIN";

    /** Router that always chooses the first instance by id. */
    public static final String FIRST = "FIRST";

    /** Router that always chooses the last instance by id. */
    public static final String LAST = "LAST";

    /** Router that chooses a random instance for each fire. */
    public static final String RANDOM = "RANDOM";

    /** Router that chooses the next instance for each fire, in turn. */
    public static final String ROUND = "ROUND";

    /** Router that chooses the instance with the fewest fires of the job so far. */
    public static final String LEAST_FREQUENTLY_USED = "LEAST_FREQUENTLY_USED";

    /** Router that chooses the instance that has had no fire of the job for the longest time. */
    public static final String LEAST_RECENTLY_USED = "LEAST_RECENTLY_USED";

    /**
     * Router that keeps the current owner. If the owner leaves, the item moves to the first of the remaining instances
     * by id.
     */
    public static final String FAILOVER = "FAILOVER";

    /**
     * Router that keeps the current owner until a scheduled fire finds it busy: the owner's earlier run of the item has
     * not ended, or its process is still executing a run from an earlier session. The router then chooses the first
     * instance by id that is not busy. The item still has only one run at a time.
     */
    public static final String BUSY_OVER = "BUSY_OVER";

    /**
     * Router that keeps the current owner. If the owner has at least two items more than another instance, the router
     * chooses the instance with the fewest items. It counts the items of all jobs.
     */
    public static final String SPREAD = "SPREAD";

    private ShardingStrategies() {}
}
