package io.ostraka.api;

import java.util.List;
import java.util.Map;

/**
 * Decides which instance runs which items of a job. A pure function: called by the leading instance alone, on a worker
 * thread, it must neither block nor remember. While it doesn't answer, its own job is not planned; others are.
 *
 * <p>An answer that forgets an item, names one twice or names an unknown instance is refused: the plan in force stays
 * and the job reports why. The same holds when it throws.
 */
public interface JobShardingStrategy {
    /** Returns the name by which {@link JobConfiguration#shardingStrategy()} chooses it. */
    String type();

    /**
     * Places every item.
     *
     * @param request the items, the instances that may run them, and who has them now
     * @return items by instance id; an instance without items may be left out
     */
    Map<String, List<String>> shard(Request request);

    /**
     * What there is to place.
     *
     * @param jobName the job
     * @param instances who may run items, at least one, ordered by id; unmodifiable
     * @param items the item keys in their natural order; unmodifiable
     * @param owners the present owner of each item that has one among {@code instances}; unmodifiable
     */
    record Request(String jobName, List<JobInstance> instances, List<String> items, Map<String, String> owners) {
        /** Copies everything. */
        public Request {
            instances = List.copyOf(instances);
            items = List.copyOf(items);
            owners = Map.copyOf(owners);
        }
    }
}
