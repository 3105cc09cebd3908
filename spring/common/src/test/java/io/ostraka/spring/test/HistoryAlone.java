package io.ostraka.spring.test;

import io.ostraka.api.event.BatchSubscriber;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A class that declares nothing but a history, and cannot be created without its database. */
@Configuration(proxyBeanMethods = false)
class HistoryAlone {
    private final HistoryBeans.Database database;

    HistoryAlone(HistoryBeans.Database database) {
        this.database = database;
    }

    @Bean
    BatchSubscriber otherHistory() {
        return new HistoryBeans.History(database);
    }
}
