package io.ostraka.core.instance;

import io.ostraka.core.time.Stages;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Holds requests back until there is a connection. Requests may be made on any thread; all other methods are confined
 * to the executor.
 */
public final class RequestGate {
    private final Executor executor;
    private final BooleanSupplier open;
    private final List<Waiting> waiting = new ArrayList<>();
    private volatile boolean closed;

    /**
     * A request and its answer.
     *
     * @param answer completes with the answer; fails if the request fails or the gate is closed first. If the caller
     *     cancels the answer before the request is sent, the request is never sent
     * @param taken true after the request was sent or withdrawn
     */
    public record Request<T>(CompletableFuture<T> answer, AtomicBoolean taken) {
        /** Withdraws the request. Returns false if the request was already sent. */
        public boolean withdraw() {
            return taken.compareAndSet(false, true);
        }
    }

    private record Waiting(CompletableFuture<?> answer, Runnable send) {}

    /**
     * Creates a gate.
     *
     * @param executor runs one task at a time
     * @param open returns whether requests can be sent
     */
    public RequestGate(Executor executor, BooleanSupplier open) {
        this.executor = executor;
        this.open = open;
    }

    /** Sends a request as soon as the gate is open. May be called on any thread. */
    public <T> Request<T> ask(Supplier<CompletionStage<T>> request) {
        Request<T> made = new Request<>(new CompletableFuture<>(), new AtomicBoolean());
        try {
            executor.execute(() -> {
                waiting.removeIf(other -> other.answer.isDone()); // removes requests whose callers no longer wait
                waiting.add(new Waiting(made.answer, () -> send(request, made)));
                connected();
            });
        } catch (RejectedExecutionException e) { // the gate was closed, and then the executor was stopped
            made.answer.completeExceptionally(Refusals.closed());
        }
        if (closed) { // a stopped executor does not run the step above
            made.answer.completeExceptionally(Refusals.closed());
        }
        return made;
    }

    private <T> void send(Supplier<CompletionStage<T>> request, Request<T> made) {
        if (closed) {
            made.answer.completeExceptionally(Refusals.closed());
        } else if (!made.answer.isDone() && made.taken.compareAndSet(false, true)) {
            Stages.of(request).whenComplete((value, error) -> Stages.complete(made.answer, value, error));
        }
    }

    /** Sends the waiting requests if the gate is open. Called after each new connection. */
    public void connected() {
        if (closed || open.getAsBoolean()) {
            List<Waiting> now = List.copyOf(waiting);
            waiting.clear();
            now.forEach(each -> each.send.run());
        }
    }

    /** Fails the waiting requests and all later ones. */
    public void close() {
        closed = true;
        connected();
    }
}
