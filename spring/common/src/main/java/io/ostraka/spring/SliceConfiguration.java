package io.ostraka.spring;

import io.ostraka.api.event.BatchSubscriber;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Adapts the context of {@code @OstrakaTest}: subscribers that write batches, such as the history, are not created. They
 * need a database or files, which such a test does not have.
 */
@Configuration(proxyBeanMethods = false)
class SliceConfiguration {
    @Bean
    static BeanFactoryPostProcessor ostrakaWithoutBatchSubscribers() {
        return beans -> {
            for (String name : beans.getBeanNamesForType(BatchSubscriber.class, true, false)) {
                if (beans.containsBeanDefinition(name)) {
                    beans.getBeanDefinition(name).setLazyInit(true);
                }
            }
        };
    }
}
