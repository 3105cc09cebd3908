package io.ostraka.core.execution;

import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs items on the workers that all jobs of a process share. Items are independent: a slow one holds up nobody. */
public final class ItemExecutor {
    private static final Logger log = LoggerFactory.getLogger(ItemExecutor.class);

    private final Executor workers;

    /** Runs on the given workers, whose threads users' code may block. */
    public ItemExecutor(Executor workers) {
        this.workers = workers;
    }

    /**
     * Starts a run.
     *
     * @param ended told once, on the worker, when the code has really returned
     */
    public void start(JobBody body, ItemRun run, Consumer<RunEnd> ended) {
        try {
            workers.execute(() -> ended.accept(perform(body, run)));
        } catch (Throwable e) { // no thread to be had, or the process is closing: the item is handed over
            log.warn("{} could not be started: {}", run, e.toString());
            run.cancel();
            ended.accept(RunEnd.failed(e));
        }
    }

    private static void report(ItemRun run, Throwable failure) {
        String text = RunEnd.text(failure);
        try {
            if (run.wasCancelled()) {
                log.info("{} ended after it was cancelled: {}", run, text);
            } else {
                log.error("{} failed, attempt {}", run, run.attempt(), failure);
            }
        } catch (Throwable e) { // users' code: a stack trace asks the failure for its text
            log.error("{} failed, attempt {}: {}", run, run.attempt(), text);
        }
    }

    private static RunEnd perform(JobBody body, ItemRun run) {
        try {
            if (run.begin(Thread.currentThread())) {
                body.run(run);
            }
            return RunEnd.SUCCEEDED;
        } catch (Throwable e) { // users' code: an Error of one item is that item's failure, not the process's
            report(run, e);
            return RunEnd.failed(e);
        } finally {
            run.finish();
        }
    }
}
