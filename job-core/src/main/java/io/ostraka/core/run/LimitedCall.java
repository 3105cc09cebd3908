package io.ostraka.core.run;

import io.ostraka.core.time.Platform;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Calls some code of a user's on a worker, one call at a time, each for so long: after that its thread is interrupted and
 * nobody waits for it any more. Code that never returns takes one thread, however often it is to be called. Thread-safe.
 */
public final class LimitedCall {
    private final Platform platform;
    private final Duration limit;
    private @Nullable CompletableFuture<Void> underWay;
    private @Nullable Thread thread;

    /** Users' code. */
    public interface Code {
        /** Runs it. */
        void run() throws Exception;
    }

    /** Limits each call to a duration. */
    public LimitedCall(Platform platform, Duration limit) {
        this.platform = platform;
        this.limit = limit;
    }

    /**
     * Calls it.
     *
     * @return completed on any thread once it has returned, exceptionally with what it threw, or with a {@link
     *     TimeoutException} when it takes too long or the call before hasn't returned yet
     */
    public CompletableFuture<Void> call(Code code) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        synchronized (this) {
            if (underWay != null) {
                end.completeExceptionally(
                        new TimeoutException("an earlier call, which took longer than " + limit + ", still runs"));
                return end;
            }
            underWay = end;
        }
        Runnable deadline = platform.timer().after(limit, () -> platform.lanes().execute(() -> expire(end)));
        try {
            platform.workers().execute(() -> perform(code, end, deadline));
        } catch (Throwable e) { // no thread to be had, or the process is closing
            over(end, deadline, e);
        }
        return end;
    }

    private void perform(Code code, CompletableFuture<Void> end, Runnable deadline) {
        synchronized (this) {
            thread = Thread.currentThread();
        }
        Throwable failure = null;
        try {
            code.run();
        } catch (Throwable e) { // users' code
            failure = e;
        }
        over(end, deadline, failure);
    }

    private void over(CompletableFuture<Void> end, Runnable deadline, @Nullable Throwable failure) {
        deadline.run();
        synchronized (this) {
            underWay = null;
            if (thread != null) {
                thread = null;
                Thread.interrupted(); // what was meant for this call is nobody else's
            }
        }
        if (failure == null) {
            end.complete(null);
        } else {
            end.completeExceptionally(failure);
        }
    }

    private void expire(CompletableFuture<Void> end) {
        synchronized (this) {
            if (underWay != end) {
                return;
            }
            if (thread != null) {
                thread.interrupt();
            }
        }
        end.completeExceptionally(new TimeoutException("it took longer than " + limit + " and was interrupted"));
    }
}
