package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.core.instance.JobEngine;
import io.ostraka.core.model.Trigger;
import io.ostraka.operations.Commands;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that every call checks a job name at once, and that one rule defines the valid names. */
class NamesTest {
    private static Map<String, BiConsumer<JobEngine, String>> calls() {
        Map<String, BiConsumer<JobEngine, String>> calls = new LinkedHashMap<>();
        SimpleJob body = context -> {};
        calls.put(
                "register",
                (engine, job) -> engine.register(
                        body, JobConfiguration.newBuilder(job, 1).build()));
        calls.put("trigger", (engine, job) -> engine.trigger(job, Map.of(), Set.of()));
        calls.put(
                "triggerAfter",
                (engine, job) ->
                        engine.triggerAfter(new Trigger.Request(job, "run", Map.of(), Set.of()), "key", Duration.ZERO));
        calls.put("amend", (engine, job) -> new Commands(engine.operations())
                .amend(job, override -> override.withPaused(true)));
        calls.put("release", (engine, job) -> new Commands(engine.operations())
                .execute(new Command.ReleaseItem(job, "0"), CommandOptions.by("test")));
        calls.put("purge", (engine, job) -> new Commands(engine.operations())
                .execute(new Command.Purge(job), CommandOptions.by("test")));
        return calls;
    }

    static Stream<Arguments> everyCallWithInvalidNames() {
        return calls().entrySet().stream().flatMap(call -> Stream.of(
                        "",
                        ".",
                        "..",
                        "_nightly",
                        "-nightly",
                        "night ly",
                        "a/b",
                        "a@b",
                        "a~b",
                        "n\u00e4chtlich",
                        "x".repeat(129))
                .map(name -> Arguments.of(Named.of(call.getKey(), call.getValue()), name)));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("everyCallWithInvalidNames")
    void invalidJobNameIsRejectedAtOnceAndTheInstanceContinues(BiConsumer<JobEngine, String> call, String name) {
        try (TestCluster cluster = new TestCluster(1, Instant.parse("2026-01-01T00:00:00Z"), 0)) {
            AtomicInteger ran = new AtomicInteger();
            SimpleJob body = context -> ran.incrementAndGet();
            cluster.schedule(body, JobConfiguration.newBuilder("nightly", 1).build());

            assertRefused(() -> call.accept(cluster.instances().get(0).engine(), name), name);
            assertRefused(() -> cluster.operations().job(name), name);
            assertRefused(() -> cluster.operations().explain(name, "0"), name);

            assertThat(cluster.trigger("nightly", Map.of()).completion().toCompletableFuture())
                    .isCompleted();
            assertThat(ran).hasValue(1);
        }
    }

    private static void assertRefused(ThrowingCallable call, String name) {
        assertThatThrownBy(call)
                .isInstanceOf(JobConfigurationException.class)
                .hasMessageContaining("jobName is '" + (name.length() > 128 ? "" : name))
                .hasMessageContaining("accepted: [A-Za-z0-9]");
    }

    @ParameterizedTest
    @MethodSource("invalidItems")
    void invalidItemIsRejected(String item) {
        try (TestCluster cluster = new TestCluster(1, Instant.parse("2026-01-01T00:00:00Z"), 0)) {
            JobEngine engine = cluster.instances().get(0).engine();
            for (ThrowingCallable call : List.<ThrowingCallable>of(
                    () -> new Commands(engine.operations())
                            .execute(new Command.ReleaseItem("nightly", item), CommandOptions.by("test")),
                    () -> cluster.operations().explain("nightly", item),
                    () -> cluster.operations().items("nightly", Set.of(item)))) {
                assertThatThrownBy(call)
                        .isInstanceOf(JobConfigurationException.class)
                        .hasMessageContaining("job 'nightly': item is '" + item);
            }
        }
    }

    static Stream<String> invalidItems() {
        return Stream.of("", "..", "3/running", "3 4");
    }
}
