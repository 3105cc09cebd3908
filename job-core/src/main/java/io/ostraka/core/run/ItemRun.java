package io.ostraka.core.run;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.OwnershipLostException;
import io.ostraka.api.Progress;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.Tasks;
import io.ostraka.api.event.Claim;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One run of one item. User code receives this object as its context, and the engine stops the run through this object.
 * Thread-safe.
 */
public final class ItemRun implements ShardingContext {
    /** Maximum size of a checkpoint, in bytes. */
    public static final int MAX_CHECKPOINT_BYTES = 64 << 10;

    /** Time between a stop and the moment at which code that still runs is considered abandoned. */
    static final Duration ABANDONED_AFTER = Duration.ofSeconds(10);

    private static final int MOST_FRAMES = 15;
    private final JobSnapshot snapshot;
    private final String item;
    private final ItemRecord record;
    private final Run claim;
    private final Claimed claimed;
    private final @Nullable Instant previousFireTime;
    private final RunSession session;
    private final BooleanSupplier startsNext;

    private volatile @Nullable Stop stop;
    /** Operator's request that has cancelled the run; null if there was none. */
    private @Nullable FireStop stoppedBy;

    private volatile boolean idle;
    private volatile boolean leaving;
    private volatile @Nullable String lost;
    /** True if {@link #checkOwnership} has thrown an exception. */
    private volatile boolean doubted;
    /** Latest progress that the user's code reported; null before its first report. */
    private volatile @Nullable Progress progress;

    /** The claim in the form that events contain; null before the first call of {@link #identity}. */
    private volatile @Nullable Claim identity;

    private volatile Consumer<Progress> progressConsumer = reported -> {};

    /** Time from which the run takes too long; null until it is computed. */
    private volatile @Nullable Instant tooLongFrom;

    private @Nullable Thread thread;
    /** Child tasks of the current or latest attempt; null if that attempt has not used {@link #tasks()}. */
    private volatile @Nullable Children tasks;

    /** Creates the child tasks of the current attempt; null while no user code runs. */
    private @Nullable Supplier<Children> newTasks;

    private @Nullable Runnable whenStopped;
    private int failures;
    private boolean begun;
    private boolean over;
    private volatile boolean abandoned;
    /** Number of calls of the run's code that are closing a job or an instance. */
    private final AtomicInteger closing = new AtomicInteger();

    private volatile boolean exiting;
    private volatile boolean waitsForThread;

    /** Reason for stopping a run. */
    public enum Stop {
        /**
         * This instance gives up the item. The fire is not completed when the code returns, so another instance can run
         * the fire.
         */
        GIVEN_UP,
        /** The run exceeded its time limit. */
        TIMED_OUT,
        /** A later fire replaces this run, or an operator has stopped its fire. */
        CANCELLED
    }

    /** Child tasks of one attempt. */
    interface Children {
        /** Returns the API through which the user's code submits tasks. */
        Tasks plain();

        /** Prevents queued and new tasks from starting. */
        void end();

        /**
         * Waits until all tasks have ended. Called after the user's code has returned.
         *
         * @param thrown exception of the user's code; null if it returned normally
         * @return the first exception of the code and its tasks; null if there was none
         */
        @Nullable Throwable close(@Nullable Throwable thrown);

        void interrupt();

        /** Returns the stack traces of the running tasks, with one frame per line. */
        String whereabouts();

        /** Returns whether a task has called {@link Runtime#exit}. */
        boolean exits();
    }

    /**
     * Versions and tokens that the claim's transaction produced.
     *
     * @param recordVersion version of the item's record after the claim
     * @param mzxid ZooKeeper transaction id of the claim
     * @param fencingToken packed fencing token
     * @param generationToken packed generation token
     */
    public record Claimed(int recordVersion, long mzxid, long fencingToken, long generationToken) {}

    /**
     * Creates the run of a claim.
     *
     * @param snapshot configuration and plan on which the claim is based
     * @param item key of the item
     * @param record record that the claim wrote
     * @param previousFireTime time of the previous fire; null for the first one
     * @param startsNext returns whether the item's next fire could start in this instance; called on any thread
     */
    public ItemRun(
            JobSnapshot snapshot,
            String item,
            ItemRecord record,
            @Nullable Instant previousFireTime,
            Claimed claimed,
            RunSession session,
            BooleanSupplier startsNext) {
        this.snapshot = snapshot;
        this.item = item;
        this.record = record;
        this.claim = record.requireRun();
        this.previousFireTime = previousFireTime;
        this.claimed = claimed;
        this.session = session;
        this.startsNext = startsNext;
    }

    /** Returns the key of the item. */
    public String item() {
        return item;
    }

