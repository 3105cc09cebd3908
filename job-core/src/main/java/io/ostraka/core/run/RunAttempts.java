package io.ostraka.core.run;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.Progress;
import io.ostraka.api.RunTimeoutException;
import io.ostraka.core.model.LogContext;
import io.ostraka.core.run.ItemRun.Stop;
import io.ostraka.core.time.Platform;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the attempts of one run. Handles the pauses between attempts, the time limit, and code that does not return.
 * The run occupies a slot while its code runs, but not during a pause. Thread-safe.
 */
public final class RunAttempts {
    private static final Logger log = LoggerFactory.getLogger(RunAttempts.class);

    /**
     * Time between a timeout or cancellation and the interruption of the code. Code that watches its context can end
     * during this time.
     */
    private static final Duration INTERRUPTED_AFTER = Duration.ofMillis(100);

    /**
     * Pause before the first retry after the process could not start a thread for the run. Each further pause is twice
     * as long, up to {@link #LONGEST_THREAD_PAUSE}.
     */
    private static final Duration FIRST_THREAD_PAUSE = Duration.ofSeconds(1);

    private static final Duration LONGEST_THREAD_PAUSE = Duration.ofSeconds(30);

    private final Platform platform;
    private final RunSlots slots;
    private final RunSlots.Pool pool;
    private final RunSlots.Pool.Request request;
    private final JobBody body;
    private final ItemRun run;
    private final RunObserver observer;
    /** Writes the run's progress; null until the user's code reports some. */
    private @Nullable ProgressReport progress;

    private boolean over;
    private final List<Runnable> alarms = new ArrayList<>();
    /** Failure of the last attempt while the run waits for the next one; null otherwise. */
    private @Nullable Throwable pausing;

    private Duration threadPause = FIRST_THREAD_PAUSE;

    /**
     * Prepares the attempts of a run.
     *
     * @param pool pool in which the run already has a slot; this object releases the slot
     */
    public RunAttempts(RunSlots slots, RunSlots.Pool pool, JobBody body, ItemRun run, RunObserver observer) {
        this.platform = slots.platform();
        this.slots = slots;
        this.pool = pool;
        this.request = pool.request(() -> platform.callEngine(this::retry));
        this.body = body;
        this.run = run;
        this.observer = observer;
    }

    /** Starts the time limit and the first attempt. */
    public void start() {
        slots.started(run, pool);
        run.timeout().ifPresent(limit -> after(limit, () -> run.stop(Stop.TIMED_OUT)));
        run.whenStopped(this::stopRequested);
        run.onProgress(this::progress);
        submit();
    }

    private synchronized void progress(Progress reported) {
        if (over) {
            return;
        }
        if (progress == null) {
            progress = new ProgressReport(platform, run::write);
        }
        progress.report(reported);
    }

    private void submit() {
        try {
            platform.workers().execute(this::attempt);
        } catch (RejectedExecutionException e) { // the process is closing; another instance takes the item over
            log.warn("{} could not be started: {}", run, e.toString());
            run.stop(Stop.GIVEN_UP);
            end(e, true);
        } catch (Throwable e) {
            waitForThread(e);
        }
    }

    /**
     * Waits and retries after the process failed to start a thread. The item stays claimed: after a hand-over, the
     * leader would usually assign the item to this process again, and the process would still lack a thread.
     */
    private void waitForThread(Throwable failure) {
        if (!run.waitsForThread(true)) {
            log.error(
                    "{} has no thread to run on ({}); it keeps its item and retries; raise the process's limit of"
                            + " threads, or its memory",
                    run,
                    failure.toString());
            threadPause = FIRST_THREAD_PAUSE;
        }
        synchronized (this) {
            pausing = failure;
        }
        pool.release();
        after(threadPause, this::retry);
        Duration longer = threadPause.multipliedBy(2);
        threadPause = longer.compareTo(LONGEST_THREAD_PAUSE) < 0 ? longer : LONGEST_THREAD_PAUSE;
        if (run.stop() != null || run.leaving()) {
            endPause();
        }
        observer.stalled();
    }

    private void attempt() {
        if (run.waitsForThread(false)) {
            observer.stalled();
        }
        long begun = platform.clock().monotonicNanos();
        Throwable failure = perform();
        long now = platform.clock().monotonicNanos();
        body.speed().ended(now - begun, now);
        observer.returned(Duration.ofNanos(now - begun));
        Optional<Duration> pause = failure == null ? Optional.empty() : run.pauseBeforeRetry();
        if (failure != null && pause.isPresent()) {
            pause(pause.get(), failure);
        } else {
            end(failure, true);
        }
    }

