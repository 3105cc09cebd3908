package io.ostraka.faults.simulation;

import io.ostraka.api.JobInstance;
import io.ostraka.api.JobShardingStrategy;
import java.util.List;
import java.util.Map;

/** A strategy that fails in several ways. Its failures must not affect other jobs. */
final class FailingStrategy implements JobShardingStrategy {
    static final String TYPE = "HOSTILE";

    @Override
    public String type() {
        return TYPE;
    }

    /**
     * Assigns all items to the first instance if there are one or two instances. With three instances, assigns the
     * items to an unknown instance. With more instances, throws an exception.
     */
    @Override
    public Map<String, List<String>> shard(Request request) {
        List<JobInstance> instances = request.instances();
        if (instances.size() > 3) {
            throw new IllegalStateException("fails on purpose");
        }
        String owner = instances.size() == 3 ? "nobody" : instances.get(0).id();
        return Map.of(owner, request.items());
    }
}
