package io.ostraka.spring;

import io.ostraka.remote.RemoteConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.BoundConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Adds configuration from a platform, if the application has the module {@code ostraka-job-remote}. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(RemoteConfiguration.class)
class PlatformConfiguration {
    @Bean
    Platform.Loader ostrakaPlatformLoader(OstrakaProperties properties, ConfigurableApplicationContext context) {
        return own -> {
            PropertyPlaces places = new PropertyPlaces(BoundConfigurationProperties.get(context));
            return RemotePlatform.load(properties.remote(), new PropertyChecks(places), context, own);
        };
    }
}
