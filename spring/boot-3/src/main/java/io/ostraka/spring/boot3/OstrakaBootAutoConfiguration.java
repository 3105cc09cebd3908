package io.ostraka.spring.boot3;

import io.ostraka.spring.BootLine;
import io.ostraka.spring.InstanceHealth;
import io.ostraka.spring.OstrakaAutoConfiguration;
import io.ostraka.spring.OstrakaLifecycle;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The parts of the auto-configuration whose code depends on the line of Spring Boot. */
@AutoConfiguration(after = OstrakaAutoConfiguration.class)
public final class OstrakaBootAutoConfiguration {
    /**
     * Called by Spring.
     *
     * @throws IllegalStateException if the application has another line of Spring Boot
     */
    public OstrakaBootAutoConfiguration() {
        BootLine.require(3);
    }

    /** Adds the instance to the health endpoint, under the name {@code ostraka}. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    static class Indicator {
        @Bean
        @ConditionalOnEnabledHealthIndicator("ostraka")
        HealthIndicator ostrakaHealthIndicator(OstrakaLifecycle lifecycle) {
            return () -> {
                InstanceHealth health = InstanceHealth.of(lifecycle);
                return (health.up() ? Health.up() : Health.down())
                        .withDetails(health.details())
                        .build();
            };
        }
    }
}
