package io.ostraka.core.run;

import io.ostraka.api.RunTimeoutException;
import io.ostraka.api.Tasks;
import io.ostraka.core.metrics.TaskMeter;
import io.ostraka.core.model.LogContext;
import io.ostraka.core.time.Platform;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One child task of a run: the code, its time limit, and the callbacks after its end. Thread-safe.
 *
 * @param <T> type of the task's result
 */
final class ChildTask<T extends @Nullable Object> {
    private final Group group;
    private final Tasks.Task<T> code;
    private final @Nullable Duration limit;
    private final CompletableFuture<T> stage = new CompletableFuture<>();
    /** Log context of the code that submitted the task. */
    private final LogContext submitter = LogContext.current();
    /** This task, with the actions of the run's interceptors around it. */
    private final Runnable enclosed;
    /** True once the code has begun or is known not to begin. Used only by the thread that runs the task. */
    private boolean begun;

    private @Nullable Thread thread;
    /** True while the code runs. The time limit does not cover the callbacks. */
    private boolean calling;

    private boolean late;

    private interface Callback {
        void run() throws Exception;
    }

    /** All child tasks of the same attempt. */
    interface Group {
        Platform platform();

        /** Returns a task with the actions of the run's interceptors around it. Called on the submitting thread. */
        Runnable around(Runnable task);

        /**
         * Registers a task that is about to start. Returns false if no further task may start. Called on the task's
         * thread.
         */
        boolean begins(ChildTask<?> task);

        /** Returns the exception for tasks that may no longer start. */
        CancellationException cancellation();

        /** Records that the code or a callback of a task has failed. */
        void fail(Throwable thrown);

        /** Returns the meter that counts the tasks. */
        TaskMeter meter();

        /** Reports that the code of a task still runs long after the task's limit. */
        void abandoned();
    }

    ChildTask(Group group, Tasks.Task<T> code, @Nullable Duration limit) {
        this.group = group;
        this.code = code;
        this.limit = limit;
        this.enclosed = group.around(this::runOrCancel); // user code, which may throw anything
    }

    CompletionStage<T> stage() {
        return stage.minimalCompletionStage();
    }

    /**
     * Runs the code and then its callbacks on the calling thread, with the log context of the code that submitted the
     * task. If no further task may start, only calls the callbacks.
     */
    void run() {
        submitter.around(() -> {
            try {
                enclosed.run();
            } catch (Throwable e) { // an interceptor, which may throw anything
                group.fail(e);
            }
            runOrCancel(); // if an interceptor has not called the task
        });
    }

    private void runOrCancel() {
        if (begun) {
            return;
        }
        begun = true;
        bind(Thread.currentThread());
        if (group.begins(this)) {
            perform();
        } else {
            bind(null);
            group.meter().cancelled();
            Throwable cancellation = group.cancellation();
            notify(() -> code.failed(cancellation));
            notify(code::completed);
            stage.completeExceptionally(cancellation);
        }
    }

    @SuppressWarnings("NullAway") // NullAway does not know that T may be nullable
    private void perform() {
        T result = null;
        Throwable thrown = null;
        group.meter().begun();
        long beganAt = group.platform().clock().monotonicNanos();
        Runnable deadline = begun();
        try {
            result = code.call();
        } catch (Throwable e) { // user code may throw anything
            thrown = e;
        }
        group.meter().returned(group.platform().clock().monotonicNanos() - beganAt);
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
        group.meter()
                .ended(end == null); // before the stage completes, so that the code which waits for it sees the count
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
        return limit == null ? () -> {} : group.platform().later(limit, this::expire);
    }

    private void expire() {
        synchronized (this) {
            if (!calling) {
                return;
            }
            late = true;
            interrupt();
        }
        group.platform().later(ItemRun.ABANDONED_AFTER, () -> {
            if (calling()) {
                group.abandoned();
            }
        });
    }

    private synchronized boolean calling() {
        return calling;
    }

    private synchronized boolean late() {
        return late;
    }

    /**
     * Records that the code has returned or thrown. Returns the failure of the task, which may be a timeout; null if
     * the task succeeded.
     */
    private synchronized @Nullable Throwable failure(@Nullable Throwable thrown) {
        calling = false;
        if (!late) {
            return thrown;
        }
        Thread.interrupted(); // the interruption was meant for the code, not for the callbacks
        return new RunTimeoutException(group + ": a task has taken longer than its limit of " + limit, thrown);
    }

    private @Nullable Throwable notify(Callback callback) {
        try {
            callback.run();
            return null;
        } catch (Throwable e) { // user code may throw anything
            group.fail(e);
            return e;
        }
    }

    private synchronized void bind(@Nullable Thread runner) {
        thread = runner;
    }

    /** Releases the task's thread and clears the thread's interrupt status. */
    private synchronized void unbind() {
        thread = null;
        Thread.interrupted();
    }

    synchronized void interrupt() {
        if (thread != null) {
            thread.interrupt();
        }
    }

    boolean exits() {
        Thread runner;
        synchronized (this) {
            runner = thread;
        }
        return runner != null && ItemRun.exits(runner);
    }

    String whereabouts() {
        Thread runner;
        synchronized (this) {
            runner = thread;
        }
        return runner == null ? "" : "\n  in a task:" + ItemRun.frames(runner);
    }
}
