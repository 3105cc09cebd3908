package io.ostraka.lite.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.lite.process.Event.Kind;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RunsTest {
    private final Recorder history = new Recorder();

    private void add(long second, String worker, Kind kind, String run, long token, String detail) {
        history.add(new Event(worker, kind, "job", "0", run, 1, token, Instant.EPOCH.plusSeconds(second), detail));
    }

    @Test
    void acceptsRunAfterOneThatEndedDiedOrWasCancelled() {
        add(1, "a", Kind.STARTED, "first", 1, "");
        add(2, "a", Kind.ENDED, "first", 1, "");
        add(2, "a", Kind.STARTED, "second", 2, "");
        add(3, "a", Kind.EXITED, "", 0, "137");
        add(4, "b", Kind.STARTED, "second", 3, "");
        add(5, "b", Kind.ENDED, "second", 3, Runs.CANCELLED);
        add(6, "c", Kind.STARTED, "second", 4, "");
        add(7, "c", Kind.ENDED, "second", 4, "");

        assertThat(Runs.violations(history)).isEmpty();
    }

    @Test
    void findsOverlapInAnyOrderOfEvents() {
        add(2, "b", Kind.STARTED, "first", 2, "");
        add(1, "a", Kind.STARTED, "first", 1, "");
        add(3, "a", Kind.EXITED, "", 0, "137");

        assertThat(Runs.violations(history)).singleElement().asString().startsWith("overlap");
    }

    @Test
    void acceptsRunBesideOneInStoppedProcess() {
        add(1, "a", Kind.STARTED, "first", 1, "");
        add(3, "a", Kind.SIGNALLED, "", 0, WorkerProcess.STOP);
        add(4, "b", Kind.STARTED, "first", 2, "");
        add(5, "a", Kind.ENDED, "first", 1, Runs.CANCELLED);
        assertThat(Runs.violations(history)).isEmpty();

        add(2, "c", Kind.STARTED, "first", 3, "");
        assertThat(Runs.violations(history)).isNotEmpty();
    }

    @Test
    void findsSecondEndOfSameFire() {
        add(1, "a", Kind.STARTED, "first", 1, "");
        add(2, "a", Kind.ENDED, "first", 1, "");
        add(3, "b", Kind.STARTED, "first", 2, "");
        add(4, "b", Kind.ENDED, "first", 2, "");

        assertThat(Runs.violations(history)).singleElement().asString().startsWith("ran twice");
    }

    @Test
    void findsTokenThatDoesNotRise() {
        add(1, "a", Kind.STARTED, "first", 7, "");
        add(2, "a", Kind.ENDED, "first", 7, "");
        add(3, "b", Kind.STARTED, "second", 6, "");

        assertThat(Runs.violations(history)).singleElement().asString().startsWith("token");
    }
}
