package io.ostraka.api;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * How a job is in one instance, and why it is not running if it isn't. Immutable.
 *
 * @param job the job's name
 * @param hosted whether this instance hosts it; if not, this instance leads, and can't plan it as it should be
 * @param reasons what keeps it from running as configured, gravest first; empty when nothing does
 */
public record JobHealth(String job, boolean hosted, List<Reason> reasons) {
    /** Copies the reasons, gravest first. */
    public JobHealth {
        reasons = reasons.stream()
                .sorted(Comparator.comparing((Reason reason) -> reason.kind().status())
                        .reversed()
                        .thenComparing(Reason::kind))
                .toList();
    }

    /** Returns the status that the reasons come to. */
    public Status status() {
        return reasons.isEmpty() ? Status.RUNNING : reasons.get(0).kind().status();
    }

    /** Returns the reason of a kind, if it is one. */
    public Optional<Reason> reason(Kind kind) {
        return reasons.stream().filter(reason -> reason.kind == kind).findFirst();
    }

    /** Degrees to which a job runs. */
    public enum Status {
        /** As it is configured. */
        RUNNING,
        /** In part, or by an older configuration. */
        LIMITED,
        /** No scheduled fire of it starts on this instance. */
        STOPPED
    }

    /**
     * One thing that keeps a job from running as configured.
     *
     * @param kind what it is
     * @param text the same for people: which items, which node, what to do
     * @param since when it was first seen, by this instance's clock
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
        /** ZooKeeper refuses what is written for the job: access rights, or the size of a request. */
        REFUSED(Status.STOPPED, true),
        /** There is no plan yet, no readable plan, or no instance that may have the items. */
        NO_PLAN(Status.STOPPED, false),
        /** No living instance has hosted the job for a minute, and it is not removed. The leader's health names it. */
        NO_HOST(Status.STOPPED, true),
        /** An operator has removed the job. */
        REMOVED(Status.STOPPED, false),
        /** The job is being closed in this instance. */
        CLOSING(Status.STOPPED, false),
        /** An operator has paused the job, or it was registered as paused. Manual triggers are served. */
        PAUSED(Status.STOPPED, false),
        /** The item count changes: nothing starts until what was begun under the old one has ended. */
        ITEM_COUNT_CHANGING(Status.STOPPED, false),
        /** This host's clock is too far ahead of ZooKeeper's. */
        CLOCK_AHEAD(Status.STOPPED, true),
        /** The leader itself has failed at planning the job, which should never be. The plan in force stays; it is tried again. */
        PLANNING_DEFECT(Status.LIMITED, true),
        /** A node of the job can't be read. What was read last stays in force. */
        UNREADABLE(Status.LIMITED, true),
        /** Definition and override make no configuration together. The last good one stays in force. */
        CONFIGURATION_REFUSED(Status.LIMITED, true),
        /**
         * The definition in force is another instance's and differs from the one that this instance has registered. Normal
         * during a deployment.
         */
        DEFINITION_REPLACED(Status.LIMITED, false),
        /** The leader has no strategy of the configured type. The plan in force stays. */
        STRATEGY_MISSING(Status.LIMITED, true),
        /** The strategy threw, gave no usable answer, or none at all. The plan in force stays. */
        PLAN_REFUSED(Status.LIMITED, true),
        /** A change of the item count has waited too long for what runs, and is tried again later. */
        ITEM_COUNT_POSTPONED(Status.LIMITED, true),
        /** Records of items can't be read or are missing. These items wait. */
        UNREADABLE_ITEMS(Status.LIMITED, true),
        /** By the records of these items, fires of the future are decided: a clock was wrong. */
        FUTURE_ITEMS(Status.LIMITED, true),
        /** Fires of these items have failed too often, or cost too many instances their lives. They wait for an operator. */
        QUARANTINED_ITEMS(Status.LIMITED, true),
        /** No instance may have these items: constraints or maxima leave no room for them. They wait. */
        UNPLACED_ITEMS(Status.LIMITED, true),
        /** The job was registered with a {@link OnceListener}, and no instance that hosts it has it. Its fires go on without. */
        ONCE_LISTENER_MISSING(Status.LIMITED, true),
        /** Code of these items was told to end and still runs ten seconds later. They wait until it returns. */
        STUCK_ITEMS(Status.LIMITED, true),
        /** This process can start no thread for these items. It keeps them and tries again, every 30 s at least. */
        NO_THREADS(Status.LIMITED, true),
        /**
         * Runs of these items have no time limit and take too long: for an hour or more, and past the job's next fire; where
         * no fire comes before a run ends, for a day or more. Streaming jobs never have this reason.
         */
        LONG_RUNNING_ITEMS(Status.LIMITED, true),
        /**
         * These items are due and have had no place for ten seconds: more is due than this process runs at once. They wait,
         * and nothing of them is claimed.
         */
        PLACELESS_ITEMS(Status.LIMITED, false),
        /** An operator has disabled these items. */
        DISABLED_ITEMS(Status.LIMITED, false),
        /** An operator has disabled these instances for the job. Its items are on others, as far as these may have them. */
        DISABLED_INSTANCES(Status.LIMITED, false),
        /** These items are this instance's, but another session still runs them. */
        WAITING_ITEMS(Status.LIMITED, false);

        private final Status status;
        private final boolean needsAttention;

        Kind(Status status, boolean needsAttention) {
            this.status = status;
            this.needsAttention = needsAttention;
        }

        /** Returns what it comes to by itself. */
        public Status status() {
            return status;
        }

        /** Returns whether an operator must act; the reason is logged as an error then. */
        public boolean needsAttention() {
            return needsAttention;
        }
    }
}
