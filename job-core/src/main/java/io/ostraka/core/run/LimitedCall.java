package io.ostraka.core.run;

import io.ostraka.core.time.Platform;
import io.ostraka.core.time.Stages;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Calls user code on a worker thread with a time limit, one call at a time. At the limit, the thread is interrupted and
 * the returned stage fails. The limit includes the wait for a thread. Until the code has returned, further calls fail at
 * once, so code that never returns blocks only one thread. Thread-safe.
 */
public final class LimitedCall {
    private final Platform platform;
    private final Duration limit;
    private @Nullable CompletableFuture<Void> underWay;
    private @Nullable Thread thread;

    /** User code to be called. */
    public interface Code {
        void run() throws Exception;
    }

    /** @param limit time limit of each call */
    public LimitedCall(Platform platform, Duration limit) {
        this.platform = platform;
        this.limit = limit;
    }

    /**
     * Calls the code.
     *
     * @return a stage that completes on any thread when the code returns. Fails with the exception of the code, or with
     * a {@link TimeoutException} if the call takes too long or the previous call still runs
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
        Runnable deadline = platform.later(limit, () -> expire(end));
        platform.callUser(() -> perform(code, end, deadline), closed -> over(end, deadline, closed));
        return end;
    }

    private void perform(Code code, CompletableFuture<Void> end, Runnable deadline) {
        synchronized (this) {
            if (underWay != end) {
                return; // the call has waited for a thread until its limit
            }
            thread = Thread.currentThread();
        }
        Throwable failure = null;
        try {
            code.run();
        } catch (Throwable e) { // user code may throw anything
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
                Thread.interrupted(); // a late interruption must not reach the thread's next task
            }
        }
        Stages.complete(end, null, failure);
    }

    private void expire(CompletableFuture<Void> end) {
        String problem = "it took longer than " + limit + " and was interrupted";
        synchronized (this) {
            if (underWay != end) {
                return;
            }
            if (thread == null) {
                underWay = null;
                problem = "no thread was available for it within " + limit;
            } else {
                thread.interrupt();
            }
        }
        end.completeExceptionally(new TimeoutException(problem));
    }
}
