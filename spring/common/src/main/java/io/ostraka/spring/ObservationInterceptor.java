package io.ostraka.spring;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.ostraka.api.RunInterceptor;
import io.ostraka.api.ShardingContext;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Observes the run of each item, so that a tracer creates a span for it. The spans of calls that the code makes become
 * its children. Thread-safe.
 */
final class ObservationInterceptor implements RunInterceptor {
    /** Name of the observation and of its timer. */
    static final String NAME = "ostraka.item.run";

    private final ObservationRegistry registry;
    private final Map<ShardingContext, Observation.Scope> running = new ConcurrentHashMap<>();

    ObservationInterceptor(ObservationRegistry registry) {
        this.registry = registry;
    }

    /** Encloses the interceptors of the application. */
    @Override
    public int order() {
        return Integer.MIN_VALUE;
    }

    @Override
    public void before(ShardingContext context) {
        Observation observation = Observation.createNotStarted(NAME, registry)
                .contextualName("job " + context.jobName())
                .lowCardinalityKeyValue("job", context.jobName())
                .highCardinalityKeyValue("item", context.itemKey())
                .highCardinalityKeyValue("fire", context.fireTime().toString())
                .highCardinalityKeyValue("attempt", Integer.toString(context.attempt()))
                .highCardinalityKeyValue("run.id", context.runId())
                .highCardinalityKeyValue("token", Long.toString(context.fencingToken()))
                .start();
        running.put(context, observation.openScope());
    }

    /** Makes the observation of the submitting code current in the task, so that it is the parent of the task's own. */
    @Override
    public Runnable aroundTask(ShardingContext context, Runnable task) {
        Observation submitter = registry.getCurrentObservation();
        return submitter == null ? task : () -> submitter.scoped(task);
    }

    @Override
    public void completion(ShardingContext context, @Nullable Throwable failure) {
        Observation.Scope scope = running.remove(context);
        if (scope != null) {
            scope.close();
            Observation observation = scope.getCurrentObservation();
            if (failure != null) {
                observation.error(failure);
            }
            observation.stop();
        }
    }
}
