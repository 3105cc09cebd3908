package io.ostraka.examples.rolling;

import io.ostraka.examples.settlement.SettlementApplication;
import io.ostraka.spring.OstrakaLifecycle;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** The program of a process: the settlement application with a recorder of its runs. */
@Configuration(proxyBeanMethods = false)
class RecordedApplication {
    public static void main(String[] arguments) {
        SpringApplication.from(SettlementApplication::main)
                .with(RecordedApplication.class)
                .run(arguments);
    }

    @Bean
    RunRecorder recorder(JdbcTemplate database) {
        return new RunRecorder(database);
    }

    /** Fails the start of the application when this process runs items. */
    @Bean
    @ConditionalOnBooleanProperty("failing")
    ApplicationRunner failingRunner(JdbcTemplate database, OstrakaLifecycle lifecycle) {
        return arguments -> {
            lifecycle.registry().orElseThrow().operations().instances();
            while (!Recording.isRunning(database, ProcessHandle.current().pid())) {
                Thread.sleep(Recording.POLL_MILLIS);
            }
            throw new IllegalStateException("the start fails on purpose");
        };
    }
}
