package io.ostraka.core.instance;

import io.ostraka.api.AlarmHandler;
import io.ostraka.api.HealthListener;
import io.ostraka.api.InstanceListener;
import io.ostraka.api.JobErrorHandler;
import io.ostraka.api.JobListener;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.RunInterceptor;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.core.run.JobTypes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/**
 * Extensions that an application adds to the engine, other than its jobs.
 *
 * @param strategies all sharding strategies by type, including the default one
 * @param types supported job types
 * @param errorHandlers handlers of failed runs, in addition to the built-in ones
 * @param interceptors interceptors around the runs of all jobs
 * @param listeners listeners and event subscribers
 */
public record Extensions(
        Map<String, JobShardingStrategy> strategies,
        JobTypes types,
        List<JobErrorHandler> errorHandlers,
        List<RunInterceptor> interceptors,
        Listeners listeners) {
    /**
     * Listeners and event subscribers of an instance.
     *
     * @param jobs listeners of the fires of all jobs
     * @param instances listeners of the instance's state
     * @param health listeners of the instance's health
     * @param subscribers event subscribers, each with its own queue
     * @param alarms receivers of alarms
     * @param meters event subscribers that run on the publishing thread; they return at once and throw nothing
     */
    public record Listeners(
            List<JobListener> jobs,
            List<InstanceListener> instances,
            List<HealthListener> health,
            List<EventSubscriber> subscribers,
            List<AlarmHandler> alarms,
            List<EventSubscriber> meters) {}

    /** Returns the given strategies, the built-in extensions, and the extensions that {@link ServiceLoader} finds. */
    public static Extensions of(Map<String, JobShardingStrategy> strategies) {
        return new Extensions(
                strategies,
                JobTypes.found(List.of()),
                found(JobErrorHandler.class, List.of()),
                found(RunInterceptor.class, List.of()),
                new Listeners(
                        found(JobListener.class, List.of()),
                        found(InstanceListener.class, List.of()),
                        List.of(),
                        List.of(),
                        found(AlarmHandler.class, List.of()),
                        List.of()));
    }

    /** Returns a copy of these extensions with the given instance listeners. */
    public Extensions withInstanceListeners(List<InstanceListener> others) {
        return with(new Listeners(
                listeners.jobs, others, listeners.health, listeners.subscribers, listeners.alarms, listeners.meters));
    }

    /** Returns a copy of these extensions with the given event subscribers. */
    public Extensions withSubscribers(List<EventSubscriber> others) {
        return with(new Listeners(
                listeners.jobs, listeners.instances, listeners.health, others, listeners.alarms, listeners.meters));
    }

    /** Returns a copy of these extensions with the given alarm handlers. */
    public Extensions withAlarmHandlers(List<AlarmHandler> others) {
        return with(new Listeners(
                listeners.jobs,
                listeners.instances,
                listeners.health,
                listeners.subscribers,
                others,
                listeners.meters));
    }

    /** Returns a copy of these extensions with the given meters. */
    public Extensions withMeters(List<EventSubscriber> others) {
        return with(new Listeners(
                listeners.jobs,
                listeners.instances,
                listeners.health,
                listeners.subscribers,
                listeners.alarms,
                others));
    }

    private Extensions with(Listeners others) {
        return new Extensions(strategies, types, errorHandlers, interceptors, others);
    }

    /** Returns the extensions that {@link ServiceLoader} finds, followed by the given ones. */
    public static <T> List<T> found(Class<T> type, Collection<? extends T> others) {
        List<T> all = new ArrayList<>();
        ServiceLoader.load(type).forEach(all::add);
        all.addAll(others);
        return all;
    }
}
