package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.CoordinationException;
import io.ostraka.core.instance.Answers;
import io.ostraka.core.instance.EventSource;
import io.ostraka.core.instance.Observer;
import io.ostraka.core.instance.OperationsPort;
import io.ostraka.core.instance.RequestGate;
import io.ostraka.core.time.Clock;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.fixtures.ForwardingStore;
import io.ostraka.operations.NamespaceOperations;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests views that are requested again and again while ZooKeeper is unreachable. */
class OperationsDuringOutageTest {
    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger listings = new AtomicInteger();

    private final Clock clock = new Clock() {
        @Override
        public Instant now() {
            return Instant.parse("2026-01-01T00:00:00Z").plusNanos(nanos.get());
        }

        @Override
        public long monotonicNanos() {
            return nanos.get();
        }
    };

    @Test
    void listOfJobsIsReadOnceAfterTheOutage() {
        InMemoryCoordination tree = new InMemoryCoordination(clock::now);
        TreeCoordination coordination = new TreeCoordination(
                new ForwardingStore(tree.connect("observer", Runnable::run)) {
                    @Override
                    public CompletionStage<List<String>> children(String path) {
                        listings.addAndGet(path.equals("/jobs") ? 1 : 0);
                        return super.children(path);
                    }
                },
                clock);
        AtomicBoolean connected = new AtomicBoolean();
        RequestGate gate = new RequestGate(Runnable::run, connected::get);
        Answers answers = new Answers(
                (answer, limit) -> {
                    if (!answer.isDone()) {
                        throw new TimeoutException();
                    }
                },
                Duration.ofSeconds(1),
                "the test",
                () -> "");
        NamespaceOperations operations = new NamespaceOperations(
                new OperationsPort(coordination, gate, clock, Runnable::run, EventSource.none(clock)), answers);
        coordination.start(new Observer(Runnable::run));

        for (int i = 0; i < 100; i++) {
            assertThatThrownBy(operations::jobs).isInstanceOf(CoordinationException.class);
            nanos.addAndGet(Duration.ofSeconds(5).toNanos());
        }
        connected.set(true);
        gate.connected();

        assertThat(listings).hasValue(1);
    }
}
