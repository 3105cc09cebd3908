package io.ostraka.spring.test;

import io.ostraka.api.JobOptions;
import io.ostraka.api.RunInterceptor;
import io.ostraka.api.ShardingContext;
import io.ostraka.spring.ShardedJob;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A class with a method that is a job. It is no component; a bean method of a class without other jobs creates it. */
class Archive {
    private final Settlement.Orders orders;

    Archive(Settlement.Orders orders) {
        this.orders = orders;
    }

    @ShardedJob(name = "archive", shardingTotalCount = 1)
    void archive() {
        orders.settle(-3);
    }

    /** Declares the bean. */
    @Configuration(proxyBeanMethods = false)
    static class Beans {
        @Bean
        Archive archive(Settlement.Orders orders) {
            return new Archive(orders);
        }

        @Bean
        @Qualifier("archive") JobOptions options(Settlement.Orders orders) {
            return JobOptions.none().interceptors(new RunInterceptor() {
                @Override
                public void before(ShardingContext context) {
                    orders.settle(-4);
                }
            });
        }
    }
}
