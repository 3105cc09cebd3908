package io.ostraka.api;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Health of a job in one instance: the reasons why the job does not run, or has not run, as configured. Immutable.
 *
 * @param job name of the job
 * @param hosted true if this instance hosts the job: its process has registered the job and can run its items. False if
 *     this instance does not host the job, but reports it as the leader, because it cannot plan the job as configured
 * @param reasons reasons why the job does not run, or has not run, as configured, most severe first; empty if there are
 *     none. Unmodifiable
 */
public record JobHealth(String job, boolean hosted, List<Reason> reasons) {
    /** Copies the reasons and sorts them, most severe first. */
    public JobHealth {
        reasons = reasons.stream()
                .sorted(Comparator.comparing((Reason reason) -> reason.kind().status())
                        .reversed()
                        .thenComparing(Reason::kind))
                .toList();
    }

    /** Returns the status of the most severe reason; {@link Status#RUNNING} if there is no reason. */
    public Status status() {
        return reasons.isEmpty() ? Status.RUNNING : reasons.get(0).kind().status();
    }

    /** Returns the reason of the given kind; empty if the job has no such reason. */
    public Optional<Reason> reason(Kind kind) {
        return reasons.stream().filter(reason -> reason.kind == kind).findFirst();
    }

    /** Degree to which a job runs as configured. */
    public enum Status {
        /** The job runs as configured. */
        RUNNING,
        /** The job runs only in part, or with an older configuration. */
        LIMITED,
        /** No scheduled fire of the job starts on this instance. */
        STOPPED
    }

    /**
     * A reason why a job does not run as configured.
     *
     * @param kind kind of the reason
     * @param text description for people; names the affected items or nodes and the required action
     * @param since time at which this instance first saw the reason, by this instance's estimate of ZooKeeper's clock
     */
    public record Reason(Kind kind, String text, Instant since) {}

