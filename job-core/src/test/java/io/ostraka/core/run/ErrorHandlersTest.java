package io.ostraka.core.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.ItemFailure;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobDefinition;
import io.ostraka.api.JobErrorHandler;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.SimpleJob;
import io.ostraka.core.CapturedErrors;
import io.ostraka.core.metrics.TaskMeter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** Tests for which failures error handlers are called, and when. */
class ErrorHandlersTest {
    private static final JobConfiguration JOB =
            JobConfiguration.newBuilder("failing", 1).errorHandler("BOOK").build();

    private final List<Object> told = new ArrayList<>();

    private final JobErrorHandler book = new JobErrorHandler() {
        @Override
        public String type() {
            return "BOOK";
        }

        @Override
        public void handle(ItemFailure failure, Throwable error) {
            told.add(failure);
            told.add(error);
        }
    };

    private void run(JobConfiguration configuration, ItemRun run, SimpleJob job, JobErrorHandler... handlers) {
        run(new RunSlots(TestRun.onCallersThread(), 1, 1, 1), configuration, run, job, handlers);
    }

    private void run(
            RunSlots slots, JobConfiguration configuration, ItemRun run, SimpleJob job, JobErrorHandler... handlers) {
        JobBody body = new JobBody(
                job,
                configuration,
                new JobTypes(List.of()),
                new Interceptors(List.of(), List.of()),
                new ErrorHandlers(List.of(handlers), slots.platform(), (type, problem) -> {}),
                () -> new TaskMeter(() -> 0));
        RunSlots.Pool pool = slots.pool(body.speed());
        assertThat(pool.request(() -> {}).take(1)).isEqualTo(1);
        new RunAttempts(slots, pool, body, run, new RunObserver() {
                    @Override
                    public void abandoned() {}

                    @Override
                    public void ended(RunEnd end) {
                        told.add(end);
                    }
                })
                .start();
    }

    @Test
    void chosenHandlerReceivesFailureAfterRunEnded() {
        IllegalStateException error = new IllegalStateException("no stock");
        run(
                JOB,
                TestRun.of(JOB),
                context -> {
                    throw error;
                },
                book);

        assertThat(told)
                .containsExactly(
                        new RunEnd(ItemOutcome.FAILED, error.toString(), false),
                        new ItemFailure(
                                "failing",
                                "0",
                                "failing@" + TestRun.NOW,
                                TestRun.NOW,
                                1,
                                "a@1@1",
                                ItemOutcome.FAILED,
                                "java.lang.IllegalStateException",
                                "no stock"),
                        error);
    }

    @Test
    void successAndStopAreNotHandledAsFailures() {
        run(JOB, TestRun.of(JOB), context -> {}, book);
        ItemRun cancelled = TestRun.of(JOB);
        run(
                JOB,
                cancelled,
                context -> {
                    cancelled.stop(ItemRun.Stop.GIVEN_UP);
                    throw new InterruptedException();
                },
                book);

        assertThat(told).hasSize(2).allMatch(end -> end instanceof RunEnd);
    }

    @Test
    void logsExceptionOfHandler() {
        JobErrorHandler failing = new JobErrorHandler() {
            @Override
            public String type() {
                return "BOOK";
            }

            @Override
            public void handle(ItemFailure failure, Throwable error) {
                throw new AssertionError("no ink");
            }
        };
        try (CapturedErrors log = new CapturedErrors()) {
            run(
                    JOB,
                    TestRun.of(JOB),
                    context -> {
                        throw new IllegalStateException("no stock");
                    },
                    failing);

            assertThat(log.text()).contains("failing", "BOOK", "no ink", "no stock");
        }
        assertThat(told).hasSize(1);
    }

    /** The time limit is handled on an engine thread. A slow handler must not block this thread. */
    @Test
    void callsHandlerOnWorkerIfRunEndsDuringRetryPause() {
        JobConfiguration retried = JOB.toBuilder()
                .timeout(Duration.ofMinutes(1))
                .retry(RetryPolicy.attempts(2))
                .build();
        Queue<Runnable> workers = new ArrayDeque<>();
        RunSlots slots = new RunSlots(TestRun.onCallersThread().withWorkers(workers::add), 1, 1, 1);
        ItemRun run = TestRun.of(retried);
        run(
                slots,
                retried,
                run,
                context -> {
                    throw new IllegalStateException("no stock");
                },
                book);
        workers.remove().run();
        assertThat(told).as("during the pause before the second attempt").isEmpty();

        run.stop(ItemRun.Stop.TIMED_OUT);

        assertThat(told).hasSize(1).allMatch(end -> end instanceof RunEnd);
        workers.remove().run(); // passes the failure to the queue of the handler
        workers.remove().run();
        assertThat(told).hasSize(3);
        assertThat(workers).isEmpty();
    }

    @Test
    void logsFailuresByDefault() {
        JobConfiguration plain = JobConfiguration.newBuilder("failing", 1).build();
        JobConfiguration silent = plain.toBuilder().errorHandler("IGNORE").build();
        try (CapturedErrors log = new CapturedErrors()) {
            run(silent, TestRun.of(silent), context -> {
                throw new IllegalStateException("unheard");
            });
            run(plain, TestRun.of(plain), context -> {
                throw new IllegalStateException("no stock");
            });

            assertThat(log.text())
                    .contains("job 'failing' item 0 of fire 2026-01-01T00:00:00Z failed, attempt 1", "no stock")
                    .contains("at io.ostraka.core.run.ErrorHandlersTest")
                    .doesNotContain("unheard");
        }
    }

    /** The definition in force may come from another instance that has the handler. */
    @Test
    void logsFailureWithoutItsHandler() {
        try (CapturedErrors log = new CapturedErrors()) {
            run(JOB, TestRun.of(JOB), context -> {
                throw new IllegalStateException("no stock");
            });

            assertThat(log.text()).contains("has no error handler 'BOOK'", "no stock");
        }
    }

    @JobDefinition(name = "annotated", shardingTotalCount = 1, errorHandler = "IGNORE")
    private abstract static class Annotated implements SimpleJob {}

    @Test
    void annotationChoosesNamedHandler() {
        assertThat(JobConfiguration.of(Annotated.class).errorHandler()).isEqualTo("IGNORE");
        assertThatThrownBy(() -> JOB.toBuilder().errorHandler(" ").build())
                .isInstanceOf(JobConfigurationException.class)
                .hasMessageContaining("errorHandler");
    }

    private static ErrorHandlers handlers(JobErrorHandler... handlers) {
        return new ErrorHandlers(List.of(handlers), TestRun.onCallersThread(), (type, problem) -> {});
    }

    @Test
    void refusesUnknownHandlerAndNamesExistingOnes() {
        ErrorHandlers handlers = handlers(book);
        handlers.require(JOB);

        JobConfiguration webhook = JOB.toBuilder().errorHandler("WEBHOOK").build();
        assertThatThrownBy(() -> handlers.require(webhook))
                .isInstanceOf(JobConfigurationException.class)
                .hasMessageContainingAll("errorHandler is 'WEBHOOK'", "webhook(…)", "[BOOK, IGNORE, LOG]");
        assertThatThrownBy(() -> handlers(book, book))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("BOOK");
    }
}
