package io.ostraka.core.facade;

import io.ostraka.api.CoordinationException;
import io.ostraka.core.time.Lane;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** What operators ask for: it waits for a connection where there is none. Confined to the instance's lane, but for {@link #ask}. */
final class Petitions {
    private final Lane lane;
    private final BooleanSupplier established;
    private final List<Runnable> waiting = new ArrayList<>();
    private boolean closed;

    /**
     * @param established whether ZooKeeper can be asked
     */
    Petitions(Lane lane, BooleanSupplier established) {
        this.lane = lane;
        this.established = established;
    }

    /** Asks, once that is possible; what is cancelled before is not asked at all. Any thread. */
    <T> CompletionStage<T> ask(Supplier<CompletionStage<T>> request) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        lane.execute(() -> {
            waiting.add(() -> ask(request, answer));
            connected();
        });
        return answer;
    }

    private <T> void ask(Supplier<CompletionStage<T>> request, CompletableFuture<T> answer) {
        if (closed) {
            answer.completeExceptionally(new CoordinationException("this registry is closed; make a new one"));
        } else if (!answer.isDone()) {
            CompletableFuture.completedStage(request)
                    .thenCompose(Supplier::get) // so that what it throws is an answer as well
                    .whenComplete((value, error) -> {
                        if (error == null) {
                            answer.complete(value);
                        } else {
                            answer.completeExceptionally(error);
                        }
                    });
        }
    }

    /** Asks for whatever waits, if that is possible. */
    void connected() {
        if (closed || established.getAsBoolean()) {
            List<Runnable> now = List.copyOf(waiting);
            waiting.clear();
            now.forEach(Runnable::run);
        }
    }

    /** Tells those who wait that nothing is asked any more. */
    void close() {
        closed = true;
        connected();
    }
}
