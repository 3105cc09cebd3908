package io.ostraka.lite.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.lite.process.Event.Kind;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RunsTest {
    private final Recorder history = new Recorder();

    private void happened(long second, String worker, Kind kind, String run, long token, String detail) {
        history.add(new Event(worker, kind, "job", "0", run, 1, token, Instant.EPOCH.plusSeconds(second), detail));
    }

    @Test
    void aRunAfterOneThatEndedOrDiedOrWasCancelledIsInOrder() {
        happened(1, "a", Kind.STARTED, "first", 1, "");
        happened(2, "a", Kind.ENDED, "first", 1, "");
        happened(2, "a", Kind.STARTED, "second", 2, "");
        happened(3, "a", Kind.GONE, "", 0, "137");
        happened(4, "b", Kind.STARTED, "second", 3, "");
        happened(5, "b", Kind.ENDED, "second", 3, Runs.CANCELLED);
        happened(6, "c", Kind.STARTED, "second", 4, "");
        happened(7, "c", Kind.ENDED, "second", 4, "");

        assertThat(Runs.violations(history)).isEmpty();
    }

    @Test
    void aSecondRunBesideTheFirstIsFoundInWhateverOrderTheyAreHeardOf() {
        happened(2, "b", Kind.STARTED, "first", 2, "");
        happened(1, "a", Kind.STARTED, "first", 1, "");
        happened(3, "a", Kind.GONE, "", 0, "137");

        assertThat(Runs.violations(history)).singleElement().asString().startsWith("overlap");
    }

    @Test
    void aRunBesideOneThatStandsStillIsInOrderFromThenOn() {
        happened(1, "a", Kind.STARTED, "first", 1, "");
        happened(3, "a", Kind.SIGNALLED, "", 0, WorkerProcess.STOP);
        happened(4, "b", Kind.STARTED, "first", 2, "");
        happened(5, "a", Kind.ENDED, "first", 1, Runs.CANCELLED);
        assertThat(Runs.violations(history)).isEmpty();

        happened(2, "c", Kind.STARTED, "first", 3, "");
        assertThat(Runs.violations(history)).isNotEmpty();
    }

    @Test
    void aSecondEndOfTheSameFireIsFound() {
        happened(1, "a", Kind.STARTED, "first", 1, "");
        happened(2, "a", Kind.ENDED, "first", 1, "");
        happened(3, "b", Kind.STARTED, "first", 2, "");
        happened(4, "b", Kind.ENDED, "first", 2, "");

        assertThat(Runs.violations(history)).singleElement().asString().startsWith("ran twice");
    }

    @Test
    void aTokenThatDoesNotRiseIsFound() {
        happened(1, "a", Kind.STARTED, "first", 7, "");
        happened(2, "a", Kind.ENDED, "first", 7, "");
        happened(3, "b", Kind.STARTED, "second", 6, "");

        assertThat(Runs.violations(history)).singleElement().asString().startsWith("token");
    }
}
