package io.ostraka.console.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.ostraka.console.live.LiveEvent.Plain;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EventLogTest {
    private static final LiveEvent SMALL = Plain.toEveryone("job", "job a", new JsonObject());

    private final EventLog log = new EventLog();

    @Test
    void holdsTheEventsAfterANumber() {
        log.add(SMALL);
        long second = log.add(SMALL).number();
        assertThat(log.holds(0)).isTrue();
        assertThat(log.since(0)).hasSize(2);
        assertThat(log.holds(second)).isTrue();
        assertThat(log.since(second)).isEmpty();
        assertThat(log.holds(second + 1)).as("a number of the future").isFalse();
    }

    @Test
    void keepsTheLatestEvents() {
        for (int i = 0; i < EventLog.MOST_EVENTS + 1; i++) {
            log.add(SMALL);
        }
        assertThat(log.holds(0)).isFalse();
        assertThat(log.holds(1)).isTrue();
        assertThat(log.since(1)).hasSize(EventLog.MOST_EVENTS);
    }

    @Test
    void keepsFewerEventsIfTheyAreLarge() {
        Set<String> items = IntStream.range(0, LiveEvent.Items.MOST)
                .mapToObj(String::valueOf)
                .collect(Collectors.toSet());
        LiveEvent large = new LiveEvent.Items("a", Map.of(), items, false);
        int most = EventLog.MOST_VALUES / large.weight();
        for (int i = 0; i < most; i++) {
            log.add(large);
        }
        assertThat(log.holds(0)).isTrue();
        log.add(large);
        assertThat(log.holds(0)).isFalse();
        assertThat(log.holds(1)).isTrue();
    }

    @Test
    void holdsNothingBeforeABreak() {
        long number = log.add(SMALL).number();
        log.clear();
        assertThat(log.holds(number)).isFalse();
        assertThat(log.holds(log.number())).isTrue();
    }

    @Test
    void skippedNumberIsNotMissing() {
        long number = log.add(SMALL).number();
        long skipped = log.skip();
        log.add(SMALL);
        assertThat(skipped).isGreaterThan(number);
        assertThat(log.since(number)).hasSize(1);
    }
}
