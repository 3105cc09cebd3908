package io.ostraka.api;

/**
 * The names of the strategies that come with the library, for {@link JobConfiguration.Builder#shardingStrategy(String)}. The
 * routers are for jobs of one item.
 */
public final class ShardingStrategies {
    /** Counts within one of each other; moves the fewest items that this allows. The default. */
    public static final String STICKY_BALANCED = "STICKY_BALANCED";

    /** Counts by the instances' weights; moves the fewest items that this allows. */
    public static final String WEIGHTED = "WEIGHTED";

    /** About as much running time on each instance, as measured. */
    public static final String LOAD_AWARE = "LOAD_AWARE";

    /** Zones within one item of each other, then the instances of each. */
    public static final String ZONE_SPREAD = "ZONE_SPREAD";

    /** An item's place follows from its name and the instances there are, so that it is found again; a router as well. */
    public static final String CONSISTENT_HASH = "CONSISTENT_HASH";

    /** Neighbouring items together, as ElasticJob's of this name. */
    public static final String AVG_ALLOCATION = "AVG_ALLOCATION";

    /** As {@link #AVG_ALLOCATION}, from the first or the last instance on by the hash of the job's name; as ElasticJob's. */
    public static final String ODEVITY = "ODEVITY";

    /** As {@link #AVG_ALLOCATION}, from an instance on that the hash of the job's name chooses; as ElasticJob's. */
    public static final String ROUND_ROBIN = "ROUND_ROBIN";

    /** Router: the first instance by id. */
    public static final String FIRST = "FIRST";

    /** Router: the last instance by id. */
    public static final String LAST = "LAST";

    /** Router: any instance, chosen anew for each fire. */
    public static final String RANDOM = "RANDOM";

    /** Router: each instance in turn, a fire each. */
    public static final String ROUND = "ROUND";

    /** Router: the instance that has had the fewest fires of the job. */
    public static final String LEAST_FREQUENTLY_USED = "LEAST_FREQUENTLY_USED";

    /** Router: the instance whose latest fire of the job is the longest ago. */
    public static final String LEAST_RECENTLY_USED = "LEAST_RECENTLY_USED";

    /** Router: the first instance by id, as long as it lives; then the first of those that are left. */
    public static final String FAILOVER = "FAILOVER";

    /** Router: the owner, unless a run of an earlier session of it still goes on there. */
    public static final String BUSY_OVER = "BUSY_OVER";

    /** Router: the instance with the fewest items of all jobs. */
    public static final String SPREAD = "SPREAD";

    private ShardingStrategies() {}
}