    /** Returns the claim in the form that the item's record contains. */
    public Run claim() {
        return claim;
    }

    /** Returns whether the job has once-listeners that must return before the run may start. */
    public boolean waitsForOnceListeners() {
        return snapshot.onceListeners();
    }

    /** Returns the record that the claim wrote. */
    public ItemRecord record() {
        return record;
    }

    /** Returns the claim in the form that events contain. */
    public Claim identity() {
        Claim made = identity;
        if (made == null) {
            made = record.claim(jobName(), item, claimed.mzxid);
            identity = made;
        }
        return made;
    }

    /**
     * Stops the run. {@link Stop#GIVEN_UP} also interrupts the user's code at once. If the run is stopped several
     * times, the first reason counts. After the last attempt has returned, a stop has no effect.
     */
    public void stop(Stop why) {
        Runnable callback = null;
        Children children;
        synchronized (this) {
            if (over) {
                return;
            }
            if (stop == null) {
                stop = why;
                callback = whenStopped;
            }
            if (why == Stop.GIVEN_UP) {
                interrupt();
            }
            children = tasks;
        }
        if (children != null) {
            children.end();
        }
        if (callback != null) {
            callback.run();
        }
    }

    /**
     * Cancels the run because an operator has stopped its fire. A run that this instance was about to hand over is
     * cancelled instead, since no other instance may continue the fire.
     */
    public void cancel(FireStop by) {
        synchronized (this) {
            if (over || stop == Stop.TIMED_OUT || stop == Stop.CANCELLED) {
                return;
            }
            stoppedBy = by;
            if (stop == Stop.GIVEN_UP) {
                stop = Stop.CANCELLED;
            }
        }
        stop(Stop.CANCELLED);
    }

    /**
     * Returns why the run was stopped; null if it was not stopped. The first reason counts, but {@link #cancel}
     * replaces {@link Stop#GIVEN_UP}.
     */
    public @Nullable Stop stop() {
        return stop;
    }

    /**
     * Sets the callback for a stop or a requested hand-over. If a stop or a hand-over was requested before, calls the
     * callback at once.
     */
    void whenStopped(Runnable then) {
        synchronized (this) {
            whenStopped = then;
            if (stop == null && !leaving) {
                return;
            }
        }
        then.run();
    }

    synchronized void interrupt() {
        if (thread != null) {
            thread.interrupt();
        }
        if (tasks != null) {
            tasks.interrupt();
        }
    }

    /**
     * Returns true if the end of the run does not complete its fire. There are two cases: the run was given up, or it
     * failed when the item may already have belonged to another instance.
     */
    public boolean gaveUp(RunEnd end) {
        return stop == Stop.GIVEN_UP || ((lost != null || doubted) && end.outcome() == ItemOutcome.FAILED);
    }

    /**
     * Records that this instance may have lost the item. From now on {@link #checkOwnership} fails.
     *
     * @param reason reason for the doubt, for messages
     */
    public void lose(String reason) {
        lost = reason;
    }

    /**
     * Requests a hand-over to another instance, without interrupting user code. A streaming job ends after its current
     * batch, and a run that waits for a retry ends at once.
     */
    public void leave() {
        Runnable callback;
        synchronized (this) {
            leaving = true;
            callback = whenStopped;
        }
        if (callback != null) {
            callback.run();
        }
    }

    /** Records that the run's code has begun to close a job or an instance, or that this call has returned. */
    public void closing(boolean begins) {
        closing.addAndGet(begins ? 1 : -1);
    }

    /**
     * Returns whether the close of a job or an instance must not wait for the run, because its code is itself in
     * such a call, or ends the process.
     */
    public boolean closing() {
        return closing.get() > 0 || exiting;
    }

    /**
     * Looks whether the run's code has called {@link Runtime#exit}. This call never returns, and the process cannot end
     * before its shutdown hooks have returned.
     */
    public void lookForExit() {
        Thread runner;
        synchronized (this) {
            runner = thread;
        }
        Children children = tasks;
        exiting |= (runner != null && exits(runner)) || (children != null && children.exits());
    }

    /** Returns whether the run's code has called {@link Runtime#exit}, as far as {@link #lookForExit} has seen. */
    public boolean exiting() {
        return exiting;
    }

    /** Returns whether a thread has called {@link Runtime#exit}. */
    static boolean exits(Thread thread) {
        return Stream.of(thread.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals("java.lang.Shutdown"));
    }

    /** Begins an attempt on a thread. Returns false if the run was stopped before. */
    synchronized boolean begin(Thread runner) {
        if (stop != null) {
            return false;
        }
        begun = true;
        thread = runner;
        tasks = null;
        return true;
    }

    interface Code {
        void run() throws Throwable;
    }

