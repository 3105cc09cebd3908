package io.ostraka.core.facade;

import io.ostraka.api.HealthListener;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.core.execution.ErrorHandlers;
import io.ostraka.core.execution.JobTypes;
import java.util.List;
import java.util.Map;

/**
 * What an application brings along of its own, beside its jobs.
 *
 * @param strategies the sharding strategies there are, by type; the default among them
 * @param healthListeners told when the instance's health changes
 * @param types the types of jobs that can be run
 * @param errorHandlers told of item runs that fail
 */
public record Extensions(
        Map<String, JobShardingStrategy> strategies,
        List<HealthListener> healthListeners,
        JobTypes types,
        ErrorHandlers errorHandlers) {
    /** Returns strategies, and otherwise what is built in and what {@link java.util.ServiceLoader} finds. */
    public static Extensions of(Map<String, JobShardingStrategy> strategies) {
        return new Extensions(strategies, List.of(), JobTypes.found(List.of()), ErrorHandlers.found(List.of()));
    }
}
