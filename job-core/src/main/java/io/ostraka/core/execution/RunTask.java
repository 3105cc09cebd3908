package io.ostraka.core.execution;

import io.ostraka.api.RunTimeoutException;
import io.ostraka.api.Tasks;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One child task of a run on its way: its code, its time limit, and who is told of its end. Thread-safe.
 *
 * @param <T> of its result
 */
final class RunTask<T extends @Nullable Object> implements Runnable {
    private final RunTasks all;
    private final Tasks.Task<T> code;
    private final @Nullable Duration limit;
    private final RunTasks.@Nullable Order order;
    private final CompletableFuture<T> stage = new CompletableFuture<>();
    private @Nullable Thread thread;
    /** Whether its code runs: what is told of its end has no limit. */
    private boolean calling;

    private boolean late;

    private interface Told {
        void run() throws Exception;
    }

    RunTask(RunTasks all, Tasks.Task<T> code, @Nullable Duration limit, RunTasks.@Nullable Order order) {
        this.all = all;
        this.code = code;
        this.limit = limit;
        this.order = order;
    }

    CompletionStage<T> stage() {
        return stage.minimalCompletionStage();
    }

    @Override
    public void run() {
        all.around(this, order, () -> {
            bind(Thread.currentThread());
            if (all.begins(this)) {
                perform();
            } else {
                bind(null);
                Throwable cancellation = all.cancellation();
                told(() -> code.failed(cancellation));
                told(code::completed);
                stage.completeExceptionally(cancellation);
            }
        });
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
            all.fail(failure);
        }
        boolean cancelled = thrown != null;
        T value = result;
        Throwable first = late()
                ? told(() -> code.timedOut(cancelled))
                : failure != null ? told(() -> code.failed(failure)) : told(() -> code.succeeded(value));
        Throwable second = told(code::completed);
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
                : all.platform()
                        .timer()
                        .after(limit, () -> all.platform().lanes().execute(this::expire));
    }

    private void expire() {
        synchronized (this) {
            if (!calling) {
                return;
            }
            late = true;
            interrupt();
        }
        all.platform()
                .timer()
                .after(Execution.ABANDONED_AFTER, () -> all.platform().lanes().execute(() -> {
                    if (calling()) {
                        all.abandoned();
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
        return new RunTimeoutException(all.owner() + ": a task has taken longer than its limit of " + limit, thrown);
    }

    private @Nullable Throwable told(Told told) {
        try {
            told.run();
            return null;
        } catch (Throwable e) { // users' code
            all.fail(e);
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
