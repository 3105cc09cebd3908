package io.ostraka.core.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.core.model.FireStop;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ItemRunTest {
    private final ItemRun run = TestRun.of(JobConfiguration.newBuilder("job", 1).build());

    private void begin() {
        begin(run);
    }

    private static boolean begin(ItemRun begun) {
        return begun.begin(Thread.currentThread());
    }

    @Test
    void returningAfterHandOverDoesNotCompleteFire() {
        begin();
        run.stop(ItemRun.Stop.GIVEN_UP);
        run.returned();
        run.over(null);

        assertThat(run.gaveUp(RunEnd.succeeded(false))).isTrue();
    }

    /** The session may be lost after the code has returned and before the item is completed. */
    @Test
    void stopAfterReturnHasNoEffect() {
        begin();
        run.returned();
        run.over(null);
        run.stop(ItemRun.Stop.GIVEN_UP);

        assertThat(run.gaveUp(RunEnd.succeeded(false))).isFalse();
        assertThat(run.isCancelled()).isFalse();
    }

    @Test
    void recordsStopBeforeTheCodeBegan() {
        ItemRun late = TestRun.of(JobConfiguration.newBuilder("job", 1)
                .timeout(Duration.ofSeconds(3))
                .build());
        late.stop(ItemRun.Stop.TIMED_OUT);
        run.stop(ItemRun.Stop.CANCELLED);

        assertThat(begin(late)).isFalse();
        assertThat(late.abandon()).as("its code still runs").isFalse();
        assertThat(late.over(null))
                .isEqualTo(new RunEnd(
                        ItemOutcome.TIMED_OUT, "its time limit of PT3S was over before its code began", false));
        assertThat(run.over(null))
                .isEqualTo(
                        new RunEnd(ItemOutcome.CANCELLED, "a later fire took its place before its code began", false));
    }

    @Test
    void operatorsStopCancelsTheRunAndNamesTheOperator() {
        begin();
        run.cancel(stop("wrong data"));
        run.returned();

        assertThat(run.isCancelled()).isTrue();
        assertThat(run.over(null)).isEqualTo(new RunEnd(ItemOutcome.CANCELLED, "stopped by alice: wrong data", false));
    }

    @Test
    void stoppedRunIsCancelledInsteadOfHandedOver() {
        begin();
        run.stop(ItemRun.Stop.GIVEN_UP);
        run.cancel(stop(""));
        run.stop(ItemRun.Stop.GIVEN_UP);
        run.returned();
        RunEnd end = run.over(new IllegalStateException("interrupted"));

        assertThat(run.gaveUp(end)).isFalse();
        assertThat(end.outcome()).isEqualTo(ItemOutcome.CANCELLED);
        assertThat(end.error()).startsWith("stopped by alice; it ended with ");
    }

    @Test
    void operatorsStopChangesNeitherTimeoutNorEndedRun() {
        begin();
        run.returned();
        run.over(null);
        run.cancel(stop(""));
        assertThat(run.isCancelled()).isFalse();

        ItemRun late = TestRun.of(JobConfiguration.newBuilder("job", 1)
                .timeout(Duration.ofSeconds(3))
                .build());
        begin(late);
        late.stop(ItemRun.Stop.TIMED_OUT);
        late.cancel(stop(""));
        assertThat(late.over(null).outcome()).isEqualTo(ItemOutcome.TIMED_OUT);
    }

    private static FireStop stop(String reason) {
        return new FireStop("job", null, "1.1", new FireStop.Request("alice", reason, Instant.EPOCH));
    }

    @Test
    void onlyRunningCodeIsAbandoned() {
        begin();
        run.stop(ItemRun.Stop.TIMED_OUT);

        assertThat(run.abandon()).isTrue();
        assertThat(run.abandoned()).isTrue();
    }

    @Test
    void baseOfAdaptiveScheduleIsTimeLimit() {
        JobConfiguration.Builder job = JobConfiguration.newBuilder("job", 1).timeout(Duration.ofSeconds(30));
        assertThat(TestRun.of(job.build()).timeout()).contains(Duration.ofSeconds(30));

        Schedule adaptive = Schedule.adaptive(Duration.ofSeconds(10), 4);
        assertThat(TestRun.of(job.schedule(adaptive).build()).timeout()).contains(Duration.ofSeconds(10));
        assertThat(TestRun.of(job.schedule(adaptive.jitter(Duration.ofSeconds(1)))
                                .build())
                        .timeout())
                .contains(Duration.ofSeconds(10));
    }

    @Test
    void idleRunReportsItInItsEnd() {
        begin();
        run.idle();
        run.returned();

        assertThat(run.over(null)).isEqualTo(RunEnd.succeeded(true));
    }

    @Test
    void refusesTooLargeCheckpointNamingSizeAndLimit() {
        ItemRun run = TestRun.of(JobConfiguration.newBuilder("job", 1).build());
        assertThatThrownBy(() -> run.saveCheckpoint(new byte[ItemRun.MAX_CHECKPOINT_BYTES + 1]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("job 'job' item 0", "65537 bytes", "accepted: 65536");
    }
}
