package io.ostraka.spring.boot3;

import io.ostraka.spring.InstanceHealth;
import io.ostraka.spring.OstrakaAutoConfiguration;
import io.ostraka.spring.OstrakaLifecycle;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Adds the instance to the health endpoint, under the name {@code ostraka}. */
@AutoConfiguration(after = OstrakaAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
public final class OstrakaHealthAutoConfiguration {
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
