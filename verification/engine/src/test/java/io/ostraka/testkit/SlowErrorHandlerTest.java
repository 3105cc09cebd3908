package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.Health;
import io.ostraka.api.ItemFailure;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobErrorHandler;
import io.ostraka.api.Schedule;
import io.ostraka.core.instance.Extensions;
import io.ostraka.core.placement.BuiltInStrategies;
import io.ostraka.fixtures.InfoLog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that an error handler whose calls take long delays and loses only its own failures. */
class SlowErrorHandlerTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Handler of which a call can take time. Each call ends with an Error. */
    private final class Handler implements JobErrorHandler {
        final String type;
        final List<Instant> called = new ArrayList<>();
        final List<Instant> returned = new ArrayList<>();
        Runnable during = () -> {};

        Handler(String type) {
            this.type = type;
        }

        @Override
        public String type() {
            return type;
        }

        @Override
        public void handle(ItemFailure failure, Throwable error) {
            called.add(failure.fireTime());
            Runnable step = during;
            during = () -> {};
            step.run();
            returned.add(failure.fireTime());
            throw new AssertionError("no ink");
        }
    }

    private final Handler slow = new Handler("SLOW");
    private final Handler quick = new Handler("QUICK");
    private final TestCluster cluster = cluster();

    private TestCluster cluster() {
        Extensions all = Extensions.of(BuiltInStrategies.all());
        return new TestCluster(
                1,
                Instant.parse("2026-01-01T00:00:00Z"),
                1,
                new Extensions(
                        all.strategies(), all.types(), List.of(slow, quick), all.interceptors(), all.listeners()));
    }

    private void failEachSecond(Handler handler) {
        cluster.schedule(
                context -> {
                    throw new IllegalStateException("no stock");
                },
                JobConfiguration.newBuilder("job-" + handler.type.toLowerCase(Locale.ROOT), 1)
                        .schedule(Schedule.fixedRate(SECOND))
                        .errorHandler(handler.type)
                        .build());
    }

    private Health health() {
        return cluster.instances().get(0).health();
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void failuresWaitWhileTheirHandlerIsBusyAndThoseOfOthersDoNot() {
        failEachSecond(slow);
        failEachSecond(quick);
        List<Integer> counts = new ArrayList<>();
        slow.during = () -> {
            counts.add(slow.called.size());
            counts.add(quick.called.size());
            cluster.advance(SECOND.multipliedBy(60));
            counts.add(slow.called.size());
            counts.add(quick.called.size());
        };
        cluster.advance(SECOND.multipliedBy(70));

        assertThat(counts.get(2)).as("calls of the slow handler").isEqualTo(counts.get(0));
        assertThat(counts.get(3)).as("calls of the quick handler").isGreaterThan(counts.get(1) + 50);
        assertThat(slow.returned).isEqualTo(slow.called).containsAll(quick.called);
        assertThat(health().problem()).isNull();
    }

    @Test
    void failuresBeyondTheCapacityAreDroppedAndSaid() throws Exception {
        failEachSecond(slow);
        List<String> problems = new ArrayList<>();
        try (InfoLog log = new InfoLog("io.ostraka.core.instance.InstanceHealth")) {
            slow.during = () -> {
                cluster.advance(SECOND.multipliedBy(510));
                problems.add(String.valueOf(health().problem()));
            };
            cluster.advance(SECOND.multipliedBy(5));

            assertThat(problems)
                    .singleElement()
                    .asString()
                    .contains("500 failed runs wait")
                    .contains("further ones");
            assertThat(log.lines("error handler 'SLOW' has a problem: it is too slow"))
                    .hasSize(1);
            assertThat(log.lines("error handler 'SLOW' no longer has its problem: it is too slow"))
                    .hasSize(1);
        }
        assertThat(slow.returned).hasSizeBetween(500, 510);
        assertThat(health().problem()).isNull();
    }

    @Test
    void closingDoesNotWaitForTheHandler() {
        failEachSecond(slow);
        TestCluster.Instance instance = cluster.instances().get(0);
        List<Integer> unhandled = new ArrayList<>();
        slow.during = () -> {
            cluster.advance(SECOND.multipliedBy(10));
            instance.close();
            unhandled.add(instance.engine().unhandledFailures());
        };
        cluster.advance(SECOND.multipliedBy(5));

        assertThat(unhandled).hasSize(1).allMatch(count -> count >= 9);
        assertThat(instance.engine().unhandledFailures()).isZero();
    }
}
