package io.ostraka.core.run;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.RunTimeoutException;
import io.ostraka.core.run.ItemRun.Stop;
import io.ostraka.core.time.Platform;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run on its way through users' code: its tries and the pauses between them, its time limit, and what becomes of code
 * that is told to end. It has a place in its room while code runs, and none in a pause. Thread-safe.
 */
final class RunAttempts {
    private static final Logger log = LoggerFactory.getLogger(RunAttempts.class);

    /** How long code that looks at its context has to end by itself. */
    private static final Duration INTERRUPTED_AFTER = Duration.ofMillis(100);

    /** How long a run waits for a thread before it is tried again: ever longer. */
    private static final Duration FIRST_THREAD_PAUSE = Duration.ofSeconds(1);

    private static final Duration LONGEST_THREAD_PAUSE = Duration.ofSeconds(30);

    private final Platform platform;
    private final JobBody body;
    private final ItemRun run;
    private final Room room;
    private final Room.Guest guest;
    private final Room tasks;
    private final ErrorHandlers errors;
    private final RunObserver reports;
    private final ProgressReport progress;
    private final List<Runnable> alarms = new ArrayList<>();
    /** What the last try failed of, while the next waits for its time or its place; null otherwise. */
    private @Nullable Throwable pausing;

    private Duration threadPause = FIRST_THREAD_PAUSE;

    RunAttempts(
            Platform platform,
            JobBody body,
            ItemRun run,
            Room room,
            Room tasks,
            ErrorHandlers errors,
            RunObserver reports) {
        this.platform = platform;
        this.body = body;
        this.run = run;
        this.room = room;
        this.guest = room.guest(() -> platform.lanes().execute(this::tryAgain));
        this.tasks = tasks;
        this.errors = errors;
        this.reports = reports;
        this.progress = new ProgressReport(platform, run::write);
    }

    void start() {
        run.timeout().ifPresent(limit -> after(limit, () -> run.stop(Stop.TIMED_OUT)));
        run.whenTold(this::told);
        run.progressTo(progress::tell);
        submit();
    }

    private void submit() {
        try {
            platform.workers().execute(this::attempt);
        } catch (RejectedExecutionException e) { // the process is closing: the item is handed over
            log.warn("{} could not be started: {}", run, e.toString());
            run.stop(Stop.GIVEN_UP);
            end(e, true);
        } catch (Throwable e) {
            waitForThread(e);
        }
    }

    /** The item stays claimed: handed over, it would mostly come back to this process, which has no thread for it then either. */
    private void waitForThread(Throwable failure) {
        if (!run.waitsForThread(true)) {
            log.error(
                    "{} has no thread to run on ({}); it keeps its item and tries again; raise the process's limit of"
                            + " threads, or its memory",
                    run,
                    failure.toString());
            threadPause = FIRST_THREAD_PAUSE;
        }
        synchronized (this) {
            pausing = failure;
        }
        room.release();
        try {
            after(threadPause, this::tryAgain);
        } catch (Throwable e) { // no other attempt would come: another is to have the item
            failure.addSuppressed(e);
            run.stop(Stop.GIVEN_UP);
            endPause();
            return;
        }
        Duration longer = threadPause.multipliedBy(2);
        threadPause = longer.compareTo(LONGEST_THREAD_PAUSE) < 0 ? longer : LONGEST_THREAD_PAUSE;
        if (run.stop() != null || run.leaving()) {
            endPause();
        }
        reports.stalled();
    }

    private void attempt() {
        if (run.waitsForThread(false)) {
            reports.stalled();
        }
        long begun = platform.clock().monotonicNanos();
        Throwable failure = perform();
        long now = platform.clock().monotonicNanos();
        body.pace().ended(now - begun, now);
        reports.returned(Duration.ofNanos(now - begun));
        if (failure != null && run.triesAgain()) {
            pause(failure);
        } else {
            end(failure, true);
        }
    }

    private @Nullable Throwable perform() {
        try {
            RunTasks children = new RunTasks(platform, run, tasks, this::abandon);
            if (run.begin(Thread.currentThread(), children)) {
                reports.began();
                body.interceptors().around(run, () -> children.around(() -> body.run(run)));
            }
            return null;
        } catch (Throwable e) { // users' code: an Error of one item is that item's failure, not the process's
            return e;
        } finally {
            run.returned();
        }
    }

    private void pause(Throwable failure) {
        RetryPolicy retry = run.retry();
        int tried = run.attempt();
        double chance = new SplittableRandom(31L * run.claim().nonce().hashCode() + tried).nextDouble();
        Duration pause = retry.pause(tried, chance);
        synchronized (this) {
            pausing = failure;
        }
        room.release();
        log.warn(
                "{} failed, attempt {} of {}, and is tried again in {}: {}",
                run,
                tried,
                retry.attempts(),
                pause,
                RunEnd.text(failure));
        after(pause, this::tryAgain);
        if (run.stop() != null || run.leaving()) {
            endPause();
        }
    }

    private void tryAgain() {
        synchronized (this) {
            if (pausing == null) {
                guest.leave();
                return;
            }
            if (guest.take(1) == 0) {
                return; // told once there is a place
            }
            pausing = null;
        }
        if (!run.waitsForThread()) {
            run.beginAgain();
        }
        submit();
    }

    private void told() {
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
                    "{} was told to end {} ago and still runs; its item waits until the code returns{}",
                    run,
                    ItemRun.ABANDONED_AFTER,
                    run.whereabouts());
            reports.abandoned();
        }
    }

    /** Whoever has the item next goes on with the tries that are left; only without failover they are made here. */
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
        guest.leave();
        run.stop(Stop.GIVEN_UP);
        end(failure, false);
        return true;
    }

    private void end(@Nullable Throwable failure, boolean placed) {
        RunEnd end = run.over(failure);
        boolean gaveUp = run.gaveUp(end);
        synchronized (alarms) {
            alarms.forEach(Runnable::run);
            alarms.clear();
        }
        if (placed) {
            room.release();
        }
        progress.end(); // before the fire's end is written, after which nothing of it may be
        reports.ended(end);
        if (gaveUp && failure != null) {
            log.info("{} ended after it was given up, or had lost its item: {}", run, RunEnd.text(failure));
        } else if (end.outcome() == ItemOutcome.FAILED && failure != null) {
            errors.handle(run, end, failure); // last: nobody waits for a handler
        } else if (end.outcome() == ItemOutcome.TIMED_OUT) {
            errors.handle(run, end, new RunTimeoutException(String.valueOf(end.error()), failure));
        }
    }

    private void after(Duration delay, Runnable task) {
        Runnable takeBack = platform.later(delay, task);
        synchronized (alarms) {
            alarms.add(takeBack);
        }
    }
}