    /**
     * Runs the user's code and waits until its child tasks have ended. Throws the first exception of the code and the
     * tasks.
     *
     * @param children creates the child tasks on the first call of {@link #tasks()}
     */
    void execute(Code code, Supplier<Children> children) throws Throwable {
        synchronized (this) {
            newTasks = children;
        }
        Throwable thrown = null;
        try {
            code.run();
        } catch (Throwable e) { // user code may throw anything
            thrown = e;
        }
        Children created;
        synchronized (this) {
            newTasks = null;
            created = tasks;
        }
        Throwable first = created == null ? thrown : created.close(thrown);
        if (first != null) {
            throw first;
        }
    }

    /** Ends an attempt: releases its thread and clears the thread's interrupt status. */
    synchronized void returned() {
        thread = null;
        Thread.interrupted();
    }

    /** Returns the pause before the next attempt after a failure; empty if there is no further attempt. */
    Optional<Duration> pauseBeforeRetry() {
        return Retry.pause(retry(), attempt(), stop != null || lost != null || doubted, claim.nonce());
    }

    /** Counts a failed attempt before the next one begins. */
    synchronized void beginAgain() {
        failures++;
    }

    /**
     * Ends the run and returns its result.
     *
     * @param failure exception of the last attempt; null if it returned normally
     */
    synchronized RunEnd over(@Nullable Throwable failure) {
        over = true;
        String afterwards =
                !begun ? " before its code began" : failure == null ? "" : "; it ended with " + RunEnd.text(failure);
        if (stop == Stop.TIMED_OUT) {
            return new RunEnd(
                    ItemOutcome.TIMED_OUT,
                    "its time limit of " + timeout().orElseThrow() + " was over" + afterwards,
                    false);
        }
        if (stop == Stop.CANCELLED) {
            String why = stoppedBy == null ? "a later fire took its place" : stoppedBy.text();
            return new RunEnd(ItemOutcome.CANCELLED, why + afterwards, false);
        }
        return failure == null ? RunEnd.succeeded(idle) : RunEnd.failed(failure);
    }

    /** Returns whether the code still runs, and if so, marks the run as abandoned. */
    synchronized boolean abandon() {
        abandoned = thread != null; // without a thread no code runs, and a stopped run starts no code
        return abandoned;
    }

    /**
     * Records whether the run lacks a thread because the process could not start one. Returns the previously recorded
     * value.
     */
    synchronized boolean waitsForThread(boolean now) {
        boolean before = waitsForThread;
        waitsForThread = now;
        return before;
    }

    /** Returns whether the run lacks a thread because the process could not start one. The item stays claimed. */
    public boolean waitsForThread() {
        return waitsForThread;
    }

    /** Returns whether the code still runs although the run was stopped long ago. */
    public boolean abandoned() {
        return abandoned;
    }

    /**
     * Returns whether the run takes too long: it has run for more than an hour, and the next fire of its schedule is
     * due. If the schedule has no next fire, or the next fire depends on the end of the run, the limit is one day. Runs
     * with a time limit and runs of streaming jobs never take too long.
     *
     * @param now current time of this instance's clock
     */
    public boolean takesTooLong(Instant now) {
        Instant from = tooLongFrom;
        if (from == null) { // not known from the start, because few runs take so long that it matters
            if (now.isBefore(claim.startedAt().plus(JobSnapshot.LONG))) {
                return false;
            }
            from = timeout().isEmpty() ? snapshot.unusuallyLongFrom(claim.startedAt()) : Instant.MAX;
            tooLongFrom = from;
        }
        return !from.isAfter(now);
    }

    /** Returns the stack traces of the user's code and its tasks, with one frame per line; empty while no code runs. */
    public String whereabouts() {
        Thread runner;
        synchronized (this) {
            runner = thread;
        }
        Children children = tasks;
        return (runner == null ? "" : frames(runner)) + (children == null ? "" : children.whereabouts());
    }

    /** Returns the top frames of a thread's stack, one per line. */
    static String frames(Thread thread) {
        return Stream.of(thread.getStackTrace())
                .limit(MOST_FRAMES)
                .map(frame -> "\n    at " + frame)
                .collect(Collectors.joining());
    }

    boolean leaving() {
        return leaving;
    }

    /** Returns whether another instance continues the fire if this instance gives the item up. */
    public boolean mayBeTakenOver() {
        return snapshot.configuration().failover();
    }

    RetryPolicy retry() {
        return snapshot.configuration().retry();
    }

    /** Returns the schedule that was active at the time of the claim. */
    public Schedule schedule() {
        return snapshot.plan().schedule();
    }

