package io.ostraka.api;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * The context of one run of one item. Thread-safe; valid until the run returns.
 *
 * <p><b>Fence first.</b> A paused process can wake up after another instance has taken its item over. Only the store that the run
 * writes to can refuse such a late write: pass {@link #fencingToken()} in the same transaction as the effect, and let the store refuse a
 * token smaller than the largest it has seen. Then no late write gets through. Without a fence an item runs at least once, and two runs
 * may overlap while a stopped process wakes up.
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

    /** Returns the parameters of the manual trigger; empty for a scheduled fire. Unmodifiable. */
    Map<String, String> triggerParameters();

    /**
     * Returns the number of this attempt at the fire of the item: 1 for the first, and one more after each retry and each takeover.
     */
    int attempt();

    /** Returns the id of the instance that runs this: {@code name@pid@session}. */
    String instanceId();

    /** Returns where the instance runs, such as a data centre; empty text when that isn't set. */
    String zone();

    /**
     * Returns the fencing token of the claim: larger than the tokens of all earlier claims of the item, on any instance. Positive.
     */
    long fencingToken();

    /**
     * Returns a number that grows with every change of the job's item count. A store that keeps it per job beside the
     * fencing token per item can also refuse a late writer of an item that no longer exists. Positive.
     */
    long generationToken();

    /**
     * Returns whether this run should end early. Long loops check it between two pieces of work. The instance keeps the item until the
     * code has returned.
     *
     * <p>At the end of a shutdown's grace, and at the loss of the session under {@link SessionLossPolicy#INTERRUPT}, the engine
     * interrupts the thread at once, and the return of the code does not complete the fire. After the {@linkplain
     * JobConfiguration#timeout() time limit}, and when {@linkplain OverlapPolicy.CancelRunning a later fire} takes over, the engine
     * interrupts the thread 100 ms later, and the return of the code completes the fire.
     */
    boolean isCancelled();

    /**
     * Returns whether a run that works in batches should begin another batch: {@link JobConfiguration#streaming()} is set, and the run
     * is not cancelled, has not lost its item, and the item does not move to another instance.
     */
    boolean goesOn();

    /**
     * Reports that this run has found nothing to do. Under a {@link Schedule.Continuous} schedule the item then pauses before its next
     * run; under other schedules the call has no effect. One call is enough for the run.
     */
    void idle();

    /**
     * Returns normally while this run still owns its item, as far as this process knows. The check asks no server: it stops most late
     * work, and the {@linkplain #fencingToken() fencing token} makes the rest harmless.
     *
     * @throws OwnershipLostException if another instance has the item, or ZooKeeper has not answered for two thirds of the session
     *     timeout
     */
    void checkOwnership();

    /**
     * Reports the progress of this run. Operators and the next owner of the item can read it until a run of a later fire reports
     * progress. Returns at once: the engine writes the latest report in the background, at most every two seconds and at the end of the
     * run. A report may be lost if ZooKeeper does not answer, or if the very first run of an item ends at once.
     *
     * @param done amount of work done, in units of the job's choice; 0 or more
     * @param total amount of work altogether, in the same units; 0 if unknown
     * @param message text for people, cut after 500 characters; must not contain secrets
     * @throws IllegalArgumentException if a number is negative
     */
    void progress(long done, long total, String message);

    /**
     * Returns the latest progress of this fire of the item, reported by this run or, before its first report, by an earlier attempt;
     * empty if there is none. Waits for ZooKeeper if this instance took the fire over.
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
     * @throws OwnershipLostException if another instance has the item; nothing was saved
     * @throws CoordinationException when ZooKeeper does not answer within the session timeout; it may have been saved
     * @throws IllegalArgumentException when it is larger than 64 KiB
     */
    void saveCheckpoint(byte[] checkpoint);

    /**
     * Returns the child tasks of this run: work beside the run's code, in order under keys or with time limits. The end of the run
     * waits for its tasks.
     *
     * @throws IllegalStateException if the run's code does not run
     */
    Tasks tasks();
}
