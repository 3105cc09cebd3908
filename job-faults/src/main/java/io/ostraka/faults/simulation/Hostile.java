package io.ostraka.faults.simulation;

import io.ostraka.api.JobInstance;
import io.ostraka.api.JobShardingStrategy;
import java.util.List;
import java.util.Map;

/** A strategy that is as bad as it can be; what jobs suffer from another's is a defect. */
final class Hostile implements JobShardingStrategy {
    static final String TYPE = "HOSTILE";

    @Override
    public String type() {
        return TYPE;
    }

    /** Gives everything to the first; but where there are three, nonsense, and where there are more, nothing but trouble. */
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
