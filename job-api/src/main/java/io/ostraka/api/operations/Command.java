package io.ostraka.api.operations;

import io.ostraka.api.AlarmKind;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A command of an operator, for {@link Operations#execute}. Each type has one entry in {@link Operation}. Commands are
 * immutable values; {@code execute} checks them.
 *
 * <p>Some commands have an {@code until}. The leader undoes the change of such a command when ZooKeeper's clock has
 * reached that time. If {@code until} is null, the change stays until another command ends it.
 */
public sealed interface Command {
    /** A command for one job. */
    sealed interface OfJob extends Command {
        /** Returns the name of the job. */
        String job();
    }

    /**
     * Pauses a job on all instances: no scheduled fire starts. Running items continue, and manual triggers still run.
     *
     * @param until end of the pause; null for no end
     */
    record Pause(String job, @Nullable Instant until) implements OfJob {
        /** Pauses a job until it is resumed. */
        public Pause(String job) {
            this(job, null);
        }
    }

    /**
     * Ends a pause that an operator or the job's definition has set. If {@code catchUp} is true, the latest fire that
     * became due during the pause runs, provided that it is younger than the misfire threshold. The job's misfire
     * policy decides which of the other fires run.
     *
     * @param catchUp false to skip all fires that became due before the command, even if the job is not paused. In the
     *     same write, the command then skips all fires up to ZooKeeper's current time, as {@link SkipFires} does.
     *     Schedules that {@link SkipFires} does not accept have no missed fires, so for them the command only ends the
     *     pause
     */
    record Resume(String job, boolean catchUp) implements OfJob {
        /** Ends a pause. The misfire policy decides about the missed fires. */
        public Resume(String job) {
            this(job, true);
        }
    }

    /**
     * Skips all scheduled fires of a job before a given time: no item starts them. Accepted only for cron, fixed-rate
     * and once schedules. Fires that have begun continue, and failover still applies to them. Triggers are not
     * affected. When an item starts its next fire, its record, its events and the metrics report the skipped fires with
     * the reason {@code SKIPPED_BY_OPERATOR}. Skipped fires cannot be restored: a later command can only name a later
     * time.
     *
     * @param to the first time at which fires start again; a fire at exactly this time starts. It may be in the past,
     *     to skip fires that were missed, or at most 366 days in the future
     */
    record SkipFires(String job, Instant to) implements OfJob {}

    /**
     * Replaces fields of a job's definition on all instances, from now on. The command accepts all fields of {@link
     * io.ostraka.api.JobConfiguration#fields()} except {@code jobName}, {@code scope}, {@code pauseReason}, {@code
     * streaming} and {@code revision}. It can raise {@code fenceEpoch} by one, but not lower it.
     *
     * @param fields new values by field name, each of the field's Java type; at least one. A null value means that the
     *     field has no value; only fields whose default is null accept it
     * @param until end of these overrides; null for no end
     */
    record SetOverride(String job, Map<String, @Nullable Object> fields, @Nullable Instant until) implements OfJob {
        /** Copies the fields. */
        public SetOverride {
            fields = Collections.unmodifiableMap(new TreeMap<>(fields));
        }

        /** Replaces one field until the override is removed. */
        public SetOverride(String job, String field, @Nullable Object value) {
            this(job, Collections.singletonMap(field, value), null);
        }
    }

    /**
     * Removes overrides, so that the definition's values apply again. A field without an override is accepted.
     *
     * @param fields names of the fields; empty for all overridden fields, including a pause
     */
    record RemoveOverride(String job, Set<String> fields) implements OfJob {
        /** Copies the names. */
        public RemoveOverride {
            fields = Collections.unmodifiableSet(new TreeSet<>(fields));
        }
    }

    /**
     * Disables an item: no fire of the item starts. A fire that already runs continues, but does not run again if it is
     * interrupted. In manual triggers the outcome of the item is {@code SKIPPED}.
     *
     * @param item the {@link io.ostraka.api.ShardingContext#itemKey()}
     */
    record DisableItem(String job, String item) implements OfJob {}

    /**
     * Enables a disabled item. Fires that became due in the meantime are handled like fires that became due during a
     * pause; see {@link Resume}.
     */
    record EnableItem(String job, String item) implements OfJob {}

    /**
     * Excludes an instance from a job. The job's idle items move from this instance to other instances at once; running
     * items finish first. If no other instance is eligible for an item, the item waits.
     *
     * @param instance the name of an instance, which also covers its restarts; the id of an instance, {@code
     *     name@pid@session}, which covers all sessions of that process; or the name of a host, which covers all
     *     instances on the host. A matching instance need not exist now
     */
    record DisableInstance(String job, String instance) implements OfJob {}

    /**
     * Ends the exclusion of an instance.
     *
     * @param instance the same name, id or host as in {@link DisableInstance}
     */
    record EnableInstance(String job, String instance) implements OfJob {}

    /**
     * Silences alarms of a job: no handler receives their beginning or their end. The alarms are still visible in
     * {@link Operations#alarms}. If an alarm still lasts when the silence ends, its beginning is delivered at that
     * time. If a handler received the beginning of an alarm before the silence, the end of this alarm is delivered in
     * any case. The command replaces an earlier silence of the job.
     *
     * @param kinds kinds to silence; empty for all kinds
     * @param until end of the silence; null for no end
     */
    record SilenceAlarms(String job, Set<AlarmKind> kinds, @Nullable Instant until) implements OfJob {
        /** Copies the kinds. */
        public SilenceAlarms {
            kinds = Collections.unmodifiableSet(new TreeSet<>(kinds));
        }
    }

    /** Ends the silence of a job's alarms. */
    record UnsilenceAlarms(String job) implements OfJob {}

    /**
     * Releases a quarantined item, so that its fires start again. Fires that became due during the quarantine are
     * handled like fires that became due during a pause; see {@link Resume}. The item's record keeps the actor, the
     * reason and the request id until the next release; {@link ItemDetails#changes} shows the actor and the reason.
     *
     * @param item the {@link io.ostraka.api.ShardingContext#itemKey()}
     */
    record ReleaseItem(String job, String item) implements OfJob {}

    /**
     * Sets the cursor of an item back to ZooKeeper's current time, so that its fires start again. The command is
     * accepted only if the item is idle and its cursor ({@link ItemDetails#decidedUpTo}) is more than 10 seconds in the
     * future, which is the result of a wrong clock. Fires up to the current time do not run again. If the item's latest
     * run was for a fire that is still in the future, this fire does not run again, unless the item count changes.
     * Earlier fires that the item ran ahead of their time do run again, because the record does not show them.
     *
     * @param item the {@link io.ostraka.api.ShardingContext#itemKey()}
     */
    record SetBackCursor(String job, String item) implements OfJob {}

    /**
     * Runs items of a job once, in addition to the schedule. The id of the run is the request id of the command.
     *
     * @param items keys of the items to run; empty for all
     * @param parameters parameters that every item receives; at most 16 Ki characters in total
     * @param delay time until the run, counted from the moment at which ZooKeeper stores the command; at most 36500
     *     days, or zero to run now
     */
    record Trigger(String job, Set<String> items, Map<String, String> parameters, Duration delay) implements OfJob {
        /** Copies the collections. */
        public Trigger {
            items = Collections.unmodifiableSet(new TreeSet<>(items));
            parameters = Collections.unmodifiableMap(new TreeMap<>(parameters));
        }

        /** Runs all items now, without parameters. */
        public Trigger(String job) {
            this(job, Set.of(), Map.of(), Duration.ZERO);
        }
    }

    /**
     * Cancels a delayed trigger, so that its run never starts. Callers that wait for the run receive the actor and the
     * reason.
     *
     * <p>When a trigger has ended, a later trigger can use the same key. If you repeat the command after {@link
     * CommandResult.Unknown}, use the run id: with the key, the command could cancel the later trigger.
     *
     * @param runId the run id of the delayed trigger, or the key under which the application requested it
     */
    record CancelTrigger(String job, String runId) implements OfJob {}

    /**
     * Runs items of a fire again, as a new run with the original fire time and the parameters of the fire's trigger. The
     * original fire and the schedule are not affected. The id of the new run is the request id of the command. The
     * command is refused if an item is quarantined, or if the item count has changed since the fire, because the items
     * then represent different work. It is also refused if the parameters are too long for the item's record, unless
     * the command gives all of them.
     *
     * @param runId the {@link io.ostraka.api.ShardingContext#runId()} of the fire; the latest run of each requested
     *     item must belong to this fire, unless the operations have a history that contains the fire
     * @param items keys of the items; empty for all items that failed, timed out or crashed in the fire
     * @param parameters parameters to change or to add; the run repeats the other parameters of the fire. At most 16 Ki
     *     characters in total, with the repeated ones
     */
    record RerunItems(String job, String runId, Set<String> items, Map<String, String> parameters) implements OfJob {
        /** Copies the collections. */
        public RerunItems {
            items = Collections.unmodifiableSet(new TreeSet<>(items));
            parameters = Collections.unmodifiableMap(new TreeMap<>(parameters));
        }

        /** Runs items again with the same parameters. */
        public RerunItems(String job, String runId, Set<String> items) {
            this(job, runId, items, Map.of());
        }
    }

    /**
     * Stops a fire: every connected instance cancels its runs of the fire. In these runs {@link
     * io.ostraka.api.ShardingContext#isCancelled()} then returns true, and the engine interrupts their threads a moment
     * later. The outcome of these items is {@code CANCELLED}. Items that have not begun the fire skip it. The stop
     * stays in effect if an item moves to another instance. If the code of a run ignores the cancellation and the
     * interruption, it continues, and the health of the job reports the item. If the fire has ended, the command
     * changes nothing. If no node in ZooKeeper contains the run id, the command is refused.
     *
     * @param item the {@link io.ostraka.api.ShardingContext#itemKey()} of the item to stop; null for all items of the
     *     fire
     * @param runId the {@link io.ostraka.api.ShardingContext#runId()} of the fire
     */
    record StopFire(String job, @Nullable String item, String runId) implements OfJob {}

    /**
     * Runs the past fires of a period again, oldest first, in addition to the schedule. The current schedule determines
     * these fires, at most 10,000. It must be a cron expression or a fixed rate. For each fire, all items run, with the
     * time of the past fire as their {@link io.ostraka.api.ShardingContext#fireTime()}. Each item runs the fires in the
     * order of these times. The leader triggers the fires and stores the progress in ZooKeeper, so a backfill continues
     * if a process ends. {@link Operations#backfills} shows the progress. The backfill continues while the job is
     * paused, but not while the namespace is frozen. A job has at most one unfinished backfill.
     *
     * @param from start of the period, which is included
     * @param to end of the period, which is not included; not after now
     * @param parameters parameters that every item receives; at most 16 Ki characters in total
     * @param parallel number of fires that may run at the same time, 1 to 16. With 1, each fire begins after all items
     *     of the previous fire have ended
     * @param maxFailures number of failed fires, 1 to 10,000, after which the backfill fails. A fire has failed if an
     *     item did not succeed, or did not run because it was disabled or quarantined
     */
    record Backfill(String job, Instant from, Instant to, Map<String, String> parameters, int parallel, int maxFailures)
            implements OfJob {
        /** Copies the parameters. */
        public Backfill {
            Objects.requireNonNull(from, "from");
            Objects.requireNonNull(to, "to");
            parameters = Collections.unmodifiableMap(new TreeMap<>(parameters));
        }

        /** Runs one fire at a time, without parameters, and stops after the first failed fire. */
        public Backfill(String job, Instant from, Instant to) {
            this(job, from, to, Map.of(), 1, 1);
        }
    }

    /** Stops the backfill of a job: the leader triggers no further fire of the backfill. Running fires end normally. */
    record StopBackfill(String job) implements OfJob {}

    /**
     * Continues the stopped or failed backfill of a job, starting with the first fire that was not triggered. The count
     * of failed fires for {@code maxFailures} starts at zero again. Failed fires do not run again; {@link RerunItems}
     * runs their items again.
     */
    record ResumeBackfill(String job) implements OfJob {}

    /**
     * Removes a job: no further fire of the job starts, interrupted fires do not run again, and waiting triggers end
     * without a run. Running items finish. ZooKeeper keeps a mark of the removal, so that instances that still host the
     * job do not register it again. A new registration of the job, for example at a restart, brings it back.
     */
    record Remove(String job) implements OfJob {}

    /**
     * Deletes all nodes of a removed job, including the mark of the removal; only the node of the job's latest backfill
     * stays. The command is refused until all runs of the job have ended and no instance hosts the job. Only the log
     * and {@link io.ostraka.api.event.JobPurged} name the actor and the reason, because no node remains that could
     * store them.
     *
     * <p>{@link CommandOptions#expectedVersion} is compared with {@link JobDetails#version}. After an unknown outcome,
     * repeat the command to continue the purge. The command is refused if the job has no nodes, because a purged job
     * looks like a job that never existed. The command is also refused if the job has been registered again.
     */
    record Purge(String job) implements OfJob {}

    /**
     * Freezes the namespace: no item of any job starts on any instance, neither for a scheduled fire nor for a trigger.
     * Jobs that are registered later are included. Running items continue; interrupted items wait. An item whose claim
     * is already under way may still start.
     *
     * @param until end of the freeze; null for no end
     */
    record Freeze(@Nullable Instant until) implements Command {}

    /**
     * Ends a freeze. Fires that became due in the meantime are handled like fires that became due during a pause; see
     * {@link Resume}.
     */
    record Thaw() implements Command {}

    /**
     * Drains instances: idle items move to other instances at once, running items finish first, and the instances get
     * no items until {@link UndrainInstance}. A drained instance does not lead.
     *
     * @param instance name of an instance, which also covers its restarts; id of an instance, {@code name@pid@session},
     *     which covers all sessions of that process; or the name of a host. A matching instance need not exist now
     * @param until end of the drain; null for no end
     */
    record DrainInstance(String instance, @Nullable Instant until) implements Command {}

    /**
     * Ends a drain that {@link DrainInstance} has begun.
     *
     * @param instance the same name, id or host as in {@link DrainInstance}
     */
    record UndrainInstance(String instance) implements Command {}

    /**
     * Ends the session of an instance that makes no progress although its process still runs, so that its items fail
     * over. The process opens a new session and takes items again when it makes progress again.
     *
     * @param instance id of a registered instance, {@code name@pid@session}; or the name or the host of exactly one
     *     registered instance. A repeated command with a name ends the session that then has this name
     */
    record EvictInstance(String instance) implements Command {}

    /**
     * Restores the settings of an exported document: overrides, pauses, skipped fires, disabled items and instances,
     * removals, the freeze of the namespace and drained instances. The time of {@link SkipFires} never decreases, and
     * the freeze that ends later applies. Settings of jobs that are missing from the document stay unchanged, and so do
     * fields that this version does not know. Jobs need not be registered, so the settings can be restored into an
     * empty ensemble before the first instance starts. If one of the nodes is unreadable, no node is changed.
     *
     * @param document a document that {@link Operations#export} has returned
     */
    record Apply(String document) implements Command {}
}
