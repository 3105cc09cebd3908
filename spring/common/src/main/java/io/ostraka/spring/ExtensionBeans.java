package io.ostraka.spring;

import io.ostraka.api.AlarmHandler;
import io.ostraka.api.HealthListener;
import io.ostraka.api.InstanceListener;
import io.ostraka.api.Job;
import io.ostraka.api.JobErrorHandler;
import io.ostraka.api.JobItemExecutor;
import io.ostraka.api.JobListener;
import io.ostraka.api.JobOptions;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.RunInterceptor;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.lite.RegistryBuilder;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.springframework.beans.factory.BeanFactory;

/**
 * Beans that extend the instance, in the order of {@code @Order}.
 *
 * @param beans the application's beans
 */
record ExtensionBeans(BeanFactory beans) {
    /** Types of the beans that are jobs or extend the instance. A bean with methods that are jobs may have any type. */
    static final Set<Class<?>> TYPES = Set.of(
            Job.class,
            JobOptions.class,
            JobShardingStrategy.class,
            HealthListener.class,
            InstanceListener.class,
            JobItemExecutor.class,
            JobErrorHandler.class,
            RunInterceptor.class,
            JobListener.class,
            EventSubscriber.class,
            AlarmHandler.class,
            RegistryBuilderCustomizer.class);

    /** Returns the beans of a type. */
    <T> List<T> of(Class<T> type) {
        return beans.getBeanProvider(type).orderedStream().toList();
    }

    /** Adds all beans to the builder of a registry, and then lets the customizers change the builder. */
    void addTo(RegistryBuilder builder) {
        each(JobShardingStrategy.class, builder::shardingStrategy);
        each(HealthListener.class, builder::healthListener);
        each(InstanceListener.class, builder::instanceListener);
        each(JobItemExecutor.class, executor -> builder.jobItemExecutor((JobItemExecutor<?>) executor));
        each(JobErrorHandler.class, builder::errorHandler);
        each(RunInterceptor.class, builder::interceptor);
        each(JobListener.class, builder::jobListener);
        each(EventSubscriber.class, builder::eventSubscriber);
        each(AlarmHandler.class, builder::alarmHandler);
        each(RegistryBuilderCustomizer.class, customizer -> customizer.customize(builder));
    }

    private <T> void each(Class<T> type, Consumer<T> use) {
        of(type).forEach(use);
    }
}
