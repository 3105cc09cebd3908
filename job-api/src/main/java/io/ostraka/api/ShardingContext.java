package io.ostraka.api;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * The context of one run of one item. Thread-safe; valid until the run returns.
 *
 * <p><b>Fence first.</b> A paused process can wake up after another instance has taken its item over. Only the store that
 * the run writes to can refuse such a late write: pass {@link #fencingToken()} in the same transaction as the effect,
 * and let the store refuse a token smaller than the largest it has seen. Then no late write gets through. Without a
 * fence an item runs at least once, and two runs may overlap while a stopped process wakes up.
 */
public interface ShardingContext {
    /** Returns the job's name. */
    String jobName();

    /** Returns the identity of the fire, which is the same for all its items and all their attempts. */
    String runId();

    /**
     * Returns the logical time of the fire. For a scheduled fire this is the scheduled instant, however late the run
     * starts. For a manual trigger it is the instant, by ZooKeeper's clock, at which the trigger was accepted.
     */
    Instant fireTime();

    /**
     * Returns the logical time of the item's previous fire that ran. Empty if the item has run no fire before, or if
     * this instance took the present fire over from another instance.
     */
    Optional<Instant> previousFireTime();

    /**
     * Returns the number of the item, from 0 to {@link #shardingTotalCount()} - 1. With {@link Scope#BROADCAST} and
     * {@link Scope#ONE_PER_ZONE} it is the position of this instance or zone in the plan by which the run was claimed,
     * ordered by key. See {@link #shardingTotalCount()} for the guarantees.
     */
    int shardingItem();

    /**
     * Returns the item's key, which identifies the item in outcomes, in logs and for operators. The key is the number
     * of the item; with {@link Scope#BROADCAST} the id of the instance; with {@link Scope#ONE_PER_ZONE} the name of the
     * zone.
     *
     * <p>The zone in the key differs from {@link #zone()} if this instance runs an interrupted fire of another zone. In
     * keys of instances and zones, characters other than letters, digits, hyphens and underscores are written as a dot
     * and two hexadecimal digits for each byte of their UTF-8 form. {@code .none} stands for instances without a zone.
     */
    String itemKey();

    /**
     * Returns the number of items that this fire is split into. With {@link Scope#BROADCAST} and {@link
     * Scope#ONE_PER_ZONE} this is the number of instances or zones in the plan by which the run was claimed.
     *
     * <p>With these two scopes, runs of one fire that were claimed by the same plan have the same count and different
     * values of {@link #shardingItem()}. If instances join or leave during a fire, some of its runs may have been
     * claimed by the old plan and others by the new one. Two runs may then process the same share, and another share
     * may be left out. Use {@link Scope#SHARDED} for work that must be complete and must not be done twice.
     */
    int shardingTotalCount();

    /** Returns the parameter configured for this item; empty text if there is none. */
    String shardingItemParameter();

    /** Returns the parameter configured for the job; empty text if there is none. */
    String jobParameter();

    /** Returns the parameters of the manual trigger; empty for a scheduled fire. The map is unmodifiable. */
    Map<String, String> triggerParameters();

    /**
     * Returns the number of this attempt at the fire of the item: 1 for the first, and one more after each retry and
     * each takeover.
     */
    int attempt();

    /** Returns the id of the instance that runs this item: {@code name@pid@session}. */
    String instanceId();

    /** Returns the location of the instance, such as a data centre; empty text if not set. */
    String zone();

    /**
     * Returns the fencing token of the claim. It is positive, and larger than the tokens of all earlier claims of the
     * item on any instance.
     */
    long fencingToken();

    /**
     * Returns a positive number that grows with every change of the job's item count. A store can keep it for each job,
     * in addition to the fencing token of each item, and then also refuse late writes of items that no longer exist.
     */
    long generationToken();

    /**
     * Returns whether this run should end early. Long loops should check this value between two pieces of work. The
     * instance keeps the item until the code has returned.
     *
     * <p>At the end of a shutdown's grace, and at the loss of the session under {@link SessionLossPolicy#INTERRUPT},
     * the engine interrupts the thread at once, and the return of the code does not complete the fire. After the
     * {@linkplain JobConfiguration#timeout() time limit}, and when {@linkplain OverlapPolicy.CancelRunning a later
     * fire} replaces the run, the engine interrupts the thread 100 ms later, and the return of the code completes the
     * fire.
     */
    boolean isCancelled();

    /**
     * Returns whether a run that works in batches should begin another batch. The value is true while {@link
     * JobConfiguration#streaming()} is set, the run is not cancelled and has not lost its item, and the item is not
     * about to move to another instance.
     */
    boolean goesOn();

    /**
     * Reports that this run has found nothing to do. Under a {@link Schedule.Continuous} schedule the item then pauses before its next
     * run; under other schedules the call has no effect. One call is enough for the run.
     */
    void idle();

    /**
     * Returns normally if this run still owns its item, as far as this process knows. The check sends no request: it
     * stops most late work, and the {@linkplain #fencingToken() fencing token} makes the rest harmless.
     *
     * @throws OwnershipLostException if another instance owns the item, or ZooKeeper has not answered for two thirds of
     *     the session timeout
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
     * Returns the latest progress of this fire of the item: the last report of this run or, before its first report, of
     * an earlier attempt. Empty if there is none. Waits for ZooKeeper if this instance took the fire over.
     *
     * @throws CoordinationException if ZooKeeper does not answer within the session timeout
     */
    Optional<Progress> progress();

    /**
     * Returns the item's last saved checkpoint, which this run or an earlier run of the item has saved; empty if there
     * is none. Waits for ZooKeeper.
     *
     * @throws CoordinationException if ZooKeeper does not answer within the session timeout
     */
    Optional<byte[]> checkpoint();

    /**
     * Saves a checkpoint, which later runs of the item can read on any instance. Waits until ZooKeeper has stored it.
     *
     * @param checkpoint at most 64 KiB
     * @throws OwnershipLostException if another instance owns the item; the checkpoint was not saved
     * @throws CoordinationException if ZooKeeper does not answer within the session timeout; the checkpoint may have
     *     been saved
     * @throws IllegalArgumentException if the checkpoint is larger than 64 KiB
     */
    void saveCheckpoint(byte[] checkpoint);

    /**
     * Returns the child tasks of this run: work on other threads, optionally in order for each key or with time limits.
     * The run ends only after its tasks have ended.
     *
     * @throws IllegalStateException if the code of the run has not started or has ended
     */
    Tasks tasks();
}
