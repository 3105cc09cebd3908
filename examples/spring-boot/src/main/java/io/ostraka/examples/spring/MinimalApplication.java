package io.ostraka.examples.spring;

import io.ostraka.api.ShardingContext;
import io.ostraka.spring.ShardedJob;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** A Spring Boot application with a job of three items, which fires every five seconds. */
@SpringBootApplication
public class MinimalApplication {
    private static final Logger log = LoggerFactory.getLogger(MinimalApplication.class);

    public static void main(String[] arguments) {
        SpringApplication.run(MinimalApplication.class, arguments);
    }

    @ShardedJob(name = "greet", shardingTotalCount = 3, cron = "0/5 * * * * ?")
    void greet(ShardingContext context) {
        log.info("hello from item {} of {}", context.shardingItem(), context.shardingTotalCount());
    }
}
