package io.ostraka.api;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The state of a job in one instance, with the reasons for which the job does not run as configured. Immutable.
 *
 * @param job name of the job
 * @param hosted true if this instance hosts the job; false if this instance reports it as the leader because it cannot
 *     plan the job as configured
 * @param reasons reasons for which the job does not run as configured, most severe first; empty if it does.
 *     Unmodifiable
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

    /** Returns the status of the most severe reason, or {@link Status#RUNNING} if there is no reason. */
    public Status status() {
        return reasons.isEmpty() ? Status.RUNNING : reasons.get(0).kind().status();
    }

    /** Returns the reason of the given kind; empty if the job has none of that kind. */
    public Optional<Reason> reason(Kind kind) {
        return reasons.stream().filter(reason -> reason.kind == kind).findFirst();
    }

    /** Degrees to which a job runs. */
    public enum Status {
        /** The job runs as configured. */
        RUNNING,
        /** The job runs in part, or with an older configuration. */
        LIMITED,
        /** No scheduled fire of the job starts on this instance. */
        STOPPED
    }

    /**
     * A reason for which a job does not run as configured.
     *
     * @param kind kind of the reason
     * @param text description for people: the items or nodes concerned, and the required action
     * @param since time at which this instance first saw the reason, by its own clock
     */
    public record Reason(Kind kind, String text, Instant since) {}

    /** Kinds of reasons for which a job does not run as configured. */
    public enum Kind {
        /** ZooKeeper does not have the job's definition yet. The engine retries until it has. */
        NOT_REGISTERED(Status.STOPPED, false),
        /** There is no connection to ZooKeeper. Running items continue; no new item starts. */
        DISCONNECTED(Status.STOPPED, false),
        /** The engine itself has failed, which is a defect. The engine retries. */
        DEFECT(Status.STOPPED, true),
        /** ZooKeeper refuses writes for the job, because of access rights or the size of a request. */
        REFUSED(Status.STOPPED, true),
        /** The job has no plan yet, its plan is unreadable, or no instance may have its items. */
        NO_PLAN(Status.STOPPED, false),
        /**
         * No living instance has hosted the job for a minute, and the job is not removed. The leader's health reports
         * this reason.
         */
        NO_HOST(Status.STOPPED, true),
        /** An operator has removed the job. */
        REMOVED(Status.STOPPED, false),
        /** The job is being closed in this instance. */
        CLOSING(Status.STOPPED, false),
        /** An operator has paused the job, or it was registered as paused. Manual triggers still run. */
        PAUSED(Status.STOPPED, false),
        /** The item count is changing. No fire starts until all fires that began under the old count have ended. */
        ITEM_COUNT_CHANGING(Status.STOPPED, false),
        /** The clock of this machine is too far ahead of ZooKeeper's clock. */
        CLOCK_AHEAD(Status.STOPPED, true),
        /**
         * The leader failed while planning the job, which is a defect. The plan in force stays, and the leader retries.
         */
        PLANNING_DEFECT(Status.LIMITED, true),
        /** A node of the job is unreadable. The content that was read last stays in force. */
        UNREADABLE(Status.LIMITED, true),
        /**
         * Definition and override together make no valid configuration. The last valid configuration stays in force.
         */
        CONFIGURATION_REFUSED(Status.LIMITED, true),
        /**
         * The definition in force comes from another instance and differs from the definition that this instance
         * registered. This is normal during a deployment.
         */
        DEFINITION_REPLACED(Status.LIMITED, false),
        /** The leader has no strategy of the configured type. The plan in force stays. */
        STRATEGY_MISSING(Status.LIMITED, true),
        /** The strategy threw an exception, returned an invalid answer, or did not return. The plan in force stays. */
        PLAN_REFUSED(Status.LIMITED, true),
        /** A change of the item count has waited too long for running items. The leader tries again later. */
        ITEM_COUNT_POSTPONED(Status.LIMITED, true),
        /** Records of items are unreadable or missing. These items wait. */
        UNREADABLE_ITEMS(Status.LIMITED, true),
        /** The records of these items contain decided fires in the future, because a clock was wrong. */
        FUTURE_ITEMS(Status.LIMITED, true),
        /**
         * Fires of these items have failed too often, or too many instances died while running them. The items wait for
         * an operator.
         */
        QUARANTINED_ITEMS(Status.LIMITED, true),
        /** No instance may have these items: constraints or maximum counts exclude all instances. The items wait. */
        UNPLACED_ITEMS(Status.LIMITED, true),
        /**
         * The job was registered with a {@link OnceListener}, and no instance that hosts the job has this listener.
         * Fires run without it.
         */
        ONCE_LISTENER_MISSING(Status.LIMITED, true),
        /**
         * The code of these items still runs ten seconds after it was cancelled. The items wait until the code returns.
         */
        STUCK_ITEMS(Status.LIMITED, true),
        /** This process cannot start threads for these items. It keeps the items and retries, at least every 30 s. */
        NO_THREADS(Status.LIMITED, true),
        /**
         * Runs of these items have no time limit and take too long: an hour or more and past the job's next fire. If
         * the next fire depends on the end of the run, the limit is a day. Streaming jobs never have this reason.
         */
        LONG_RUNNING_ITEMS(Status.LIMITED, true),
        /**
         * These items are due and have waited ten seconds for a free slot: more items are due than this process may run
         * at the same time. Their fires are not claimed while they wait.
         */
        PLACELESS_ITEMS(Status.LIMITED, false),
        /** An operator has disabled these items. */
        DISABLED_ITEMS(Status.LIMITED, false),
        /**
         * An operator has disabled these instances for the job. Its items are on other instances, as far as those may
         * have them.
         */
        DISABLED_INSTANCES(Status.LIMITED, false),
        /** This instance owns these items, but another session still runs them. */
        WAITING_ITEMS(Status.LIMITED, false);

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

        /** Returns whether an operator must act. The engine logs reasons of such a kind as errors. */
        public boolean needsAttention() {
            return needsAttention;
        }
    }
}
