package io.ostraka.api;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A {@link JobShardingStrategy} for jobs of one item: it chooses the instance. A job of several that names it is not
 * planned, and its health says why.
 *
 * <p>A router that chooses another instance for every fire costs one plan's write a fire more, which all instances that
 * host the job are told of.
 */
public interface JobRouter extends JobShardingStrategy {
    /**
     * Chooses the instance.
     *
     * @param request with one item; {@link #owner} has its present owner
     */
    Route route(Request request);

    /**
     * Where the item goes.
     *
     * @param instance one of the request's
     * @param state what {@link Request#state()} is the next time; empty for none
     */
    record Route(JobInstance instance, String state) {
        /** Without state. */
        public Route(JobInstance instance) {
            this(instance, "");
        }
    }

    @Override
    default Map<String, List<String>> shard(Request request) {
        return place(request).items();
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException when there are several items
     */
    @Override
    default Answer place(Request request) {
        if (request.items().isEmpty()) {
            return new Answer(Map.of(), request.state());
        }
        if (request.items().size() > 1) {
            throw new IllegalArgumentException(type() + " is for jobs of one item, and job '" + request.jobName()
                    + "' has " + request.items().size());
        }
        Route route = route(request);
        return new Answer(Map.of(route.instance().id(), request.items()), route.state());
    }

    /** Returns the instance that has the item now, if it is one of the request's. */
    static Optional<JobInstance> owner(Request request) {
        String owner = request.owners().get(request.items().get(0));
        return request.instances().stream()
                .filter(instance -> instance.id().equals(owner))
                .findFirst();
    }
}