    /** Returns the time limit of the run. For an adaptive schedule, the limit is the schedule's base delay. */
    Optional<Duration> timeout() {
        return schedule().unbounded() instanceof Schedule.Adaptive adaptive
                ? Optional.of(adaptive.base())
                : snapshot.configuration().timeout();
    }

    /** Returns the type of the {@link io.ostraka.api.JobErrorHandler} for failures of the run. */
    String errorHandler() {
        return snapshot.configuration().errorHandler();
    }

    @Override
    public String jobName() {
        return snapshot.configuration().jobName();
    }

    @Override
    public String runId() {
        return claim.fire().runId(jobName());
    }

    @Override
    public Instant fireTime() {
        return claim.fire().logicalTime();
    }

    @Override
    public Optional<Instant> previousFireTime() {
        return Optional.ofNullable(previousFireTime);
    }

    @Override
    public int shardingItem() {
        return numbered()
                ? Integer.parseInt(item)
                : Math.max(0, snapshot.plan().keys().indexOf(item));
    }

    @Override
    public String itemKey() {
        return item;
    }

    @Override
    public int shardingTotalCount() {
        return numbered() ? claim.total() : snapshot.plan().keys().size();
    }

    /**
     * Returns whether item keys are numbers. If they are not, the number of an item is the index of its key in the plan
     * under which the run was claimed.
     */
    private boolean numbered() {
        return ShardingPlan.numbered(snapshot.plan().scope());
    }

    @Override
    public String shardingItemParameter() {
        return snapshot.configuration().shardingItemParameters().getOrDefault(shardingItem(), "");
    }

    @Override
    public String jobParameter() {
        return snapshot.configuration().jobParameter();
    }

    @Override
    public Map<String, String> triggerParameters() {
        return claim.fire().parameters();
    }

    @Override
    public synchronized int attempt() {
        return claim.attempt() + failures;
    }

    @Override
    public String instanceId() {
        return claim.owner();
    }

    @Override
    public String zone() {
        return session.zone();
    }

    @Override
    public long fencingToken() {
        return claimed.fencingToken;
    }

    @Override
    public long generationToken() {
        return claimed.generationToken;
    }

    @Override
    public boolean isCancelled() {
        return stop != null;
    }

    @Override
    public boolean goesOn() {
        return snapshot.configuration().streaming()
                && stop == null
                && !leaving
                && lost == null
                && startsNext.getAsBoolean();
    }

    @Override
    public void idle() {
        idle = true;
    }

    @Override
    public void checkOwnership() {
        String reason = lost != null ? lost : session.doubt().orElse(null);
        if (reason != null) {
            doubted = true;
            throw new OwnershipLostException(this + " is no longer this instance's: " + reason);
        }
    }

    @Override
    public void progress(long done, long total, String message) {
        Progress reported;
        try {
            reported = new Progress(runId(), attempt(), done, total, message, session.now());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(this + ": " + e.getMessage(), e);
        }
        progress = reported;
        progressConsumer.accept(reported);
    }

    @Override
    public Optional<Progress> progress() {
        Progress reported = progress;
        if (reported != null || claim.attempt() == 1) {
            return Optional.ofNullable(reported);
        }
        return session.progress(jobName(), item)
                .filter(earlier -> earlier.runId().equals(runId()));
    }

    /** Sets the consumer of the progress that the user's code reports from now on. */
    void onProgress(Consumer<Progress> next) {
        progressConsumer = next;
    }

    /** Writes progress to ZooKeeper without waiting for the reply. */
    void write(Progress reported) {
        session.saveProgress(jobName(), item, claimed.recordVersion, reported);
    }

    @Override
    public Optional<byte[]> checkpoint() {
        return session.checkpoint(jobName(), item);
    }

    @Override
    public void saveCheckpoint(byte[] checkpoint) {
        if (checkpoint.length > MAX_CHECKPOINT_BYTES) {
            throw new IllegalArgumentException(this + ": checkpoint has " + checkpoint.length + " bytes; accepted: "
                    + MAX_CHECKPOINT_BYTES + " at most; keep a reference to larger state instead");
        }
        if (!session.saveCheckpoint(jobName(), item, claimed.recordVersion, checkpoint.clone())) {
            lose("another instance has its record");
            throw new OwnershipLostException(this + " is no longer this instance's: checkpoint not saved");
        }
    }

    @Override
    public Tasks tasks() {
        Children children = tasks;
        if (children == null) {
            synchronized (this) {
                if (tasks == null) {
                    if (newTasks == null) {
                        throw new IllegalStateException(this + " cannot have tasks, because its code does not run");
                    }
                    tasks = newTasks.get();
                }
                children = tasks;
            }
        }
        return children.plain();
    }

    @Override
    public String toString() {
        return "job '" + jobName() + "' item " + item + " of fire "
                + claim.fire().at();
    }
}
