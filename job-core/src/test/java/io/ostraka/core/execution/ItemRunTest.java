package io.ostraka.core.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ItemRunTest {
    private final ItemRun run = TestRun.of(JobConfiguration.newBuilder("job", 1).build());

    private void begin() {
        Room room = new Room(1, now -> {});
        run.begin(Thread.currentThread(), new RunTasks(TestRun.onCallersThread(), run, room, () -> {}));
    }

    @Test
    void codeThatIsToldToEndHasNotCompletedItsFireByReturning() {
        begin();
        run.stop(ItemRun.Stop.GIVEN_UP);
        run.returned();
        run.over(null);

        assertThat(run.gaveUp(RunEnd.succeeded(false))).isTrue();
    }

    /** The session may be lost between the return of the code and its completion. */
    @Test
    void codeThatHasReturnedIsNotToldToEnd() {
        begin();
        run.returned();
        run.over(null);
        run.stop(ItemRun.Stop.GIVEN_UP);

        assertThat(run.gaveUp(RunEnd.succeeded(false))).isFalse();
        assertThat(run.isCancelled()).isFalse();
    }

    @Test
    void anAdaptiveScheduleHasItsBaseAsTimeLimitWhateverTheJobs() {
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
    void aRunThatFoundNothingTellsSoByItsEnd() {
        begin();
        run.idle();
        run.returned();

        assertThat(run.over(null)).isEqualTo(RunEnd.succeeded(true));
    }
}
