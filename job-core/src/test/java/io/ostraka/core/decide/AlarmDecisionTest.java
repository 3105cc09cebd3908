package io.ostraka.core.decide;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.Alarm.State;
import io.ostraka.api.AlarmKind;
import io.ostraka.core.model.JobAlarms;
import io.ostraka.core.model.JobAlarms.Entry;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AlarmDecisionTest {
    private static final Instant NOW = Instant.parse("2026-11-26T12:00:00Z");
    private static final List<String> HANDLERS = List.of("log", "pager");

    private JobAlarms alarms = JobAlarms.none("job");
    private Instant now = NOW;

    private static Optional<AlarmCause> cause(AlarmKind kind, Instant since) {
        return Optional.of(new AlarmCause(kind, since, List.of("0"), 1, "text"));
    }

    private void decide(AlarmKind kind, Optional<AlarmCause> cause, AlarmKind... silenced) {
        now = now.plusSeconds(60);
        alarms = AlarmDecision.next(alarms, Map.of(kind, cause), Set.of(silenced), HANDLERS, now);
    }

    private void deliver(String handler) {
        for (Entry entry : alarms.alarms()) {
            Optional<State> due = entry.due(handler);
            if (due.isPresent()) {
                alarms = alarms.with(entry.told(handler, due.get()));
            }
        }
    }

    @Test
    void alarmContinuesForLaterCausesAndEndsWithTheLast() {
        decide(AlarmKind.MISSED, cause(AlarmKind.MISSED, NOW));
        JobAlarms begun = alarms;
        decide(AlarmKind.MISSED, cause(AlarmKind.MISSED, NOW.plusSeconds(30)));
        assertThat(alarms).isEqualTo(begun);
        decide(AlarmKind.MISSED, Optional.empty());
        assertThat(alarms.firing()).isEmpty();
        assertThat(alarms.alarms()).hasSize(1);
    }

    @Test
    void unknownKindsDoNotChange() {
        decide(AlarmKind.MISSED, cause(AlarmKind.MISSED, NOW));
        decide(AlarmKind.FAILING, Optional.empty());
        assertThat(alarms.firing()).hasSize(1);
    }

    @Test
    void sameCauseMayBeginAnotherAlarmWithAnotherId() {
        decide(AlarmKind.RUNS_TOO_LONG, cause(AlarmKind.RUNS_TOO_LONG, NOW));
        String first = alarms.alarms().get(0).id();
        HANDLERS.forEach(this::deliver);
        decide(AlarmKind.RUNS_TOO_LONG, Optional.empty());
        HANDLERS.forEach(this::deliver);
        decide(AlarmKind.RUNS_TOO_LONG, cause(AlarmKind.RUNS_TOO_LONG, NOW));
        assertThat(alarms.alarms()).singleElement().satisfies(entry -> {
            assertThat(entry.id()).isNotEqualTo(first).startsWith("job/RUNS_TOO_LONG/");
            assertThat(entry.firing()).isTrue();
        });
    }

    @Test
    void endedAlarmStaysUntilEveryHandlerHasReceivedBothMessages() {
        decide(AlarmKind.FAILING, cause(AlarmKind.FAILING, NOW));
        HANDLERS.forEach(this::deliver);
        decide(AlarmKind.FAILING, Optional.empty());
        deliver("log");
        decide(AlarmKind.FAILING, cause(AlarmKind.FAILING, NOW.plusSeconds(1)));
        assertThat(alarms.alarms()).hasSize(2);
        assertThat(alarms.alarms().get(0).due("pager")).contains(State.RESOLVED);
        assertThat(alarms.alarms().get(1).due("pager")).contains(State.FIRING);
    }

    @Test
    void handlerReceivesTheBeginningBeforeTheEnd() {
        decide(AlarmKind.FAILING, cause(AlarmKind.FAILING, NOW));
        decide(AlarmKind.FAILING, Optional.empty());
        Entry entry = alarms.alarms().get(0);
        assertThat(entry.due("pager")).contains(State.FIRING);
        assertThat(entry.told("pager", State.FIRING).due("pager")).contains(State.RESOLVED);
        assertThat(entry.told("pager", State.FIRING)
                        .told("pager", State.RESOLVED)
                        .due("pager"))
                .isEmpty();
    }

    @Test
    void nodeDoesNotGrowWithoutBoundWhileAHandlerFails() {
        for (int i = 0; i < 3 * JobAlarms.MOST_ALARMS; i++) {
            decide(AlarmKind.FAILING, cause(AlarmKind.FAILING, NOW.plusSeconds(i)));
            decide(AlarmKind.FAILING, Optional.empty());
        }
        assertThat(alarms.alarms()).hasSize(JobAlarms.MOST_ALARMS);
        int dropped = 2 * JobAlarms.MOST_ALARMS;
        assertThat(alarms.dropped()).isEqualTo(Map.of("log", dropped, "pager", dropped));
        deliver("log");
        assertThat(alarms.dropped()).isEqualTo(Map.of("pager", dropped));
    }

    @Test
    void latestAlarmOfEachKindStaysWhileOthersAreDropped() {
        decide(AlarmKind.QUARANTINED, cause(AlarmKind.QUARANTINED, NOW));
        decide(AlarmKind.QUARANTINED, Optional.empty());
        for (int i = 0; i < 3 * JobAlarms.MOST_ALARMS; i++) {
            decide(AlarmKind.FAILING, cause(AlarmKind.FAILING, NOW.plusSeconds(i)));
            decide(AlarmKind.FAILING, Optional.empty());
        }
        assertThat(alarms.latest(AlarmKind.QUARANTINED)).isPresent();
    }

    @Test
    void textAndItemsOfAnAlarmFollowItsCause() {
        decide(AlarmKind.FAILING, cause(AlarmKind.FAILING, NOW));
        decide(
                AlarmKind.FAILING,
                Optional.of(new AlarmCause(AlarmKind.FAILING, NOW.plusSeconds(9), List.of("1", "2"), 2, "later")));

        assertThat(alarms.alarms()).singleElement().satisfies(entry -> {
            assertThat(entry.since()).isEqualTo(NOW);
            assertThat(entry.text()).isEqualTo("later");
            assertThat(entry.items()).containsExactly("1", "2");
            assertThat(entry.itemCount()).isEqualTo(2);
        });
    }

    @Test
    void lateFireThatWasMissedIsNotReportedAgain() {
        decide(AlarmKind.MISSED, cause(AlarmKind.MISSED, NOW));
        decide(AlarmKind.LATE, cause(AlarmKind.LATE, NOW));
        decide(AlarmKind.MISSED, Optional.empty());
        decide(AlarmKind.LATE, cause(AlarmKind.LATE, NOW));
        assertThat(alarms.latest(AlarmKind.LATE)).isEmpty();
        decide(AlarmKind.LATE, cause(AlarmKind.LATE, now.plusSeconds(1)));
        assertThat(alarms.latest(AlarmKind.LATE)).isPresent();
    }

    @Test
    void lateFireThatWasMissedInASilenceIsReported() {
        decide(AlarmKind.MISSED, cause(AlarmKind.MISSED, NOW), AlarmKind.MISSED);
        decide(AlarmKind.MISSED, Optional.empty(), AlarmKind.MISSED);
        decide(AlarmKind.LATE, cause(AlarmKind.LATE, NOW), AlarmKind.MISSED);

        assertThat(alarms.latest(AlarmKind.LATE)).isPresent();
    }

    @Test
    void lateFireWhoseMissedAlarmWasReceivedBeforeTheSilenceIsNotReportedAgain() {
        decide(AlarmKind.MISSED, cause(AlarmKind.MISSED, NOW));
        HANDLERS.forEach(this::deliver);
        decide(AlarmKind.MISSED, Optional.empty(), AlarmKind.MISSED);
        decide(AlarmKind.LATE, cause(AlarmKind.LATE, NOW), AlarmKind.MISSED);

        assertThat(alarms.latest(AlarmKind.LATE)).isEmpty();
    }

    @Test
    void silencedAlarmIsDueOnlyAfterTheSilence() {
        decide(AlarmKind.FAILING, cause(AlarmKind.FAILING, NOW), AlarmKind.FAILING);
        assertThat(alarms.alarms().get(0).due("log")).isEmpty();
        decide(AlarmKind.FAILING, cause(AlarmKind.FAILING, NOW));
        assertThat(alarms.alarms().get(0).due("log")).contains(State.FIRING);
        deliver("log");
        decide(AlarmKind.FAILING, cause(AlarmKind.FAILING, NOW), AlarmKind.FAILING);
        assertThat(alarms.alarms().get(0).due("pager"))
                .as("a handler that has not received the beginning")
                .isEmpty();
        decide(AlarmKind.FAILING, Optional.empty(), AlarmKind.FAILING);
        assertThat(alarms.alarms().get(0).due("log")).contains(State.RESOLVED);
        decide(AlarmKind.FAILING, Optional.empty());
        assertThat(alarms.alarms().get(0).due("pager"))
                .as("the alarm has ended in the silence")
                .isEmpty();
    }
}
