package io.ostraka.faults.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.HistoryChecker;
import io.ostraka.faults.history.Write;
import io.ostraka.faults.simulation.Scenario;
import io.ostraka.faults.simulation.Simulation;
import io.ostraka.faults.worker.EventLog;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(600) // the tests use the processor all the time, so they take long on a busy machine
class MergedHistoryTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final long CLAIM = 7;
    private static final Event.RunKey RUN = new Event.RunKey(Written.ITEM, CLAIM);

    @Test
    void eventsOfProcessesAreOrderedByTheirClock() {
        EventLog.Line first = line(1_000, began());
        EventLog.Line second = line(2_000, ended());

        assertThat(MergedHistory.of(List.of(second, first), List.of())).containsExactly(first.event(), second.event());
    }

    @Test
    void transactionIsPlacedAtBeginningOfItsMillisecond() {
        EventLog.Line before = line(4_999, began());
        EventLog.Line within = line(5_300, killed());

        assertThat(MergedHistory.of(List.of(within, before), List.of(record(9, 5, "IDLE", "n0"))))
                .containsExactly(before.event(), record(9, 5, "IDLE", "n0"), within.event());
    }

    @Test
    void endOfRunPrecedesCompletionInSameMillisecond() {
        List<Event> history = MergedHistory.of(
                List.of(line(3_000, began()), line(5_400, ended()), line(5_500, killed())),
                List.of(first(), claim(), record(8, 5, "IDLE", "n1")));

        assertThat(history).containsExactly(first(), claim(), began(), ended(), record(8, 5, "IDLE", "n1"), killed());
    }

    @Test
    void endMuchLaterThanCompletionStaysBehindIt() {
        assertThat(MergedHistory.of(
                        List.of(line(3_000, began()), line(15_000, ended())),
                        List.of(first(), claim(), record(8, 5, "IDLE", "n1"))))
                .endsWith(record(8, 5, "IDLE", "n1"), ended());
    }

    @Test
    void endOfOnceListenerCallPrecedesContinuedFire() {
        Event.Transaction begins = fire(2, 2, "BEGINNING");
        Event.Transaction goesOn = fire(3, 5, "OPEN");

        assertThat(MergedHistory.of(
                        List.of(line(3_000, told(false)), line(5_400, told(true)), line(5_500, killed())),
                        List.of(begins, goesOn)))
                .containsExactly(begins, told(false), told(true), goesOn, killed());
    }

    /** When the call returns, another process or a write for another item may still record that the fire begins. */
    @Test
    void writeOfFireThatStillBeginsDoesNotFollowFromCall() {
        Event.Transaction written = fire(3, 5, "BEGINNING");

        assertThat(MergedHistory.of(List.of(line(3_000, told(false)), line(5_400, told(true))), List.of(written)))
                .containsExactly(told(false), written, told(true));
    }

    @Test
    void transactionsKeepTheirOrderDespiteTheirTimes() {
        List<Event.Transaction> committed = List.of(Written.first(1, START.plusMillis(9)), record(2, 3, "IDLE", "n0"));

        assertThat(MergedHistory.of(List.of(line(5_000, killed())), committed))
                .containsExactly(killed(), committed.get(0), committed.get(1));
    }

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void splitAndMergedHistoryStillHolds(long seed) {
        List<Event> history = Simulation.run(Scenario.of(seed)).history().stream()
                // only the simulation records reports and alarms
                .filter(event -> !(event instanceof Event.Reported || event instanceof Event.Alarmed))
                .toList();
        List<EventLog.Line> lines = new ArrayList<>();
        List<Event.Transaction> committed = new ArrayList<>();
        Instant now = START;
        for (Event event : history) {
            now = now.plus(Duration.ofNanos(1_000));
            if (event instanceof Event.Transaction transaction) {
                now = transaction.at().isAfter(now) ? transaction.at() : now;
                committed.add(new Event.Transaction(
                        transaction.zxid(),
                        now.truncatedTo(ChronoUnit.MILLIS),
                        transaction.session(),
                        transaction.endsSession(),
                        transaction.writes()));
            } else {
                lines.add(new EventLog.Line(Duration.between(START, now).toNanos(), now, event));
            }
        }
        Collections.shuffle(lines, new Random(seed));

        List<Event> merged = MergedHistory.of(lines, committed);

        assertThat(merged).hasSameSizeAs(history);
        assertThat(HistoryChecker.check(merged)).isEmpty();
    }

    private static EventLog.Line line(long micros, Event event) {
        return new EventLog.Line(micros * 1_000, START.plus(Duration.ofNanos(micros * 1_000)), event);
    }

    private static Event.Began began() {
        return new Event.Began(START, "p", RUN, "execute", 1, 1, "p@1@a", "run", START);
    }

    private static Event.Ended ended() {
        return new Event.Ended(START, "p", RUN, false, null);
    }

    private static Event.Announced told(boolean returned) {
        return new Event.Announced(START, "p", "job", "job@2026-01-01T00:00:01Z", "p@1@a", false, returned, Map.of());
    }

    private static Event.Transaction fire(long zxid, long millis, String phase) {
        String path = "/jobs/job/fires/" + START.plusSeconds(1).toEpochMilli() + ".1";
        String data = "{\"once\":{\"phase\":\"" + phase + "\"}}";
        return new Event.Transaction(
                zxid, START.plusMillis(millis), 0xa, false, List.of(new Write.Changed(path, data)));
    }

    private static Event.Killed killed() {
        return new Event.Killed(START, "q");
    }

    private static Event.Transaction first() {
        return Written.first(1, START.plusMillis(1));
    }

    private static Event.Transaction claim() {
        return record(CLAIM, 2, "RUNNING", "n1");
    }

    private static Event.Transaction record(long zxid, long millis, String state, String nonce) {
        return Written.record(zxid, START.plusMillis(millis), state, nonce, 1, 0xa);
    }
}
