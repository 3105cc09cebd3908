package io.ostraka.api;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * What one run of one item is told, and what it may ask. Thread-safe; valid until the run returns.
 *
 * <p><b>Fence first.</b> A process that was paused can wake up after its item has passed to another. Only the store that
 * the run writes to can refuse such a late write: give it {@link #fencingToken()} in the same transaction as the
 * effect, before the first one, and let it refuse a token smaller than one it has seen. With that, no late write gets
 * through. Without it an item runs at least once, and two runs may overlap while a stopped process wakes up.
 */
public interface ShardingContext {
    /** Returns the job's name. */
    String jobName();

    /** Returns the identity of this fire of the job: the same for all its items and all their attempts. */
    String runId();

    /**
     * Returns the logical time of this fire: the instant at which it was scheduled, however late it runs; of a manual
     * trigger the instant, by ZooKeeper's clock, at which it was accepted.
     */
    Instant fireTime();

    /**
     * Returns the logical time of the fire that this item ran last before this one; empty when it has run none, or when
     * this one was taken over from another instance.
     */
    Optional<Instant> previousFireTime();

    /**
     * Returns the item, from 0 to {@link #shardingTotalCount()} - 1. With {@link Scope#BROADCAST} and {@link
     * Scope#ONE_PER_ZONE} it is the number that this instance, or zone, has among those of the plan by which the run was
     * claimed, in the order of their keys; see {@link #shardingTotalCount()} for what that promises.
     */
    int shardingItem();

    /**
     * Returns the item's key, by which outcomes, logs and operators name it: its number; with {@link Scope#BROADCAST} the id
     * of the instance; with {@link Scope#ONE_PER_ZONE} the zone's name, which is not that of {@link #zone()} where what the
     * zone's last instance left unfinished is run elsewhere. In it characters other than letters, digits, hyphen and
     * underscore stand as a dot and two hexadecimal digits for each byte of their UTF-8, {@code .none} for no zone.
     */
    String itemKey();

    /**
     * Returns how many items this fire of the job is split into. With {@link Scope#BROADCAST} and {@link Scope#ONE_PER_ZONE}
     * these are the instances, or zones, of the plan by which the run was claimed: so runs of one fire that were claimed by the
     * same plan agree about it, and each has a {@link #shardingItem()} of its own. Where instances come or go during a fire,
     * some of its runs may have been claimed by the plan before and others by the plan after: then two may do the same share
     * and none another. What must be done exactly once belongs to {@link Scope#SHARDED}.
     */
    int shardingTotalCount();

    /** Returns the parameter configured for this item; empty text when there is none. */
    String shardingItemParameter();

    /** Returns the parameter configured for the job; empty text when there is none. */
    String jobParameter();

    /** Returns what the manual trigger was given; empty for a scheduled fire. Unmodifiable. */
    Map<String, String> triggerParameters();

    /**
     * Returns which attempt at this fire of the item this is: 1, and one more each time that it was tried again or taken
     * over.
     */
    int attempt();

    /** Returns the id of the instance that runs this: {@code name@pid@session}. */
    String instanceId();

    /** Returns where the instance runs, such as a data centre; empty text when that isn't set. */
    String zone();

    /**
     * Returns a number that only grows for an item of a job, whoever owns it: every claim has a larger one than all
     * claims of the item before it. Positive.
     */
    long fencingToken();

    /**
     * Returns a number that grows with every change of the job's item count. A store that keeps it per job beside the
     * fencing token per item can also refuse a late writer of an item that no longer exists. Positive.
     */
    long generationToken();

    /**
     * Tells whether this run should end early. Long loops ask it between two pieces of work. The grace of a shutdown may be
     * over, or the session lost while {@link SessionLossPolicy#INTERRUPT} holds: the thread is interrupted at the same time,
     * and what the run claimed is not completed by its return. Or its {@linkplain JobConfiguration#timeout() time limit} is
     * over, or {@linkplain OverlapPolicy.CancelRunning a later fire} takes its place: the thread is interrupted 100 ms
     * later, and the run's return completes its fire. The item is kept until the code has really returned.
     */
    boolean isCancelled();

    /**
     * Tells whether a run that works in batches should begin another one: {@link JobConfiguration#streaming()} is set, and
     * the item is neither cancelled, lost, nor to move to another instance. A {@link DataflowJob} is asked for its next
     * batch by it; code of a type of one's own may do the same.
     */
    boolean goesOn();

    /**
     * Says that this run has found nothing to do, so that a {@link Schedule.Continuous} job pauses before the item's next
     * pass; of no effect under other schedules. Said once, it holds for the run.
     */
    void idle();

    /**
     * Returns normally while this run, as far as this process can know, still owns its item. It asks no server: it is a
     * hint that stops most late work; the {@linkplain #fencingToken() token} is what makes the rest harmless.
     *
     * @throws OwnershipLostException when the item belongs to someone else, or ZooKeeper has not answered for two thirds
     *     of the session timeout
     */
    void checkOwnership();

    /**
     * Says how far this run is. It is kept with the item, where people see it and whoever takes the item over, until a later
     * fire's run says something. Waits for nothing: it is written in the background, at most every two seconds, the latest
     * that was said; a run's end writes what has not been written yet. It may be lost
     * where ZooKeeper doesn't answer, or where an item's very first run is over at once.
     *
     * @param done how much is done, in whatever the job counts; 0 or more
     * @param total how much there is to do, in the same; 0 where that isn't known
     * @param message where it is, for people; at most 500 characters, what is longer is cut. No place for secrets
     * @throws IllegalArgumentException when a number is negative
     */
    void progress(long done, long total, String message);

    /**
     * Returns how far this fire of the item is, as this run has said last or, as long as it has said nothing, as an earlier
     * attempt at the fire has; empty when none has. Waits for ZooKeeper where the fire was taken over.
     *
     * @throws CoordinationException when ZooKeeper does not answer within the session timeout
     */
    Optional<Progress> progress();

    /**
     * Returns the checkpoint saved last for this item, by this run or an earlier owner of it. Waits for ZooKeeper.
     *
     * @throws CoordinationException when ZooKeeper does not answer within the session timeout
     */
    Optional<byte[]> checkpoint();

    /**
     * Saves a checkpoint that stays with the item and is given to its next owner. Waits until ZooKeeper has it.
     *
     * @param checkpoint at most 64 KiB
     * @throws OwnershipLostException when the item belongs to someone else; nothing was saved
     * @throws CoordinationException when ZooKeeper does not answer within the session timeout; it may have been saved
     * @throws IllegalArgumentException when it is larger than 64 KiB
     */
    void saveCheckpoint(byte[] checkpoint);

    /**
     * Returns this run's child tasks: work that runs beside the run's code, in order under keys or with time limits, and
     * that the run's end waits for.
     *
     * @throws IllegalStateException when the run's code has not begun
     */
    Tasks tasks();
}
