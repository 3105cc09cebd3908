package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobRun;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.Operations;
import io.ostraka.core.instance.JobEngine;
import io.ostraka.core.model.Trigger;
import io.ostraka.operations.Commands;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that an operator's call for a job, an item or an instance that does not exist fails at once and changes
 * nothing.
 */
@ExtendWith(OstrakaExtension.class)
class OperatorMistakesTest {
    private static JobEngine settle(TestCluster cluster, Scope scope) {
        cluster.schedule(
                context -> {},
                JobConfiguration.newBuilder("settle", scope == Scope.SHARDED ? 4 : 1)
                        .scope(scope)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(10)))
                        .build());
        cluster.advance(Duration.ofSeconds(30));
        return cluster.instances().get(0).engine();
    }

    private static <T> CompletableFuture<T> answer(TestCluster cluster, CompletionStage<T> stage) {
        cluster.advance(Duration.ofSeconds(1));
        CompletableFuture<T> answer = stage.toCompletableFuture();
        assertThat(answer).isDone();
        return answer;
    }

    private static String executed(TestCluster cluster, Command command) {
        return cluster.operations().execute(command, CommandOptions.by("test")).text();
    }

    private static Stream<Arguments> calls() {
        Trigger.Request run = new Trigger.Request("setle", "run", Map.of(), Set.of());
        return Stream.of(
                call("pause", engine -> new Commands(engine.operations())
                        .amend("setle", override -> override.withPaused(true))),
                call("remove", engine -> new Commands(engine.operations())
                        .amend("setle", override -> override.withRemoved(true))),
                call("disable an item", engine -> new Commands(engine.operations())
                        .execute(new Command.DisableItem("setle", "0"), CommandOptions.by("test"))),
                call("enable an item", engine -> new Commands(engine.operations())
                        .execute(new Command.EnableItem("setle", "0"), CommandOptions.by("test"))),
                call("disable an instance", engine -> new Commands(engine.operations())
                        .execute(new Command.DisableInstance("setle", "host-0"), CommandOptions.by("test"))),
                call("enable an instance", engine -> new Commands(engine.operations())
                        .execute(new Command.EnableInstance("setle", "host-0"), CommandOptions.by("test"))),
                call("release", engine -> new Commands(engine.operations())
                        .execute(new Command.ReleaseItem("setle", "0"), CommandOptions.by("test"))),
                call("purge", engine -> new Commands(engine.operations())
                        .execute(new Command.Purge("setle"), CommandOptions.by("test"))),
                call("trigger", engine -> engine.trigger(run).completion()),
                call("trigger later", engine -> engine.triggerAfter(run, "key", Duration.ofHours(1))));
    }

    private static Arguments call(String name, Function<JobEngine, CompletionStage<?>> call) {
        return Arguments.of(name, call);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("calls")
    void callForAnUnknownJobFails(
            String name, Function<JobEngine, CompletionStage<?>> call, @Instances(2) TestCluster cluster) {
        JobEngine engine = settle(cluster, Scope.SHARDED);
        CompletableFuture<?> answer = answer(cluster, call.apply(engine));

        assertThatThrownBy(answer::join)
                .hasCauseInstanceOf(CoordinationException.class)
                .hasMessageContaining("setle");
        assertThat(cluster.tree().children("/triggers")).isEmpty();
        assertThat(cluster.tree().children("/delayed")).isEmpty();
        assertThat(cluster.tree().children("/jobs")).containsExactly("settle");
    }

    @Test
    void viewOfAnUnknownJobFails(@Instances(2) TestCluster cluster) {
        settle(cluster, Scope.SHARDED);
        Operations operations = cluster.operations();
        List<ThrowingCallable> views = List.of(
                () -> operations.job("setle"),
                () -> operations.items("setle", Set.of()),
                () -> operations.explain("setle", "0"),
                () -> operations.nextFires("setle", 1));
        for (ThrowingCallable view : views) {
            assertThatThrownBy(view).isInstanceOf(CoordinationException.class).hasMessageContaining("setle");
        }
    }

    @Test
    void disablingAnUnknownItemFails(@Instances(2) TestCluster cluster) {
        JobEngine engine = settle(cluster, Scope.SHARDED);
        for (boolean disabled : new boolean[] {true, false}) {
            for (String item : Set.of("4", "-1", "03", "zero", "99999999999999")) {
                assertThatThrownBy(answer(
                                cluster,
                                new Commands(engine.operations())
                                        .execute(
                                                disabled
                                                        ? new Command.DisableItem("settle", item)
                                                        : new Command.EnableItem("settle", item),
                                                CommandOptions.by("test")))::join)
                        .hasCauseInstanceOf(JobConfigurationException.class)
                        .hasMessageContaining("settle")
                        .hasMessageContaining(item)
                        .hasMessageContaining("0 to 3");
            }
        }
        answer(
                        cluster,
                        new Commands(engine.operations())
                                .execute(new Command.DisableItem("settle", "3"), CommandOptions.by("test")))
                .join();
        answer(
                        cluster,
                        new Commands(engine.operations())
                                .amend("settle", override -> override.withShardingTotalCount(2)))
                .join();
        cluster.advance(Duration.ofMinutes(1));
        answer(
                        cluster,
                        new Commands(engine.operations())
                                .execute(new Command.EnableItem("settle", "3"), CommandOptions.by("test")))
                .join(); // no longer an item, but still disabled
    }

    @Test
    void disablingTheItemOfAnUnknownInstanceFails(@Instances(2) TestCluster cluster) {
        JobEngine engine = settle(cluster, Scope.BROADCAST);
        String own = cluster.instances().get(1).id();
        answer(
                        cluster,
                        new Commands(engine.operations())
                                .execute(new Command.DisableItem("settle", own), CommandOptions.by("test")))
                .join();
        answer(
                        cluster,
                        new Commands(engine.operations())
                                .execute(new Command.EnableItem("settle", own), CommandOptions.by("test")))
                .join();
        assertThatThrownBy(
                        answer(
                                cluster,
                                new Commands(engine.operations())
                                        .execute(
                                                new Command.DisableItem("settle", "host-7@7@7"),
                                                CommandOptions.by("test")))::join)
                .hasCauseInstanceOf(JobConfigurationException.class)
                .hasMessageContaining(own);
    }

    @Test
    void enablingAnUnknownInstanceFailsUnlessItIsDisabled(@Instances(2) TestCluster cluster) {
        JobEngine engine = settle(cluster, Scope.SHARDED);
        String second = cluster.instances().get(1).id();

        for (String named : List.of("host-1", second)) {
            assertThat(executed(cluster, new Command.DisableInstance("settle", named)))
                    .contains("live instances of this name: host-1");
        }
        assertThat(executed(cluster, new Command.DisableInstance("settle", "hots-1")))
                .as("a host that may join later")
                .contains("no live instance that hosts the job matches");
        assertThat(executed(cluster, new Command.EnableInstance("settle", "hots-1")))
                .contains("no live instance");
        assertThatThrownBy(
                        answer(
                                cluster,
                                new Commands(engine.operations())
                                        .execute(
                                                new Command.EnableInstance("settle", "hots-1"),
                                                CommandOptions.by("test")))::join)
                .hasCauseInstanceOf(JobConfigurationException.class)
                .hasMessageContaining("hots-1")
                .hasMessageContaining(second);
    }

    /** The trigger was accepted while the job existed. */
    @Test
    void delayedTriggerOfAPurgedJobIsDeletedWhenDue(@Instances(1) TestCluster cluster) {
        JobEngine engine = settle(cluster, Scope.SHARDED);
        CompletionStage<JobRun> later = engine.triggerAfter(
                new Trigger.Request("settle", "run", Map.of(), Set.of()), "key", Duration.ofHours(1));
        answer(cluster, later).join();
        answer(cluster, new Commands(engine.operations()).amend("settle", override -> override.withRemoved(true)))
                .join();
        engine.unregister("settle");
        cluster.advance(Duration.ofMinutes(5));
        answer(
                        cluster,
                        new Commands(engine.operations())
                                .execute(new Command.Purge("settle"), CommandOptions.by("test")))
                .join();
        assertThat(cluster.tree().children("/delayed")).hasSize(1);

        cluster.advance(Duration.ofHours(1));
        assertThat(cluster.tree().children("/delayed")).isEmpty();
        assertThat(cluster.tree().children("/triggers")).isEmpty();
    }
}
