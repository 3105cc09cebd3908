package io.ostraka.core.run;

import io.ostraka.api.RunTimeoutException;
import io.ostraka.api.Tasks;
import io.ostraka.core.time.Platform;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One child task of a run on its way: its code, its time limit, and who is told of its end. Thread-safe.
 *
 * @param <T> of its result
 */
final class RunTask<T extends @Nullable Object> {
    private final Group group;
    private final Tasks.Task<T> code;
    private final @Nullable Duration limit;
    private final CompletableFuture<T> stage = new CompletableFuture<>();
    private @Nullable Thread thread;
    /** Whether its code runs: what is told of its end has no limit. */
    private boolean calling;

    private boolean late;

    private interface Callback {
        void run() throws Exception;
    }

    /** The tasks that it belongs to. */
    interface Group {
        Platform platform();

        /** Tells a task, on its thread, whether it begins. */
        boolean begins(RunTask<?> task);

        /** Returns why none begins any more. */
        CancellationException cancellation();

        /** Takes note of what a task has thrown. */
        void fail(Throwable thrown);

        /** The code of one was told to end long ago, and has not. */
        void abandoned();
    }

    RunTask(Group group, Tasks.Task<T> code, @Nullable Duration limit) {
        this.group = group;
        this.code = code;
        this.limit = limit;
    }

    CompletionStage<T> stage() {
        return stage.minimalCompletionStage();
    }

    /** Runs all of it, on the calling thread. */
    void run() {
        bind(Thread.currentThread());
        if (group.begins(this)) {
            perform();
        } else {
            bind(null);
            Throwable cancellation = group.cancellation();
            notify(() -> code.failed(cancellation));
            notify(code::completed);
            stage.completeExceptionally(cancellation);
        }
    }

    @SuppressWarnings("NullAway") // which doesn't know that a type variable may stand for what is nullable
    private void perform() {
        T result = null;
        Throwable thrown = null;
        Runnable deadline = begun();
        try {
            result = code.call();
        } catch (Throwable e) { // users' code
            thrown = e;
        }
        deadline.run();
        Throwable failure = failure(thrown);
        if (failure != null) {
            group.fail(failure);
        }
        boolean cancelled = thrown != null;
        T value = result;
        Throwable first = late()
                ? notify(() -> code.timedOut(cancelled))
                : failure != null ? notify(() -> code.failed(failure)) : notify(() -> code.succeeded(value));
        Throwable second = notify(code::completed);
        unbind();
        Throwable end = failure != null ? failure : first != null ? first : second;
        if (end != null) {
            stage.completeExceptionally(end);
        } else {
            stage.complete(value);
        }
    }

    private Runnable begun() {
        synchronized (this) {
            calling = true;
        }
        return limit == null
                ? () -> {}
                : group.platform()
                        .timer()
                        .after(limit, () -> group.platform().lanes().execute(this::expire));
    }

    private void expire() {
        synchronized (this) {
            if (!calling) {
                return;
            }
            late = true;
            interrupt();
        }
        group.platform()
                .timer()
                .after(ItemRun.ABANDONED_AFTER, () -> group.platform().lanes().execute(() -> {
                    if (calling()) {
                        group.abandoned();
                    }
                }));
    }

    private synchronized boolean calling() {
        return calling;
    }

    private synchronized boolean late() {
        return late;
    }

    /** The code has returned, or thrown; what does that come to? */
    private synchronized @Nullable Throwable failure(@Nullable Throwable thrown) {
        calling = false;
        if (!late) {
            return thrown;
        }
        Thread.interrupted(); // it was meant for the code, not for who is told of its end
        return new RunTimeoutException(group + ": a task has taken longer than its limit of " + limit, thrown);
    }

    private @Nullable Throwable notify(Callback callback) {
        try {
            callback.run();
            return null;
        } catch (Throwable e) { // users' code
            group.fail(e);
            return e;
        }
    }

    private synchronized void bind(@Nullable Thread runner) {
        thread = runner;
    }

    /** Releases the thread, with no interruption left in it. */
    private synchronized void unbind() {
        thread = null;
        Thread.interrupted();
    }

    synchronized void interrupt() {
        if (thread != null) {
            thread.interrupt();
        }
    }

    String whereabouts() {
        Thread runner;
        synchronized (this) {
            runner = thread;
        }
        return runner == null ? "" : "\n  in a task:" + ItemRun.frames(runner);
    }
}
