package io.ostraka.core.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.ItemOutcome;
import io.ostraka.core.coordination.Cancellation;
import io.ostraka.core.coordination.Fires;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.model.DelayedTrigger;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.model.FireView;
import io.ostraka.core.model.PendingTriggers;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Triggers;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.run.TestRun;
import io.ostraka.core.time.SerialExecutor;
import io.ostraka.core.time.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A trigger must not overtake its job's definition, because the job's first records would ignore an older trigger. */
class ManualTriggersTest {
    private final Asked asked = new Asked();
    private final Set<String> undefined = new HashSet<>(Set.of("job"));
    private final Set<String> hosted = new HashSet<>();
    private final List<Runnable> pauses = new ArrayList<>();
    private final InstanceExecutor executor = new InstanceExecutor(new SerialExecutor(Runnable::run), new Pauses());
    private final WaitingTriggers waiting = new WaitingTriggers(asked, executor, () -> true, (job, all) -> {});
    private final ManualTriggers triggers =
            new ManualTriggers(asked, executor, TestRun.onCallersThread(), waiting, new ManualTriggers.Engine() {
                @Override
                public boolean established() {
                    return true;
                }

                @Override
                public boolean hosts(String job) {
                    return hosted.contains(job);
                }

                @Override
                public boolean lacksDefinition(String job) {
                    return undefined.contains(job);
                }
            });
    private final TriggeredRun run =
            new TriggeredRun(new Trigger.Request("job", "run", Map.of(), Set.of()), (answer, timeout) -> {});

    @Test
    void submitsTriggerOnceAfterTheDefinition() {
        triggers.add(run);
        triggers.connected();
        triggers.look();
        triggers.defined("another");
        assertThat(asked.requests).isEmpty();

        undefined.clear();
        triggers.defined("job");
        assertThat(asked.requests).containsExactly(run.request);
    }

    @Test
    void submitsTriggerOnceForRepeatedDefinition() {
        triggers.add(run);
        undefined.clear();
        triggers.defined("job");
        triggers.defined("job");
        assertThat(asked.requests).as("before the reply").hasSize(1);

        asked.reply.complete(true);
        triggers.defined("job");
        assertThat(asked.requests).as("after the reply").hasSize(1);
    }

    @Test
    void closingFailsTriggerThatWaitsForTheDefinition() {
        triggers.add(run);
        triggers.close();
        undefined.clear();
        triggers.defined("job");

        assertThat(run.end).isCompletedExceptionally();
        assertThat(asked.requests).isEmpty();
    }

    @Test
    void closingFailsTriggerThatIsToBeRetried() {
        undefined.clear();
        triggers.add(run);
        asked.reply.completeExceptionally(new IllegalStateException("no answer"));
        triggers.close();
        pauses.forEach(Runnable::run);

        assertThat(asked.requests).hasSize(1);
    }

    @Test
    void triggeringUnknownJobFailsAtOnce() {
        undefined.clear();
        triggers.add(run);
        TriggeredRun.Later later = new TriggeredRun.Later("key", Duration.ofSeconds(10), new CompletableFuture<>());
        triggers.add(new TriggeredRun(
                new Trigger.Request("job", "another", Map.of(), Set.of()), (answer, timeout) -> {}, later));
        asked.reply.complete(false);
        asked.later.complete(Optional.empty());

        assertThatThrownBy(() -> run.await(Duration.ZERO)).hasMessageContaining("'job' is not registered");
        assertThat(later.accepted()).isCompletedExceptionally();
        assertThat(pauses).isEmpty();
    }

    /** The definition was deleted manually and is being restored. */
    @Test
    void retriesTriggerOfHostedJob() {
        undefined.clear();
        hosted.add("job");
        triggers.add(run);
        asked.reply.complete(false);
        assertThat(pauses).hasSize(1);
        assertThat(run.end).isNotDone();
    }

    @Test
    void sendsTriggerAlthoughTheFirstAttemptToFollowItsFireFailed() {
        undefined.clear();
        asked.failures = 1;
        triggers.add(run);
        assertThat(asked.requests).isEmpty();
        List.copyOf(pauses).forEach(Runnable::run);

        assertThat(asked.requests).containsExactly(run.request);
    }

    @Test
    void mergedTriggerReturnsTheOtherRun() {
        undefined.clear();
        TriggeredRun.Later later = new TriggeredRun.Later("key", Duration.ofSeconds(10), new CompletableFuture<>());
        triggers.add(new TriggeredRun(run.request, (answer, timeout) -> {}, later));
        assertThat(later.accepted()).isNotDone();

        asked.later.complete(Optional.of("earlier"));
        assertThat(later.accepted().join().runId()).isEqualTo("earlier");
    }

    @Test
    void closingFailsDelayedTriggerUnlessAccepted() {
        TriggeredRun.Later later = new TriggeredRun.Later("key", Duration.ofSeconds(10), new CompletableFuture<>());
        triggers.add(new TriggeredRun(run.request, (answer, timeout) -> {}, later));
        triggers.close();

        assertThat(later.accepted()).isCompletedExceptionally();
    }

