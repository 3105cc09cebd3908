package io.ostraka.core.time;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Helps to call asynchronous requests. */
public final class Stages {
    private Stages() {}

    /**
     * Calls a request and returns its stage. If the request throws an exception, returns a failed stage. Callers can
     * therefore handle all failures when the stage completes.
     */
    public static <T> CompletionStage<T> of(Supplier<CompletionStage<T>> request) {
        try {
            return request.get();
        } catch (Throwable e) {
            return CompletableFuture.failedStage(e);
        }
    }
}
