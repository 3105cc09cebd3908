package io.ostraka.faults.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that the end of a run counts as a step of its own, even if one write ends the run and claims the next fire. */
class StepsTest {
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");
    private static final String RECORD = "/jobs/a/sharding/0";
    private static final String END =
            "'previous':{'run':{'nonce':'n1','attempt':2,'token':7},'endedAt':'2026-01-01T00:00:09Z','outcome':'FAILED','error':'x'},";

    private final State state = new State();

    private static String running(String nonce, String cursor, String fire, String end) {
        return ("{'state':'RUNNING','incarnation':1,'cursor':'" + cursor
                        + "','triggerCursor':3,'consecutiveFailures':1,"
                        + end + "'run':{'nonce':'" + nonce + "','attempt':1,'token':0,'fire':{'id':'f','at':'" + fire
                        + "','triggerZxid':0}}}")
                .replace('\'', '"');
    }

    private List<Event.Transaction> next(String nonce, String end) {
        Write created =
                new Write.Created(RECORD, running("n1", "2026-01-01T00:00:00Z", "2026-01-01T00:00:05Z", ""), false);
        Write running = new Write.Created(RECORD + "/running", "{}", true);
        state.take(new Event.Transaction(1, AT, 1, false, List.of(created, running)), List.of());

        String data = running(nonce, "2026-01-01T00:00:05Z", "2026-01-01T00:00:10Z", end);
        return state.steps(new Event.Transaction(
                2,
                AT,
                1,
                false,
                List.of(new Write.Changed(RECORD, data), new Write.Deleted(RECORD + "/running"), running)));
    }

    @Test
    void writeFromOneRunToTheNextEndsTheFirst() {
        List<Event.Transaction> steps = next("n2", END);

        assertThat(steps).hasSize(2);
        Move end = state.moves(steps.get(0)).get(0);
        assertThat(end.ends()).isTrue();
        assertThat(end.next().nonce).isEqualTo("n1");
        assertThat(end.next().outcome()).isEqualTo("FAILED");
        assertThat(end.next().attempt()).isEqualTo(2);
        assertThat(end.next().cursor).isEqualTo(AT.plusSeconds(5));
        assertThat(steps.get(0).writes().get(1)).isInstanceOf(Write.Deleted.class);
        assertThat(steps.get(1).writes()).hasSize(2);

        state.take(steps.get(0), state.moves(steps.get(0)));
        Move claim = state.moves(steps.get(1)).get(0);
        assertThat(claim.claims()).isTrue();
        assertThat(claim.before().unfinished()).isFalse();
    }

    @Test
    void writeWithoutThatEndIsASingleClaim() {
        List<Event.Transaction> steps = next("n2", "");

        assertThat(steps).hasSize(1);
        assertThat(state.moves(steps.get(0)).get(0).before().unfinished()).isTrue();
    }

    @Test
    void takeoverKeepsTheEndOfAnEarlierRun() {
        assertThat(next("n2", END.replace("n1", "n0"))).hasSize(1);
    }
}
