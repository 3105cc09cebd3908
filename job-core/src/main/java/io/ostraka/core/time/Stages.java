package io.ostraka.core.time;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Helps to call asynchronous requests. */
public final class Stages {
    private static final Logger log = LoggerFactory.getLogger(Stages.class);
    /** Errors of linkage that were logged in this process. */
    private static final Set<String> REPORTED = ConcurrentHashMap.newKeySet();

    private Stages() {}

    /**
     * Calls a request and returns its stage. If the request throws an exception, returns a failed stage. Callers can
     * therefore handle all failures when the stage completes.
     */
    public static <T> CompletionStage<T> of(Supplier<CompletionStage<T>> request) {
        CompletionStage<T> stage;
        try {
            stage = request.get();
        } catch (Throwable e) {
            stage = CompletableFuture.failedStage(e);
        }
        stage.whenComplete((value, error) -> reportLinkage(error));
        return stage;
    }

    /**
     * Completes a future with the result of a stage, as {@link CompletionStage#whenComplete} passes it. Has no effect on
     * a completed future.
     *
     * @param value value of the stage; null if the stage has failed, or if its value is null
     * @param error failure of the stage; null if it has not failed
     */
    public static <T> void complete(CompletableFuture<T> future, @Nullable T value, @Nullable Throwable error) {
        if (error == null) {
            future.complete(value);
        } else {
            future.completeExceptionally(error);
        }
    }

    /** Returns the exception with which a stage has failed, without the wrapper that dependent stages add. */
    public static Throwable cause(Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }

    /**
     * Logs an error of linkage once: a class or a method is missing. Callers repeat failed requests, because most
     * causes end by themselves, but this cause does not.
     */
    private static void reportLinkage(@Nullable Throwable error) {
        Throwable cause = error == null ? null : cause(error);
        if (cause instanceof LinkageError && REPORTED.add(cause.toString())) {
            log.error(
                    "a library on the class path does not fit this version of Ostraka; compare the versions of the"
                            + " application's libraries with those of ostraka-bom",
                    cause);
        }
    }
}
