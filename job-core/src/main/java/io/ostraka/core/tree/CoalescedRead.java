package io.ostraka.core.tree;

import io.ostraka.core.time.Stages;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A reading that many ask for at the same time: those who ask while one is under way share the next, since what is under
 * way may have begun before whatever made them ask. Thread-safe.
 */
final class CoalescedRead<T> {
    private final Supplier<CompletionStage<T>> reading;
    private boolean underWay;
    private @Nullable CompletableFuture<T> next;

    CoalescedRead(Supplier<CompletionStage<T>> reading) {
        this.reading = reading;
    }

    /** Returns what a reading comes to that begins from now on. */
    CompletionStage<T> get() {
        CompletableFuture<T> answer;
        synchronized (this) {
            answer = next == null ? new CompletableFuture<>() : next;
            next = answer;
            if (underWay) {
                return answer;
            }
        }
        begin();
        return answer;
    }

    private void begin() {
        CompletableFuture<T> answer;
        synchronized (this) {
            answer = next;
            if (underWay || answer == null) {
                return;
            }
            next = null;
            underWay = true;
        }
        CompletableFuture<T> answered = answer;
        Stages.of(reading).whenComplete((value, failure) -> {
            synchronized (this) {
                underWay = false;
            }
            begin();
            if (failure == null) {
                answered.complete(value);
            } else {
                answered.completeExceptionally(failure);
            }
        });
    }
}
