package io.ostraka.spring.test;

import io.ostraka.api.event.BatchSubscriber;
import io.ostraka.api.event.Event;
import io.ostraka.api.event.EventSubscriber;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A history, as applications declare it, beside a subscriber that needs no database. */
@Configuration(proxyBeanMethods = false)
class HistoryBeans {
    /** Not a bean in the tests, like the data source. */
    interface Database {}

    /** Stands for the history of the module {@code ostraka-job-history}. */
    record History(Database database) implements BatchSubscriber {
        @Override
        public void on(List<Event> events) {
            throw new IllegalStateException("a test of jobs has no history");
        }
    }

    /** Counts events. */
    static final class Counter implements EventSubscriber {
        final AtomicInteger events = new AtomicInteger();

        @Override
        public void on(Event event) {
            events.incrementAndGet();
        }
    }

    @Bean
    History history(Database database) {
        return new History(database);
    }

    @Bean
    Counter counter() {
        return new Counter();
    }
}
