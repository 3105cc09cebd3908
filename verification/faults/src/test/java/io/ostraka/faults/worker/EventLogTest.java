package io.ostraka.faults.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Item;
import io.ostraka.faults.history.Write;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventLogTest {
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00.000001Z");
    private static final Event.RunKey RUN = new Event.RunKey(new Item("job", "3"), Long.MAX_VALUE);

    @TempDir
    Path directory;

    @Test
    void everyKindOfEventIsReadBackUnchanged() throws Exception {
        List<Event> events = List.of(
                new Event.Transaction(
                        1L << 60,
                        AT,
                        -5,
                        true,
                        List.of(
                                new Write.Created("/a", "{\"b\":\"c\n\"}", true),
                                new Write.Changed("/a", ""),
                                new Write.Deleted("/a"))),
                new Event.Began(AT, "worker", RUN, "execute", 8, 2, "host@1@a", "run", AT),
                new Event.Effect(AT, "worker", RUN, false),
                new Event.Effect(AT, "worker", RUN, true, 7L),
                new Event.Ended(AT, "worker", RUN, true, "TIMED_OUT"),
                new Event.Intercepted(AT, "worker", RUN, "completion", true),
                new Event.Notified(AT, "worker", "job", "run", true, Map.of("1", "FAILED")),
                new Event.Killed(AT, "worker"),
                new Event.Asked(AT, "worker", "job", "run", Set.of("2", "1")),
                new Event.Told(AT, "worker", "run", Map.of("1", "SUCCEEDED")),
                new Event.Told(AT, "worker", "run", null),
                new Event.Defect(AT, "worker", "job", "why"),
                new Event.Health(
                        AT, "worker", null, "why", new TreeMap<>(Map.of("job", Map.of("NO_PLAN", "none"))), true),
                new Event.Requests(AT, "worker", 3, 4, 256),
                new Event.Calm(AT),
                new Event.Over(AT, Set.of("worker")),
                new Event.Closed(AT));
        Path path = directory.resolve("events");
        try (EventLog log = new EventLog(path)) {
            events.forEach(log::append);
        }

        assertThat(EventLog.read(path)).extracting(EventLog.Line::event).isEqualTo(events);
        assertThat(Files.readAllLines(path)).hasSameSizeAs(events);
    }

    @Test
    void incompleteLastLineIsSkippedAndDamagedLineRefused() throws IOException {
        Path path = directory.resolve("events");
        try (EventLog log = new EventLog(path)) {
            log.append(new Event.Calm(AT));
        }
        Files.writeString(path, "{\"nanos\":12,\"wa", StandardOpenOption.APPEND);

        assertThat(EventLog.read(path)).extracting(EventLog.Line::event).containsExactly(new Event.Calm(AT));

        Files.writeString(path, "\n", StandardOpenOption.APPEND);
        assertThatThrownBy(() -> EventLog.read(path)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void correctedEventIsReadAtItsOriginalPosition() throws IOException {
        Path path = directory.resolve("events");
        try (EventLog log = new EventLog(path)) {
            EventLog.Line first = log.append(new Event.Ended(AT, "worker", RUN, false, null));
            log.append(new Event.Closed(AT));
            log.append(new EventLog.Line(
                    first.nanos() + 1, first.wall(), new Event.Ended(AT, "worker", RUN, false, "GIVEN_UP")));
        }

        assertThat(EventLog.read(path))
                .extracting(EventLog.Line::event)
                .containsExactly(
                        new Event.Ended(AT, "worker", RUN, false, null),
                        new Event.Ended(AT, "worker", RUN, false, "GIVEN_UP"),
                        new Event.Closed(AT));
    }
}
