package io.ostraka.core.run;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.OwnershipLostException;
import io.ostraka.api.Progress;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.Tasks;
import io.ostraka.api.event.Claim;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One run of one item: the context that users' code sees, and the strings by which the engine stops it. Thread-safe. */
public final class ItemRun implements ShardingContext {
    /** The largest checkpoint, in bytes. */
    public static final int MAX_CHECKPOINT_BYTES = 64 << 10;

    /** How long code that was told to end may go on until it counts as abandoned. */
    static final Duration ABANDONED_AFTER = Duration.ofSeconds(10);

    private static final int MOST_FRAMES = 15;
    /** Shorter runs are never too long, however often their job fires. */
    private static final Duration LONG = Duration.ofHours(1);
    /** Too long for a run that no later fire waits for. */
    private static final Duration VERY_LONG = Duration.ofDays(1);

    private final JobSnapshot snapshot;
    private final String item;
    private final ItemRecord record;
    private final Run claim;
    private final Claimed claimed;
    private final @Nullable Instant previousFireTime;
    private final RunSession session;

    private volatile @Nullable Stop stop;
    private volatile boolean idle;
    private volatile boolean leaving;
    private volatile @Nullable String lost;
    /** Whether the code was told once that its item may be another's. */
    private volatile boolean doubted;
    /** What it has said last of how far it is; null while it has said nothing. */
    private volatile @Nullable Progress progress;

    /** The claim as events name it; made when it is asked for first. */
    private volatile @Nullable Claim identity;

    private volatile Consumer<Progress> progressConsumer = reported -> {};

    private @Nullable Thread thread;
    /** Child tasks of the present attempt, or of the last; null while the code has asked for none. */
    private volatile @Nullable Children tasks;

    /** Creates the child tasks of the present attempt; null while no code runs. */
    private @Nullable Supplier<Children> newTasks;

    private @Nullable Runnable whenStopped;
    private int failures;
    private boolean begun;
    private boolean over;
    private volatile boolean abandoned;
    private volatile boolean waitsForThread;

    /** Why a run is told to end. */
    public enum Stop {
        /** Another is to have the item: what was claimed is not completed by the code's return. */
        GIVEN_UP,
        /** It took too long. */
        TIMED_OUT,
        /** A later fire takes its place. */
        CANCELLED
    }

    /** The child tasks of one attempt. */
    interface Children {
        /** Returns the way in which the run's code submits them. */
        Tasks plain();

        /** Lets none begin any more. */
        void end();

        /**
         * Waits until all have ended; the run's code has returned.
         *
         * @param thrown exception of the run's code; null if it threw none
         * @return the first exception of the code and its tasks; null if there was none
         */
        @Nullable Throwable close(@Nullable Throwable thrown);

        /** Interrupts those that run. */
        void interrupt();

        /** Returns where those that run are, line by line. */
        String whereabouts();
    }

    /**
     * What the claim's transaction brought.
     *
     * @param recordVersion version of the item's record since the claim
     * @param mzxid transaction of the claim
     * @param fencingToken packed
     * @param generationToken packed
     */
    public record Claimed(int recordVersion, long mzxid, long fencingToken, long generationToken) {}

    /**
     * Makes the run of a claim.
     *
     * @param snapshot what the claim was decided from
     * @param item the item's key
     * @param record the record that the claim wrote
     * @param previousFireTime of the run before; null when it is the first
     */
    public ItemRun(
            JobSnapshot snapshot,
            String item,
            ItemRecord record,
            @Nullable Instant previousFireTime,
            Claimed claimed,
            RunSession session) {
        this.snapshot = snapshot;
        this.item = item;
        this.record = record;
        this.claim = record.requireRun();
        this.previousFireTime = previousFireTime;
        this.claimed = claimed;
        this.session = session;
    }

    /** Returns the item's key. */
    public String item() {
        return item;
    }

    /** Returns the claim that it runs. */
    public Run claim() {
        return claim;
    }

    /** Returns whether once-listeners of the job must return before the run starts. */
    public boolean waitsForOnceListeners() {
        return snapshot.onceListeners();
    }

    /** Returns the record that the claim wrote. */
    public ItemRecord record() {
        return record;
    }

    /** Returns the identity of the claim, for events. */
    public Claim identity() {
        Claim made = identity;
        if (made == null) {
            made = record.claim(jobName(), item, claimed.mzxid);
            identity = made;
        }
        return made;
    }

    /**
     * Tells the code to end; if it is given up, its thread is interrupted at once. Only the first reason counts. Code that
     * has returned for good is told nothing: what it did is done.
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

    /** Returns why it was told to end; null if it wasn't. */
    public @Nullable Stop stop() {
        return stop;
    }

    /** Does something when it is told to end or to leave, or at once if it was already. */
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
     * Tells whether its end says nothing of its fire: it was given up, or it failed after it was told that it may have lost
     * its item.
     */
    public boolean gaveUp(RunEnd end) {
        return stop == Stop.GIVEN_UP || ((lost != null || doubted) && end.outcome() == ItemOutcome.FAILED);
    }

