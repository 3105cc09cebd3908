package io.ostraka.core.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.CoordinationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests requests that wait for a connection. */
class RequestGateTest {
    private final AtomicInteger sent = new AtomicInteger();
    private boolean connected;

    private CompletionStage<String> send() {
        return CompletableFuture.completedStage("answer " + sent.incrementAndGet());
    }

    @Test
    void requestIsSentWhenThereIsAConnection() {
        RequestGate gate = new RequestGate(Runnable::run, () -> connected);
        RequestGate.Request<String> request = gate.ask(this::send);
        assertThat(request.answer()).isNotDone();

        connected = true;
        gate.connected();

        assertThat(request.answer()).isCompletedWithValue("answer 1");
        assertThat(request.withdraw()).as("it was sent").isFalse();
    }

    @Test
    void requestOfCallerThatGaveUpIsNotSent() {
        RequestGate gate = new RequestGate(Runnable::run, () -> connected);
        gate.ask(this::send).answer().cancel(false);
        assertThat(gate.ask(this::send).withdraw()).isTrue();

        connected = true;
        gate.connected();

        assertThat(sent).hasValue(0);
    }

    @Test
    void requestAfterTheCloseFailsAtOnce() {
        Executor stopped = task -> {
            throw new RejectedExecutionException("stopped");
        };

        RequestGate.Request<String> request = new RequestGate(stopped, () -> true).ask(this::send);

        assertThatThrownBy(request.answer()::join)
                .hasCauseInstanceOf(CoordinationException.class)
                .hasMessageContaining("closed");
        assertThat(sent).hasValue(0);
    }
}
