package io.ostraka.spring;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.ostraka.api.Job;
import io.ostraka.api.operations.Operations;
import io.ostraka.micrometer.MicrometerMeters;
import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.BoundConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * Makes a Spring Boot application an instance that hosts the application's jobs. Each application context with this
 * configuration is a separate instance.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
        })
@EnableConfigurationProperties(OstrakaProperties.class)
@Import({DurationsInPolicies.class, ConsoleConfiguration.class, PlatformConfiguration.class})
public final class OstrakaAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    OstrakaLifecycle ostrakaLifecycle(
            OstrakaProperties properties,
            ApplicationJobs jobs,
            ObjectProvider<Platform.Loader> platforms,
            ConfigurableApplicationContext context) {
        return new OstrakaLifecycle(
                properties,
                jobs,
                new RegistryFactory(properties, places(context), context.getEnvironment(), context),
                () -> platforms(properties, platforms, context),
                context);
    }

    private static Platform.Loader platforms(
            OstrakaProperties properties,
            ObjectProvider<Platform.Loader> platforms,
            ConfigurableApplicationContext context) {
        String url = properties.remote().url();
        if (url == null || url.isBlank()) {
            return own -> Platform.NONE;
        }
        return platforms.getIfAvailable(() -> {
            // the address is not shown, because it may contain a password
            throw new InvalidPropertyException(
                    "property " + places(context).of("ostraka.remote", "url") + " is set, but the class path does not"
                            + " have the module ostraka-job-remote; accepted: this property together with the"
                            + " dependency io.ostraka:ostraka-job-remote, or neither",
                    null);
        });
    }

    @Bean
    ApplicationJobs ostrakaJobs(OstrakaProperties properties, ConfigurableApplicationContext context) {
        return new ApplicationJobs(properties, places(context), context.getBeanFactory());
    }

    private static PropertyPlaces places(ConfigurableApplicationContext context) {
        return new PropertyPlaces(BoundConfigurationProperties.get(context));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE) // created early, with the first properties that are bound
    static DurationUnits ostrakaDurationUnits(Environment environment) {
        return new DurationUnits(environment);
    }

    /** Lets the instance and its jobs start with the context, even if other beans are lazy. */
    @Bean
    static LazyInitializationExcludeFilter ostrakaIsNotLazy() {
        return (name, definition, type) -> OstrakaLifecycle.class.isAssignableFrom(type)
                || Job.class.isAssignableFrom(type)
                || JobScanner.hasMethods(type);
    }

    /** Returns operations that use the registry that is open at the time of each call. */
    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    Operations ostrakaOperations(OstrakaLifecycle lifecycle) {
        return ProxyFactory.getProxy(Operations.class, new OpenOperations(lifecycle));
    }

    private record OpenOperations(OstrakaLifecycle lifecycle) implements TargetSource {
        @Override
        public Class<?> getTargetClass() {
            return Operations.class;
        }

        @Override
        public boolean isStatic() {
            return false;
        }

        @Override
        public Object getTarget() {
            return lifecycle
                    .registry()
                    .orElseThrow(() -> new IllegalStateException(
                            "this application is not connected to ZooKeeper: its context is stopped, or"
                                    + " ostraka.enabled is false"))
                    .operations();
        }

        @Override
        public void releaseTarget(Object target) {}
    }

    /** Creates spans for the runs of items. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ObservationRegistry.class)
    static class Observations {
        @Bean
        @ConditionalOnBean(ObservationRegistry.class)
        ObservationInterceptor ostrakaObservationInterceptor(ObservationRegistry registry) {
            return new ObservationInterceptor(registry);
        }
    }

    /** Registers meters, if the application has the module {@code ostraka-job-micrometer}. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({MeterRegistry.class, MicrometerMeters.class})
    static class Meters {
        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnBean(MeterRegistry.class)
        MicrometerMeters ostrakaMeters(MeterRegistry registry) {
            return new MicrometerMeters(registry);
        }
    }

    /** Adds the endpoints, if the application has the actuator. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, InfoContributor.class, ConditionalOnAvailableEndpoint.class})
    static class Actuator {
        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnAvailableEndpoint
        OstrakaEndpoint ostrakaEndpoint(
                OstrakaLifecycle lifecycle, Operations operations, OstrakaProperties properties) {
            return new OstrakaEndpoint(
                    lifecycle, operations, properties.console().maskParameters());
        }

        @Bean
        @ConditionalOnAvailableEndpoint(endpoint = OstrakaEndpoint.class)
        CommandFields ostrakaCommandFields() {
            return new CommandFields();
        }

        @Bean
        @ConditionalOnEnabledInfoContributor("ostraka")
        OstrakaInfo ostrakaInfo(OstrakaLifecycle lifecycle) {
            return new OstrakaInfo(lifecycle);
        }
    }
}
