package io.ostraka.examples.settlement;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Receives and settles orders. Start several processes: the items of each job spread over all of them. */
@SpringBootApplication
public class SettlementApplication {
    public static void main(String[] arguments) {
        SpringApplication.run(SettlementApplication.class, arguments);
    }
}
