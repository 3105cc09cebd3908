package io.ostraka.core.tree;

import io.ostraka.core.time.Stages;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Shares one read among callers that request it at the same time. Callers that arrive during a read share the next
 * read, because the result of the running read may not contain the change that caused their call. Thread-safe.
 */
final class CoalescedRead<T> {
    private final Supplier<CompletionStage<T>> reading;
    private boolean underWay;
    private @Nullable CompletableFuture<T> next;

    CoalescedRead(Supplier<CompletionStage<T>> reading) {
        this.reading = reading;
    }

    /** Returns the result of a read that begins after this call. */
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
            Stages.complete(answered, value, failure);
        });
    }
}