    /**
     * Kinds of reasons why a job does not run as configured. The text of a reason names the items or nodes that the
     * descriptions below refer to.
     */
    public enum Kind {
        /** The job's definition is not stored in ZooKeeper yet. The engine retries until it is. */
        NOT_REGISTERED(Status.STOPPED, false),
        /** This instance has no connection to ZooKeeper. Running items continue; no new item starts. */
        DISCONNECTED(Status.STOPPED, false),
        /** A step of the engine failed because of a defect in this library. The engine retries. */
        DEFECT(Status.STOPPED, true),
        /** ZooKeeper refuses writes for the job, because of access rights or the size of a request. */
        REFUSED(Status.STOPPED, true),
        /** The job has no plan yet, its plan is unreadable, or no instance is eligible for its items. */
        NO_PLAN(Status.STOPPED, false),
        /**
         * No live instance has hosted the job for a minute, although the job was not removed. Only the leader reports
         * this reason.
         */
        NO_HOST(Status.STOPPED, true),
        /** An operator has removed the job. */
        REMOVED(Status.STOPPED, false),
        /** The job is being closed in this instance. */
        CLOSING(Status.STOPPED, false),
        /** An operator has paused the job, or it was registered as paused. Manual triggers still run. */
        PAUSED(Status.STOPPED, false),
        /**
         * An operator has frozen the namespace: no scheduled fire, manual trigger or takeover starts on any instance.
         * Running items continue. The text names the operator, the operator's reason and the end of the freeze.
         */
        FROZEN(Status.STOPPED, false),
        /**
         * This instance is drained, by its application or by an operator: it gets no items, and its running items
         * finish. If an operator has drained the instance, the text names the operator, the operator's reason and the
         * end of the drain.
         */
        DRAINED(Status.STOPPED, false),
        /** The item count is changing. No new fire starts until all fires that began with the old count have ended. */
        ITEM_COUNT_CHANGING(Status.STOPPED, false),
        /**
         * The clock of this machine is more than 10 s ahead of ZooKeeper's clock. No scheduled fire starts here until
         * the clock is set.
         */
        CLOCK_AHEAD(Status.STOPPED, true),
        /**
         * The leader failed to plan the job because of a defect in this library. The current plan stays in effect, and
         * the leader retries.
         */
        PLANNING_DEFECT(Status.LIMITED, true),
        /** The content of one of the job's znodes is unreadable. The content that was read before stays in effect. */
        UNREADABLE(Status.LIMITED, true),
        /**
         * This instance cannot read one of the job's manual triggers, for example because a newer version of this
         * library wrote it. Later manual triggers of the job wait on this instance until the unreadable trigger has
         * ended or the leader has deleted it.
         */
        UNREADABLE_TRIGGER(Status.LIMITED, true),
        /**
         * The definition together with an operator's override is not a valid configuration. The last valid
         * configuration stays in effect.
         */
        CONFIGURATION_REFUSED(Status.LIMITED, true),
        /**
         * The schedule had no fire left when it took effect, for example a cron expression whose only year had passed,
         * or a one-time schedule whose fire the misfire policy skips. The job runs only when it is triggered. A
         * schedule that has ended since then is no reason.
         */
        NO_FIRES(Status.LIMITED, true),
        /**
         * The job's current definition was registered by another instance and differs from the definition of this
         * instance. This is normal during a deployment.
         */
        DEFINITION_REPLACED(Status.LIMITED, false),
        /** The leader has no sharding strategy of the configured type. The current plan stays in effect. */
        STRATEGY_MISSING(Status.LIMITED, true),
        /**
         * The sharding strategy threw an exception, returned an invalid answer, or did not return. The current plan
         * stays in effect.
         */
        PLAN_REFUSED(Status.LIMITED, true),
        /**
         * A change of the item count was postponed because running items took too long to end. The leader tries again
         * later.
         */
        ITEM_COUNT_POSTPONED(Status.LIMITED, true),
        /**
         * The backfill of the job does not continue, because too many of its fires have failed, or because its node is
         * unreadable. The job itself runs as usual. Only the leader reports this reason.
         */
        BACKFILL_FAILED(Status.LIMITED, true),
        /**
         * Messages about alarms of the job were dropped, because a handler has not accepted messages for a long time.
         * The job itself runs as usual. Only the leader reports this reason, until the handler has accepted the next
         * message, which contains the number of dropped alarms.
         */
        ALARMS_DROPPED(Status.LIMITED, true),
        /**
         * The records of these items are unreadable or missing, and the items wait. Or the records were lost and
         * replaced: the item's fires up to the time in the text count as decided. This reason ends when the item has
         * run.
         */
        UNREADABLE_ITEMS(Status.LIMITED, true),
        /**
         * The records of these items say that all fires up to a time in the future were already completed or skipped.
         * The cause is a wrong clock. Until that time no fire of the items starts, unless an operator sets the cursors
         * back with {@link io.ostraka.api.operations.Command.SetBackCursor}.
         */
        FUTURE_ITEMS(Status.LIMITED, true),
        /**
         * These items are quarantined: too many of their fires failed in a row, or too many instances died while they
         * ran the same fire. The items wait for an operator to release them.
         */
        QUARANTINED_ITEMS(Status.LIMITED, true),
        /**
         * These items have no instance, because placement conditions or maximum item counts exclude every instance. The
         * items wait.
         */
        UNPLACED_ITEMS(Status.LIMITED, true),
        /**
         * The job was registered with a {@link OnceListener}, but no instance that hosts the job has one. Fires run
         * without the listener.
         */
        ONCE_LISTENER_MISSING(Status.LIMITED, true),
        /**
         * The code of these items is still running ten seconds after the engine cancelled it. The items wait until the
         * code returns.
         */
        STUCK_ITEMS(Status.LIMITED, true),
        /**
         * An operator has stopped the fire of these items, and their code is still running more than ten seconds later.
         * The items stay on this instance and wait until the code returns or the instance ends.
         */
        STOP_IGNORED(Status.LIMITED, true),
        /**
         * This process cannot start threads for these items. It keeps the items and tries again after pauses of up to
         * 30 s.
         */
        NO_THREADS(Status.LIMITED, true),
        /**
         * Runs of these items have no time limit and take unusually long: they have run for more than an hour, and the
         * time of the job's next fire has passed. If the job has no next fire, or if the next fire depends on the end
         * of the run, the reason appears after a day instead. Streaming jobs never have this reason.
         */
        LONG_RUNNING_ITEMS(Status.LIMITED, true),
        /**
         * These items are due and have waited ten seconds for a free slot, because more items are due than this process
         * may run at the same time. The items are not claimed while they wait.
         */
        NO_FREE_SLOT(Status.LIMITED, false),
        /** An operator has disabled these items. */
        DISABLED_ITEMS(Status.LIMITED, false),
        /**
         * An operator has disabled these instances for the job. The job's items run on the other instances that are
         * eligible for them.
         */
        DISABLED_INSTANCES(Status.LIMITED, false),
        /**
         * The plan assigns these items to this instance, but they still run in another session. The items wait until
         * those runs end.
         */
        WAITING_ITEMS(Status.LIMITED, false),
        /**
         * An instance with a newer version of this library reports a reason of a kind that this version does not know.
         * This kind occurs only in reports about other instances.
         */
        OTHER(Status.LIMITED, false),
        /**
         * These items could not start some fires in time, for example because their instance had died, and have
         * skipped those fires. The job runs as configured, so this reason has the status {@link Status#RUNNING}. It
         * lasts for ten minutes after the latest skip, and until each item has decided about a later fire.
         */
        SKIPPED_FIRES(Status.RUNNING, false);

        private final Status status;
        private final boolean needsAttention;

        Kind(Status status, boolean needsAttention) {
            this.status = status;
            this.needsAttention = needsAttention;
        }

        /** Returns the status of a job that has only a reason of this kind. */
        public Status status() {
            return status;
        }

        /** Returns whether an operator must act on a reason of this kind. */
        public boolean needsAttention() {
            return needsAttention;
        }
    }
}
