package io.ostraka.core.time;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Requests whose answers come later. */
public final class Stages {
    private Stages() {}

    /**
     * Returns the answer to a request. A request that throws has failed like one that is answered so: what was noted for its
     * time is taken back in one place, by its answer.
     */
    public static <T> CompletionStage<T> of(Supplier<CompletionStage<T>> request) {
        try {
            return request.get();
        } catch (Throwable e) {
            return CompletableFuture.failedStage(e);
        }
    }
}
