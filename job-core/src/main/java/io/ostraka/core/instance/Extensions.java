package io.ostraka.core.instance;

import io.ostraka.api.HealthListener;
import io.ostraka.api.InstanceListener;
import io.ostraka.api.JobListener;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.RunInterceptor;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.core.run.ErrorHandlers;
import io.ostraka.core.run.JobTypes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/**
 * What an application brings along of its own, beside its jobs.
 *
 * @param strategies the sharding strategies there are, by type; the default among them
 * @param healthListeners told when the instance's health changes
 * @param instanceListeners go along with the instance's life
 * @param types the types of jobs that can be run
 * @param errorHandlers told of item runs that fail
 * @param interceptors stand around the runs of all jobs
 * @param listeners told of the fires of all jobs
 * @param subscribers receive events, each from a queue of its own
 * @param meters receive events on the publishing thread, so they return at once and throw nothing
 */
public record Extensions(
        Map<String, JobShardingStrategy> strategies,
        List<HealthListener> healthListeners,
        List<InstanceListener> instanceListeners,
        JobTypes types,
        ErrorHandlers errorHandlers,
        List<RunInterceptor> interceptors,
        List<JobListener> listeners,
        List<EventSubscriber> subscribers,
        List<EventSubscriber> meters) {
    /** Returns strategies, and otherwise what is built in and what {@link ServiceLoader} finds. */
    public static Extensions of(Map<String, JobShardingStrategy> strategies) {
        return new Extensions(
                strategies,
                List.of(),
                found(InstanceListener.class, List.of()),
                JobTypes.found(List.of()),
                ErrorHandlers.found(List.of()),
                found(RunInterceptor.class, List.of()),
                found(JobListener.class, List.of()),
                List.of(),
                List.of());
    }

    /** Returns the same with other instance listeners. */
    public Extensions withInstanceListeners(List<InstanceListener> others) {
        return new Extensions(
                strategies,
                healthListeners,
                others,
                types,
                errorHandlers,
                interceptors,
                listeners,
                subscribers,
                meters);
    }

    /** Returns the same with other event subscribers. */
    public Extensions withSubscribers(List<EventSubscriber> others) {
        return withEvents(others, meters);
    }

    /** Returns the same with other meters. */
    public Extensions withMeters(List<EventSubscriber> others) {
        return withEvents(subscribers, others);
    }

    private Extensions withEvents(List<EventSubscriber> queued, List<EventSubscriber> direct) {
        return new Extensions(
                strategies,
                healthListeners,
                instanceListeners,
                types,
                errorHandlers,
                interceptors,
                listeners,
                queued,
                direct);
    }

    /** Returns those that {@link ServiceLoader} finds, and others. */
    public static <T> List<T> found(Class<T> type, Collection<? extends T> others) {
        List<T> all = new ArrayList<>();
        ServiceLoader.load(type).forEach(all::add);
        all.addAll(others);
        return all;
    }
}
