package io.ostraka.core.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.SimpleJob;
import io.ostraka.core.metrics.TaskMeter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests runs whose threads start late. */
class RunAttemptsTest {
    private final JobConfiguration job = JobConfiguration.newBuilder("job", 1)
            .timeout(Duration.ofSeconds(3))
            .errorHandler("IGNORE")
            .build();
    private final ItemRun run = TestRun.of(job);
    private final Queue<Runnable> waitingForAThread = new ArrayDeque<>();
    private final List<String> story = new ArrayList<>();
    private final List<RunEnd> ends = new ArrayList<>();
    private final RunSlots slots = new RunSlots(TestRun.onCallersThread().withWorkers(waitingForAThread::add), 1, 1, 1);
    private final RunSlots.Pool pool;

    RunAttemptsTest() {
        SimpleJob code = context -> story.add("ran");
        JobBody body = new JobBody(
                code,
                job,
                JobTypes.found(List.of()),
                new Interceptors(List.of(), List.of()),
                new ErrorHandlers(List.of(), slots.platform(), (type, problem) -> {}),
                () -> new TaskMeter(() -> 0));
        pool = slots.pool(body.speed());
        pool.request(() -> {}).take(1);
        new RunAttempts(slots, pool, body, run, new RunObserver() {
                    @Override
                    public void began() {
                        story.add("began");
                    }

                    @Override
                    public void abandoned() {
                        story.add("abandoned");
                    }

                    @Override
                    public void ended(RunEnd end) {
                        ends.add(end);
                    }
                })
                .start();
    }

    @ParameterizedTest
    @EnumSource(ItemRun.Stop.class)
    void runStoppedBeforeItHadAThreadDoesNotBegin(ItemRun.Stop why) {
        run.stop(why);
        waitingForAThread.remove().run();

        assertThat(story).isEmpty();
        assertThat(ends).hasSize(1);
        assertThat(run.gaveUp(ends.get(0)) || ends.get(0).outcome() != ItemOutcome.SUCCEEDED)
                .isTrue();
        assertThat(pool.taken()).isZero();
    }

    @Test
    void reportsTimeLimitThatPassedBeforeTheCodeBegan() {
        run.stop(ItemRun.Stop.TIMED_OUT);
        waitingForAThread.remove().run();

        assertThat(ends.get(0))
                .isEqualTo(new RunEnd(
                        ItemOutcome.TIMED_OUT, "its time limit of PT3S was over before its code began", false));
    }
}
