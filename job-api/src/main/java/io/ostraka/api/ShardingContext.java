package io.ostraka.api;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Context of one run of one item: its identity, its parameters and its state. Thread-safe; valid until the run ends.
 *
 * <p><b>Use the fencing token.</b> A process that was paused, for example by its garbage collector, can resume after
 * another instance has taken over its item. Only the store to which the run writes can refuse the late write of such a
 * process. To make this possible, write {@link #fencingToken()} in the same transaction as the data, and let the store
 * refuse a token that is smaller than the largest token it has seen. Without this check, an item runs at least once,
 * and the runs of two instances may overlap.
 */
public interface ShardingContext {
    /** Returns the job's name. */
    String jobName();

    /** Returns the identity of the fire. All items of the fire and all their attempts have the same value. */
    String runId();

    /**
     * Returns the logical time of the fire. For a scheduled fire this is the scheduled instant, even if the run starts
     * late. For a manual trigger this is the time at which ZooKeeper accepted the trigger, by ZooKeeper's clock, unless
     * the trigger contains a time: a run that repeats an earlier fire has the time of that fire.
     */
    Instant fireTime();

    /**
     * Returns the logical time of the last fire of this item that ran before the current fire. Empty if there is none,
     * if this instance has taken over the current fire from another instance, or if one of the two fires belongs to a
     * manual trigger that contains a time.
     */
    Optional<Instant> previousFireTime();

    /**
     * Returns the number of the item, from 0 to {@link #shardingTotalCount()} - 1. With {@link Scope#BROADCAST} and
     * {@link Scope#ONE_PER_ZONE}, the number is the position of this item's key in the sorted list of the job's item
     * keys. The keys are those of the plan (the assignment of items to instances) under which the run was claimed.
     * {@link #shardingTotalCount()} describes the guarantees of these two scopes.
     */
    int shardingItem();

    /**
     * Returns the item's key, which identifies the item in outcomes, in logs and for operators. The key is the number
     * of the item. With {@link Scope#BROADCAST} it is the id of the instance instead, and with {@link
     * Scope#ONE_PER_ZONE} the name of the zone.
     *
     * <p>The zone in the key differs from {@link #zone()} if this instance runs an interrupted fire of another zone. A
     * key contains only letters, digits, hyphens, underscores and dots. Any other character in the id or zone is
     * encoded: each of its UTF-8 bytes becomes a dot and two hexadecimal digits. The key {@code .none} belongs to
     * instances without a zone.
     */
    String itemKey();

    /**
     * Returns the number of items that this fire is split into. With {@link Scope#BROADCAST} and {@link
     * Scope#ONE_PER_ZONE}, this is the number of instances or zones in the plan under which the run was claimed.
     *
     * <p>With these two scopes, runs of one fire that were claimed under the same plan have the same count and
     * different values of {@link #shardingItem()}. If instances join or leave during a fire, some of its runs may have
     * been claimed under the old plan and others under the new plan. In that case two runs may have the same number,
     * and another number may be missing. If every share of the work must be processed exactly once, use {@link
     * Scope#SHARDED}.
     */
    int shardingTotalCount();

    /** Returns the parameter configured for this item; empty text if there is none. */
    String shardingItemParameter();

    /** Returns the parameter configured for the job; empty text if there is none. */
    String jobParameter();

    /** Returns the parameters of the manual trigger; empty for a scheduled fire. The map is unmodifiable. */
    Map<String, String> triggerParameters();

    /**
     * Returns the number of the current attempt at this fire of the item: 1 for the first attempt. Each retry and each
     * takeover by another instance increases the number by one.
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
     * Returns a positive number that grows with every change of the job's item count. A store can keep the largest
     * number for each job, in addition to the largest fencing token for each item. It can then also refuse late writes
     * of items that no longer exist.
     */
    long generationToken();

    /**
     * Returns whether this run should end early. Long loops should check this value in each iteration. The instance
     * keeps the item until the code has returned.
     *
     * <p>The engine also interrupts the run's thread. It interrupts the thread at once in two cases: when the
     * {@linkplain JobConfiguration#shutdownGrace() shutdown grace} is almost over, and when the session is lost under
     * {@link SessionLossPolicy#INTERRUPT}. In these two cases the fire is not completed when the code returns, so
     * another instance can run it again. A run should also end early when it has exceeded its {@linkplain
     * JobConfiguration#timeout() time limit}, when {@linkplain OverlapPolicy.CancelRunning a later fire} replaces it,
     * and when an operator stops the fire. In these three cases the engine interrupts the thread after 100 ms, and the
     * fire is completed when the code returns.
     */
    boolean isCancelled();

    /**
     * Returns whether a run that works in batches should begin another batch. Returns true only if {@link
     * JobConfiguration#streaming()} is set, the run was not cancelled, this instance still owns the item, the item is
     * not about to move to another instance, and nothing would keep the item's next fire from starting. For example, a
     * pause, a disabled item, a freeze, a change of the item count and a removal keep it from starting; a pause does
     * not concern manual triggers. The answer comes from memory and costs no request.
     */
    boolean goesOn();

    /**
     * Reports that this run has found no work. With a {@link Schedule.Continuous} schedule the item then pauses before
     * its next run; with other schedules the call has no effect. Further calls in the same run have no effect either.
     */
    void idle();

    /**
     * Throws an exception if this run has lost its item, or may have lost it. The check uses only information that this
     * process already has and sends no request. It therefore prevents most late work, but not all: only the {@linkplain
     * #fencingToken() fencing token} protects against the rest.
     *
     * @throws OwnershipLostException if another instance owns the item, or ZooKeeper has not answered for two thirds of
     *     the session timeout
     */
    void checkOwnership();

    /**
     * Reports the progress of this run. Operators and the next owner of the item can read the report until a run of a
     * later fire reports its own progress. This method returns at once. The engine writes the latest report to
     * ZooKeeper in the background, at most every two seconds and at the end of the run. A report may be lost if
     * ZooKeeper does not answer, or if the very first run of an item ends at once.
     *
     * @param done amount of work done, in units of the job's choice; 0 or more
     * @param total total amount of work, in the same units; 0 if unknown
     * @param message description for people, cut after 500 characters; must not contain secrets
     * @throws IllegalArgumentException if a number is negative
     */
    void progress(long done, long total, String message);

    /**
     * Returns the latest progress report for this fire of the item. Before the first report of this run, this is the
     * last report of an earlier attempt, if there is one. Empty if there is no report. If this instance took over the
     * fire from another instance, the method reads the report from ZooKeeper and waits for the answer.
     *
     * @throws CoordinationException if ZooKeeper does not answer within the session timeout
     */
    Optional<Progress> progress();

    /**
     * Returns the checkpoint that this run or an earlier run of the item saved last; empty if there is none. Reads it
     * from ZooKeeper and waits for the answer.
     *
     * @throws CoordinationException if ZooKeeper does not answer within the session timeout
     */
    Optional<byte[]> checkpoint();

    /**
     * Saves a checkpoint, which later runs of the item can read on any instance. Waits until ZooKeeper has stored the
     * checkpoint.
     *
     * @param checkpoint at most 64 KiB
     * @throws OwnershipLostException if another instance owns the item; the checkpoint was not saved
     * @throws CoordinationException if ZooKeeper does not answer within the session timeout; the checkpoint may have
     *     been saved
     * @throws IllegalArgumentException if the checkpoint is larger than 64 KiB
     */
    void saveCheckpoint(byte[] checkpoint);

    /**
     * Returns the object with which this run submits child tasks: work on other threads, optionally in order for each
     * key or with time limits. The run ends only after its tasks have ended.
     *
     * @throws IllegalStateException if the code of the run has not started or has ended
     */
    Tasks tasks();
}