    private @Nullable Throwable perform() {
        UserCode before = UserCode.enter(UserCode.of(run));
        LogContext logged = LogContext.of(run).apply();
        try {
            if (run.begin(Thread.currentThread())) {
                observer.began();
                body.run(
                        run,
                        () -> new ChildTasks(
                                platform, run, slots.tasks(), body.tasks(), body::aroundTask, this::abandon));
            }
            return null;
        } catch (Throwable e) { // user code; an Error fails this item and not the process
            return e;
        } finally {
            run.returned();
            logged.apply();
            UserCode.enter(before);
        }
    }

    private void pause(Duration pause, Throwable failure) {
        synchronized (this) {
            pausing = failure;
        }
        pool.release();
        log.warn(
                "{} failed in attempt {} of {}; it is retried in {}: {}",
                run,
                run.attempt(),
                run.retry().attempts(),
                pause,
                RunEnd.text(failure));
        after(pause, this::retry);
        if (run.stop() != null || run.leaving()) {
            endPause();
        }
    }

    private void retry() {
        synchronized (this) {
            if (pausing == null) {
                request.withdraw();
                return;
            }
            if (request.take(1) == 0) {
                return; // the pool calls this method again when it has reserved a slot
            }
            pausing = null;
        }
        if (!run.waitsForThread()) {
            run.beginAgain();
        }
        submit();
    }

    private void stopRequested() {
        if (endPause() || run.stop() == null) {
            return;
        }
        if (run.stop() != Stop.GIVEN_UP) {
            after(INTERRUPTED_AFTER, run::interrupt);
        }
        after(ItemRun.ABANDONED_AFTER, this::abandon);
    }

    private void abandon() {
        if (run.abandon()) {
            log.warn(
                    "{} was stopped {} ago and its code still runs; its item stays here until the code returns{}",
                    run,
                    ItemRun.ABANDONED_AFTER,
                    run.whereabouts());
            observer.abandoned();
        }
    }

    /**
     * Ends the wait for the next attempt, so that the next owner of the item makes the remaining attempts. Returns
     * false if the run was not waiting, or if this instance must make the attempts itself because failover is disabled
     * and the run was not stopped.
     */
    private boolean endPause() {
        if (run.stop() == null && !run.mayBeTakenOver()) {
            return false;
        }
        Throwable failure;
        synchronized (this) {
            failure = pausing;
            if (failure == null) {
                return false;
            }
            pausing = null;
        }
        request.withdraw();
        run.stop(Stop.GIVEN_UP);
        end(failure, false);
        return true;
    }

    private void end(@Nullable Throwable failure, boolean hasSlot) {
        RunEnd end = run.over(failure);
        boolean gaveUp = run.gaveUp(end);
        try {
            release(hasSlot);
        } finally {
            observer.ended(end);
        }
        if (gaveUp && failure != null) {
            log.info(
                    "{} failed after its item was handed over or lost; the failure has no effect: {}",
                    run,
                    RunEnd.text(failure));
        } else if (end.outcome() == ItemOutcome.FAILED && failure != null) {
            report(end, failure, hasSlot);
        } else if (end.outcome() == ItemOutcome.TIMED_OUT) {
            report(end, new RunTimeoutException(String.valueOf(end.error()), failure), hasSlot);
        }
    }

    private void release(boolean hasSlot) {
        synchronized (alarms) {
            alarms.forEach(Runnable::run);
            alarms.clear();
        }
        if (hasSlot) {
            pool.release();
        }
        slots.ended(run);
        synchronized (this) {
            over = true;
            if (progress != null) {
                progress.end(); // before the fire ends, because the progress belongs to the fire
            }
        }
    }

    /**
     * Passes the failure to the job's error handler, on a worker, because this may call user code. Called last, since
     * nothing depends on the handler.
     */
    private void report(RunEnd end, Throwable error, boolean onWorker) {
        Runnable call = () -> body.errors().handle(run, end, error);
        if (onWorker) {
            call.run();
            return;
        }
        platform.callUser(
                call,
                closed -> log.warn(
                        "{} ended as {}, and no thread could call its error handler ({}): {}",
                        run,
                        end.outcome(),
                        closed,
                        RunEnd.text(error)));
    }

    private void after(Duration delay, Runnable task) {
        Runnable cancel = platform.later(delay, task);
        synchronized (alarms) {
            alarms.add(cancel);
        }
    }
}
