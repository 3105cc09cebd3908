package io.ostraka.core.execution;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.OwnershipLostException;
import io.ostraka.api.ShardingContext;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.Run;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One run of one item: the context that users' code sees, and the strings by which the engine stops it. Thread-safe. */
public final class ItemRun implements ShardingContext {
    /** The largest checkpoint, in bytes. */
    public static final int MAX_CHECKPOINT_BYTES = 64 << 10;

    private final JobSnapshot snapshot;
    private final String item;
    private final Run claim;
    private final Claimed claimed;
    private final @Nullable Instant previousFireTime;
    private final RunSession session;

    private volatile boolean cancelled;
    private volatile boolean leaving;
    private volatile @Nullable String lost;
    /** Whether the code was told once that its item may be another's. */
    private volatile boolean doubted;

    private @Nullable Thread thread;
    private boolean returned;

    /**
     * What the claim's transaction brought.
     *
     * @param recordVersion version of the item's record since the claim
     * @param fencingToken packed
     * @param generationToken packed
     */
    public record Claimed(int recordVersion, long fencingToken, long generationToken) {}

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

    /**
     * Tells the code to end, and interrupts its thread; what it claimed is not completed by its return. Code that has
     * returned already is told nothing: what it did is done.
     */
    public void cancel() {
        synchronized (this) {
            cancelled |= !returned;
            if (thread != null) {
                thread.interrupt();
            }
        }
    }

    /** Tells whether it was told to end by {@link #cancel}. */
    public boolean wasCancelled() {
        return cancelled;
    }

    /**
     * Tells whether its end says nothing of its fire: it was told to end, or it failed after it was told that it may have
     * lost its item.
     */
    public boolean gaveUp(RunEnd end) {
        return cancelled || ((lost != null || doubted) && end.outcome() == ItemOutcome.FAILED);
    }

    /** Makes {@link #checkOwnership} fail from now on. */
    public void lose(String reason) {
        lost = reason;
    }

    /** Lets a streaming job end after its batch, since another instance is to have the item. */
    public void leave() {
        leaving = true;
    }

    /** Binds the thread that runs it, unless it was cancelled before. */
    synchronized boolean begin(Thread runner) {
        if (cancelled) {
            return false;
        }
        thread = runner;
        return true;
    }

    /** Releases the thread, with no interruption left in it. */
    synchronized void finish() {
        thread = null;
        returned = true;
        Thread.interrupted();
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
        return Integer.parseInt(item);
    }

    @Override
    public int shardingTotalCount() {
        return claim.total();
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
    public int attempt() {
        return claim.attempt();
    }

    @Override
    public String instanceId() {
        return claim.owner();
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
        return cancelled;
    }

    @Override
    public boolean goesOn() {
        return snapshot.configuration().streaming() && !cancelled && !leaving && lost == null;
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
    public String toString() {
        return "job '" + jobName() + "' item " + item + " of fire "
                + claim.fire().at();
    }
}
