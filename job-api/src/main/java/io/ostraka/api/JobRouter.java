package io.ostraka.api;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A {@link JobShardingStrategy} for jobs with one item: it chooses the instance that runs the item. If a job with
 * several items uses a router, the leader makes no plan for the job, and the job's health reports the reason.
 *
 * <p>A router that chooses another instance for every fire costs one write of the plan per fire, and all instances that
 * host the job read that plan.
 */
public interface JobRouter extends JobShardingStrategy {
    /**
     * Chooses the instance for the item.
     *
     * @param request the request, with one item; {@link #owner} returns the current owner of this item
     * @return the chosen instance
     */
    Route route(Request request);

    /**
     * The answer of a router.
     *
     * @param instance the chosen instance, one of the request's instances
     * @param state state that the next request contains as {@link Request#state()}; empty for none
     */
    record Route(JobInstance instance, String state) {
        /** Creates a route without state. */
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
     * @throws IllegalArgumentException if the request has several items
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

    /**
     * Returns the current owner of the request's item; empty if the item has no owner among the request's instances.
     */
    static Optional<JobInstance> owner(Request request) {
        String owner = request.owners().get(request.items().get(0));
        return request.instances().stream()
                .filter(instance -> instance.id().equals(owner))
                .findFirst();
    }
}
