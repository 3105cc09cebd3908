package io.ostraka.examples.settlement;

import io.ostraka.jdbc.JdbcFence;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** Receives and settles orders. Start several processes: the items of each job spread over all of them. */
@SpringBootApplication
public class SettlementApplication {
    /** Keeps late writes of earlier owners of an item out of the database. */
    @Bean
    JdbcFence fence() {
        return new JdbcFence();
    }

    public static void main(String[] arguments) {
        SpringApplication.run(SettlementApplication.class, arguments);
    }
}