    /**
     * The first submission does not search for an earlier request. A retry after a lost reply does: the first one may
     * have succeeded.
     */
    @Test
    void searchesEarlierRequestOnlyOnRetry() {
        undefined.clear();
        triggers.add(run);
        asked.reply.completeExceptionally(new IllegalStateException("no answer"));
        List.copyOf(pauses).forEach(Runnable::run);

        assertThat(asked.askedBefore).containsExactly(false, true);
    }

    @Test
    void readsOnlyTheCreatedTrigger() {
        Trigger trigger = new Trigger("t-1", 7, Instant.EPOCH, run.request);
        waiting.triggerChanged("t-1", false);
        waiting.triggerChanged("t-1", false);
        assertThat(asked.readAlone).containsExactly("t-1");
        asked.node.complete(new Triggers(List.of(trigger), List.of()));
        assertThat(waiting.of("job").readable()).containsExactly(trigger);

        waiting.triggerChanged("t-1", true);
        assertThat(waiting.of("job")).isEqualTo(Triggers.NONE);
        assertThat(asked.readAlone).hasSize(1);
    }

    @Test
    void ignoresTriggerDeletedDuringItsRead() {
        waiting.triggerChanged("t-1", false);
        waiting.triggerChanged("t-1", true);
        asked.node.complete(new Triggers(List.of(new Trigger("t-1", 7, Instant.EPOCH, run.request)), List.of()));

        assertThat(waiting.of("job")).isEqualTo(Triggers.NONE);
    }

    @Test
    void runCompletesWithFireEndedByThisInstance() {
        undefined.clear();
        triggers.add(run);
        asked.reply.complete(true);
        triggers.fireEnded("another", Map.of());
        assertThat(run.end).isNotDone();

        triggers.fireEnded("run", Map.of("0", ItemOutcome.SUCCEEDED));
        assertThat(run.end.join()).containsExactly(Map.entry("0", ItemOutcome.SUCCEEDED));
    }

    /** Collects delayed steps. */
    private final class Pauses implements Timer {
        @Override
        public Runnable after(Duration delay, Runnable wake) {
            pauses.add(wake);
            return () -> pauses.remove(wake);
        }

        @Override
        public void close() {}
    }

    /** Records requests, has no triggers, and replies when the test completes the stage. */
    private static final class Asked implements Fires {
        @Override
        public void followTriggers() {}

        final List<Trigger.Request> requests = new ArrayList<>();
        /** Number of calls of {@link #follow} that fail. */
        int failures;

        final List<Boolean> askedBefore = new ArrayList<>();
        final List<String> readAlone = new ArrayList<>();
        final CompletableFuture<Triggers> node = new CompletableFuture<>();
        final CompletableFuture<Boolean> reply = new CompletableFuture<>();
        final CompletableFuture<Optional<String>> later = new CompletableFuture<>();

        @Override
        public CompletionStage<Boolean> trigger(Trigger.Request request, boolean asked) {
            requests.add(request);
            askedBefore.add(asked);
            return requests.size() == 1 ? reply : CompletableFuture.completedStage(true);
        }

        @Override
        public CompletionStage<Boolean> accepted(String job, String runId) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Triggers> trigger(String name) {
            readAlone.add(name);
            return node;
        }

        @Override
        public CompletionStage<Triggers> triggers() {
            return CompletableFuture.completedStage(Triggers.NONE);
        }

        @Override
        public CompletionStage<PendingTriggers> pending(String job) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Cancellation> cancel(String job, String named, String by, @Nullable String reason) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Optional<Versioned<FireProgress>>> awaited(String job, String fire) {
            return progress(job, fire);
        }

        @Override
        public CompletionStage<Optional<Versioned<FireProgress>>> progress(String job, String fire) {
            return CompletableFuture.completedStage(Optional.empty());
        }

        @Override
        public CompletionStage<Optional<String>> triggerLater(Trigger.Request request, String key, Duration delay) {
            requests.add(request);
            return later;
        }

        @Override
        public CompletionStage<List<Versioned<DelayedTrigger>>> delayed() {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<TransactionResult> release(Leadership leader, Versioned<DelayedTrigger> delayed) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<TransactionResult> drop(Leadership leader, Versioned<DelayedTrigger> delayed) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<TransactionResult> stop(FireStop stop) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<List<FireStop>> stops() {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<TransactionResult> deleteStop(Leadership leader, FireStop stop) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void followStops() {}

        @Override
        public void follow(String job, boolean follow) {
            if (failures-- > 0) {
                throw new OutOfMemoryError("injected");
            }
        }

        @Override
        public CompletionStage<FireView> look(String job, String fire) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<List<FireView>> look(String job, List<String> fires) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Outcome> delete(String job, String fire, int version) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void sweep(Leadership leader) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<List<String>> kept(String job) {
            throw new UnsupportedOperationException();
        }
    }
}
