package io.ostraka.core.execution;

import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs items on the workers that all jobs of a process share. Items are independent: a slow one holds up nobody. */
public final class ItemExecutor {
    private static final Logger log = LoggerFactory.getLogger(ItemExecutor.class);

    private final Executor workers;
    private final ErrorHandlers errors;

    /**
     * Runs on the given workers, whose threads users' code may block.
     *
     * @param errors told of runs that fail
     */
    public ItemExecutor(Executor workers, ErrorHandlers errors) {
        this.workers = workers;
        this.errors = errors;
    }

    /**
     * Starts a run.
     *
     * @param ended told once, on the worker, when the code has really returned
     */
    public void start(JobBody body, ItemRun run, Consumer<RunEnd> ended) {
        try {
            workers.execute(() -> perform(body, run, ended));
        } catch (Throwable e) { // no thread to be had, or the process is closing: the item is handed over
            log.warn("{} could not be started: {}", run, e.toString());
            run.cancel();
            ended.accept(RunEnd.failed(e));
        }
    }

    private void perform(JobBody body, ItemRun run, Consumer<RunEnd> ended) {
        Throwable failure = failure(body, run);
        RunEnd end = failure == null ? RunEnd.SUCCEEDED : RunEnd.failed(failure);
        boolean gaveUp = run.gaveUp(end);
        ended.accept(end);
        if (failure != null && gaveUp) {
            log.info("{} ended after it was cancelled, or had lost its item: {}", run, end.error());
        } else if (failure != null) {
            errors.handle(run, end, failure); // last: nobody waits for a handler
        }
    }

    private static @Nullable Throwable failure(JobBody body, ItemRun run) {
        try {
            if (run.begin(Thread.currentThread())) {
                body.run(run);
            }
            return null;
        } catch (Throwable e) { // users' code: an Error of one item is that item's failure, not the process's
            return e;
        } finally {
            run.finish();
        }
    }
}