    /** Makes {@link #checkOwnership} fail from now on. */
    public void lose(String reason) {
        lost = reason;
    }

    /**
     * Lets a streaming job end after its batch, and one that waits for its next try at once, since another instance is to
     * have the item.
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

    /** Binds the thread of an attempt; returns false if the run has been told to end before. */
    synchronized boolean begin(Thread runner) {
        if (stop != null) {
            return false;
        }
        begun = true;
        thread = runner;
        tasks = null;
        return true;
    }

    /** Code of an attempt. */
    interface Code {
        void run() throws Throwable;
    }

    /**
     * Runs the code of an attempt and waits until its child tasks have ended. Throws the first exception of the code and the
     * tasks.
     *
     * @param children creates the child tasks when the code asks for the first one
     */
    void execute(Code code, Supplier<Children> children) throws Throwable {
        synchronized (this) {
            newTasks = children;
        }
        Throwable thrown = null;
        try {
            code.run();
        } catch (Throwable e) { // users' code
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

    /** Releases the thread, with no interruption left in it. */
    synchronized void returned() {
        thread = null;
        Thread.interrupted();
    }

    /** Returns the pause before the next attempt, after one that failed; empty if the run is not retried. */
    Optional<Duration> pauseBeforeRetry() {
        return Retry.pause(retry(), attempt(), stop != null || lost != null || doubted, claim.nonce());
    }

    /** Another try begins. */
    synchronized void beginAgain() {
        failures++;
    }

    /** Says what the code threw at last, or null if it returned; tells what that comes to. */
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
            return new RunEnd(ItemOutcome.CANCELLED, "a later fire took its place" + afterwards, false);
        }
        return failure == null ? RunEnd.succeeded(idle) : RunEnd.failed(failure);
    }

    /** Takes note that the code doesn't return though it was told to end; returns whether that is so. */
    synchronized boolean abandon() {
        abandoned = thread != null; // one that waits for a thread won't begin any more
        return abandoned;
    }

    /** Takes note whether the process has no thread for it; returns what was noted before. */
    synchronized boolean waitsForThread(boolean now) {
        boolean before = waitsForThread;
        waitsForThread = now;
        return before;
    }

    /** Returns whether it is claimed and the process has no thread for it. */
    public boolean waitsForThread() {
        return waitsForThread;
    }

    /** Tells whether its code was told to end long ago and hasn't returned. */
    public boolean abandoned() {
        return abandoned;
    }

    /**
     * Returns whether a run without a time limit takes too long: for an hour, and past the next fire of its schedule, or for a
     * day where no fire comes before its end. A streaming run never does.
     *
     * @param now by this instance's clock
     */
    public boolean takesTooLong(Instant now) {
        Instant began = claim.startedAt();
        if (began.plus(LONG).isAfter(now)
                || snapshot.configuration().streaming()
                || timeout().isPresent()) {
            return false; // mostly by the first comparison: this is asked at each step of the job
        }
        FireTimes times = snapshot.times();
        Optional<Instant> next = times.patient() ? Optional.empty() : times.next(began);
        return !next.orElse(began.plus(VERY_LONG)).isAfter(now);
    }

    /** Returns where its code is, line by line; an empty text while no code runs. */
    public String whereabouts() {
        Thread runner;
        synchronized (this) {
            runner = thread;
        }
        Children children = tasks;
        return (runner == null ? "" : frames(runner)) + (children == null ? "" : children.whereabouts());
    }

    /** Where a thread is, line by line. */
    static String frames(Thread thread) {
        return Stream.of(thread.getStackTrace())
                .limit(MOST_FRAMES)
                .map(frame -> "\n    at " + frame)
                .collect(Collectors.joining());
    }

    boolean leaving() {
        return leaving;
    }

    /** Whether another instance goes on with its fire if it is given up. */
    boolean mayBeTakenOver() {
        return snapshot.configuration().failover();
    }

    /** How it is tried again. */
    RetryPolicy retry() {
        return snapshot.configuration().retry();
    }

    /** Returns the schedule that it was claimed under, whatever has come into force since. */
    public Schedule schedule() {
        return snapshot.plan().schedule();
    }

    /** How long it may take. */
    Optional<Duration> timeout() {
        return schedule().unbounded() instanceof Schedule.Adaptive adaptive
                ? Optional.of(adaptive.base())
                : snapshot.configuration().timeout();
    }

    /** Returns the {@link io.ostraka.api.JobErrorHandler#type()} that is to be told if it fails. */
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
        return claim.fire().at();
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

    /** Where items have no numbers, one counts as the number that it has in the plan which its claim was checked against. */
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
        return snapshot.configuration().streaming() && stop == null && !leaving && lost == null;
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

    /** Has told on, from now on, how far the run says that it is. */
    void onProgress(Consumer<Progress> next) {
        progressConsumer = next;
    }

    /** Has it written how far the run is. */
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
            lose("its record has passed to another");
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
                        throw new IllegalStateException(this + " can't have tasks: its code does not run");
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
