package io.ostraka.core.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.event.Event;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.api.event.SubscriberContext;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EventsTest {
    /** A subscriber that reports its problem at the start. */
    private record Reporting(@Nullable String problem) implements EventSubscriber {
        @Override
        public void started(SubscriberContext context) {
            context.problem(problem);
        }

        @Override
        public void on(Event event) {}
    }

    @Test
    void subscribersOfOneClassHaveProblemsOfTheirOwn() {
        Map<String, String> problems = new TreeMap<>();
        Events events = new Events(
                List.of(),
                List.of(new Reporting("the disk is full"), new Reporting("the database is away"), new Reporting(null)),
                Runnable::run);

        events.start(
                "orders",
                () -> {
                    throw new AssertionError("nothing asks for the load");
                },
                (name, problem) -> {
                    if (problem == null) {
                        problems.remove(name);
                    } else {
                        problems.put(name, problem);
                    }
                },
                () -> {});

        String type = Reporting.class.getName();
        assertThat(problems)
                .containsExactly(Map.entry(type, "the disk is full"), Map.entry(type + "#2", "the database is away"));
    }
}
