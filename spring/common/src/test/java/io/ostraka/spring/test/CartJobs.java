package io.ostraka.spring.test;

import io.ostraka.api.JobDefinition;
import io.ostraka.api.SimpleJob;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Bean methods for jobs: one with an annotation, one that properties alone configure. */
@Configuration(proxyBeanMethods = false)
class CartJobs {
    @Bean
    @JobDefinition(name = "expire-carts", shardingTotalCount = 2)
    SimpleJob expireCarts(Settlement.Orders orders) {
        return context -> orders.settle(100 + context.shardingItem());
    }

    @Bean
    SimpleJob countCarts(Settlement.Orders orders) {
        return context -> orders.settle(200);
    }
}
