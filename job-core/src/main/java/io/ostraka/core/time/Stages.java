package io.ostraka.core.time;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Asynchronous requests. */
public final class Stages {
    private Stages() {}

    /**
     * Returns the answer to a request. A request that throws yields a failed stage, so callers release their state
     * in one place, when the stage completes.
     */
    public static <T> CompletionStage<T> of(Supplier<CompletionStage<T>> request) {
        try {
            return request.get();
        } catch (Throwable e) {
            return CompletableFuture.failedStage(e);
        }
    }
}
