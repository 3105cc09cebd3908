package io.ostraka.core.instance;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.OstrakaException;
import io.ostraka.core.time.Platform;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Waits for answers from ZooKeeper, for a limited time. Thread-safe.
 *
 * @param waiting decides how the calling thread waits
 * @param limit longest time to wait
 * @param servers description of the servers, for messages
 * @param trouble returns the reason why the servers cannot be reached; an empty text if no reason is known
 */
public record Answers(Platform.Waiting waiting, Duration limit, String servers, Supplier<String> trouble) {
    /**
     * Returns the answer.
     *
     * @param action description of the request, for messages, such as {@code read job 'x'}
     * @throws CoordinationException if no answer arrives in time, if the request fails, or if this thread is
     *     interrupted
     * @throws IllegalArgumentException if the request was refused because of an argument
     */
    public <T> T await(String action, CompletionStage<T> stage) {
        CompletableFuture<T> answer = stage.toCompletableFuture();
        try {
            arrive(action, answer);
        } catch (CoordinationException late) {
            answer.cancel(false); // if the request still waits in the gate, the gate drops it
            throw late;
        }
        try {
            return answer.join();
        } catch (CompletionException e) {
            throw failure(action, e);
        }
    }

    /**
     * Waits until the answer has arrived, or the request has failed.
     *
     * @throws CoordinationException if neither happens in time, or if this thread is interrupted
     */
    public void arrive(String action, CompletableFuture<?> answer) {
        try {
            waiting.await(answer, limit);
        } catch (TimeoutException e) {
            throw late(action);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CoordinationException("could not " + action + ": interrupted", e);
        }
    }

    private CoordinationException late(String action) {
        String why = trouble.get();
        return new CoordinationException("could not " + action + ": no answer from ZooKeeper at " + servers + " within "
                + limit + "; " + (why.isEmpty() ? "check that ZooKeeper serves requests" : why));
    }

    private RuntimeException failure(String action, CompletionException e) {
        Throwable cause = e;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof IllegalArgumentException refused) {
            return refused;
        }
        return cause instanceof OstrakaException known
                ? known
                : new CoordinationException("could not " + action + " at " + servers, cause);
    }
}
