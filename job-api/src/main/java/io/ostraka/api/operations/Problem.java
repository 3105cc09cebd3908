package io.ostraka.api.operations;

import io.ostraka.api.AlarmKind;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A situation that needs a person, with the actions that mend it. Immutable.
 *
 * @param job name of the job; null if the situation concerns the namespace or an instance
 * @param kind kind of the situation. A job can have several of the kinds {@link Kind#OVERRIDE} and {@link
 *     Kind#FAILED_ITEMS}, and one of each other kind
 * @param level urgency, which follows from the kind. {@link Level#NOTE} if an operator has silenced all current alarms
 *     about the situation
 * @param text description in one sentence, without the name of the job
 * @param details further sentences, for example the latest errors; may be empty
 * @param since start of the situation; null if unknown
 * @param instances ids of the instances that report the situation or cause it, or that run the affected items; may be
 *     empty. Unmodifiable
 * @param items keys of the affected items as their records show them; may be empty
 * @param alarms kinds of the current alarms about the situation that are not silenced; unmodifiable
 * @param remedies actions that mend the situation, the most likely one first; at least one
 */
public record Problem(
        @Nullable String job,
        Kind kind,
        Level level,
        String text,
        List<String> details,
        @Nullable Instant since,
        Set<String> instances,
        List<String> items,
        Set<AlarmKind> alarms,
        List<Remedy> remedies) {
    /** Copies the collections. */
    public Problem {
        details = List.copyOf(details);
        instances = Collections.unmodifiableSet(new TreeSet<>(instances));
        items = List.copyOf(items);
        alarms = Collections.unmodifiableSet(new TreeSet<>(alarms));
        remedies = List.copyOf(remedies);
    }

    /** Urgencies, most urgent first. */
    public enum Level {
        /** Work has stopped or will stop, and no operator wants that. */
        ERROR,
        /** An operator has stopped work, or it differs from the definition; or the situation may become an error. */
        WARNING,
        /** A fact that an operator may want to know. */
        NOTE
    }

    /**
     * An action that mends a problem.
     *
     * @param text description of the action. It may describe an action outside of this library
     * @param operation the command, or the view that shows more; null if there is none
     * @param command the command; null if the operation is a view or null
     */
    public record Remedy(String text, @Nullable Operation operation, @Nullable Command command) {
        /** Returns an action without an operation. */
        public static Remedy of(String text) {
            return new Remedy(text, null, null);
        }

        /** Returns a command as an action. */
        public static Remedy of(String text, Command command) {
            return new Remedy(text, Operation.of(command), command);
        }

        /** Returns a view as an action. */
        public static Remedy show(String text, Operation view) {
            return new Remedy(text, view, null);
        }
    }

    /**
     * Kinds of problems. Each reason of a job's health has the kind with its name in {@link
     * io.ostraka.api.JobHealth.Kind}, which describes it.
     */
    public enum Kind {
        /** See {@link io.ostraka.api.JobHealth.Kind#NOT_REGISTERED}. */
        NOT_REGISTERED(Level.WARNING),
        /** See {@link io.ostraka.api.JobHealth.Kind#DISCONNECTED}. */
        DISCONNECTED(Level.WARNING),
        /** See {@link io.ostraka.api.JobHealth.Kind#DEFECT}. */
        DEFECT(Level.ERROR),
        /** See {@link io.ostraka.api.JobHealth.Kind#REFUSED}. */
        REFUSED(Level.ERROR),
        /** See {@link io.ostraka.api.JobHealth.Kind#NO_PLAN}. */
        NO_PLAN(Level.ERROR),
        /** See {@link io.ostraka.api.JobHealth.Kind#NO_HOST}. */
        NO_HOST(Level.ERROR),
        /** See {@link io.ostraka.api.JobHealth.Kind#REMOVED}. */
        REMOVED(Level.NOTE),
        /** See {@link io.ostraka.api.JobHealth.Kind#CLOSING}. */
        CLOSING(Level.WARNING),
        /** See {@link io.ostraka.api.JobHealth.Kind#PAUSED}. */
        PAUSED(Level.WARNING),
        /** See {@link io.ostraka.api.JobHealth.Kind#FROZEN}. */
        FROZEN(Level.WARNING),
        /** See {@link io.ostraka.api.JobHealth.Kind#DRAINED}. */
        DRAINED(Level.WARNING),
        /** See {@link io.ostraka.api.JobHealth.Kind#ITEM_COUNT_CHANGING}. */
        ITEM_COUNT_CHANGING(Level.WARNING),
        /**
         * The clock of an instance is more than 10 s ahead of ZooKeeper's clock, so the instance gets no items. Its
         * jobs do not have this problem, because other instances run their items.
         */
        CLOCK_AHEAD(Level.ERROR),
        /** See {@link io.ostraka.api.JobHealth.Kind#PLANNING_DEFECT}. */
        PLANNING_DEFECT(Level.ERROR),
        /** A node of the job or of the namespace is unreadable. */
        UNREADABLE(Level.ERROR),
        /** See {@link io.ostraka.api.JobHealth.Kind#UNREADABLE_TRIGGER}. */
        UNREADABLE_TRIGGER(Level.ERROR),
        /** See {@link io.ostraka.api.JobHealth.Kind#CONFIGURATION_REFUSED}. */
        CONFIGURATION_REFUSED(Level.ERROR),
        /** See {@link io.ostraka.api.JobHealth.Kind#NO_FIRES}. */
        NO_FIRES(Level.ERROR),
        /** See {@link io.ostraka.api.JobHealth.Kind#DEFINITION_REPLACED}. */
        DEFINITION_REPLACED(Level.NOTE),
        /** See {@link io.ostraka.api.JobHealth.Kind#STRATEGY_MISSING}. */
        STRATEGY_MISSING(Level.ERROR),
        /** See {@link io.ostraka.api.JobHealth.Kind#PLAN_REFUSED}. */
        PLAN_REFUSED(Level.ERROR),
        /** See {@link io.ostraka.api.JobHealth.Kind#ITEM_COUNT_POSTPONED}. */
        ITEM_COUNT_POSTPONED(Level.ERROR),
        /** See {@link io.ostraka.api.JobHealth.Kind#BACKFILL_FAILED}. */
        BACKFILL_FAILED(Level.ERROR),
        /** See {@link io.ostraka.api.JobHealth.Kind#ALARMS_DROPPED}. */
        ALARMS_DROPPED(Level.ERROR),
        /** See {@link io.ostraka.api.JobHealth.Kind#UNREADABLE_ITEMS}. */
        UNREADABLE_ITEMS(Level.ERROR),
        /** See {@link io.ostraka.api.JobHealth.Kind#FUTURE_ITEMS}. */
        FUTURE_ITEMS(Level.ERROR),
        /** Items are quarantined, and no operator has disabled them. */
        QUARANTINED_ITEMS(Level.ERROR),
        /** See {@link io.ostraka.api.JobHealth.Kind#UNPLACED_ITEMS}. */
        UNPLACED_ITEMS(Level.ERROR),
        /** See {@link io.ostraka.api.JobHealth.Kind#ONCE_LISTENER_MISSING}. */
        ONCE_LISTENER_MISSING(Level.ERROR),
        /** See {@link io.ostraka.api.JobHealth.Kind#STUCK_ITEMS}. */
        STUCK_ITEMS(Level.ERROR),
        /** See {@link io.ostraka.api.JobHealth.Kind#STOP_IGNORED}. */
        STOP_IGNORED(Level.ERROR),
        /** See {@link io.ostraka.api.JobHealth.Kind#NO_THREADS}. */
        NO_THREADS(Level.ERROR),
        /**
         * Runs of items take very long: an instance or an alarm reports it, or a run takes three times as long as
         * usual and more than ten minutes.
         */
        LONG_RUNNING_ITEMS(Level.ERROR),
        /** See {@link io.ostraka.api.JobHealth.Kind#NO_FREE_SLOT}. */
        NO_FREE_SLOT(Level.NOTE),
        /** See {@link io.ostraka.api.JobHealth.Kind#DISABLED_ITEMS}. */
        DISABLED_ITEMS(Level.NOTE),
        /** See {@link io.ostraka.api.JobHealth.Kind#DISABLED_INSTANCES}. */
        DISABLED_INSTANCES(Level.NOTE),
        /** See {@link io.ostraka.api.JobHealth.Kind#WAITING_ITEMS}. */
        WAITING_ITEMS(Level.NOTE),
        /** See {@link io.ostraka.api.JobHealth.Kind#OTHER}. */
        OTHER(Level.NOTE),
        /** See {@link io.ostraka.api.JobHealth.Kind#SKIPPED_FIRES}. */
        SKIPPED_FIRES(Level.NOTE),

        /** The job has no plan, and no instance reports a reason. This is normal for seconds after a registration. */
        UNPLANNED(Level.WARNING),
        /** An operator has skipped future fires of the job. */
        SKIPS_FIRES(Level.NOTE),
        /** The leader has not copied the latest command for the job into the plan yet. */
        CHANGE_PENDING(Level.NOTE),
        /** The instance that ran items has shut down or lost its session, and no instance has taken them over. */
        INTERRUPTED_ITEMS(Level.WARNING),
        /** Items have no instance now, and no instance reports a reason. This is normal for seconds. */
        UNASSIGNED_ITEMS(Level.WARNING),
        /** Runs of items take three times as long as usual, or longer than two minutes if there is no earlier run. */
        SLOW_ITEMS(Level.WARNING),
        /** The last runs of items did not succeed. */
        FAILED_ITEMS(Level.WARNING),
        /** Items are quarantined, and an operator has disabled them. */
        QUARANTINED_DISABLED_ITEMS(Level.NOTE),
        /** An override replaces a value of the definition. */
        OVERRIDE(Level.WARNING),
        /** An override has the value of the definition. */
        OVERRIDE_WITHOUT_EFFECT(Level.NOTE),
        /** An override of the fence epoch is in effect, which is permanent. */
        FENCE_EPOCH(Level.NOTE),
        /** An operator has silenced alarms of the job. */
        SILENCED(Level.NOTE),
        /** An alarm of the kind {@link AlarmKind#MISSED}. */
        MISSED(Level.ERROR),
        /** An alarm of the kind {@link AlarmKind#LATE}. */
        LATE(Level.ERROR),
        /** An alarm of the kind {@link AlarmKind#FAILING} about other items than quarantined ones. */
        FAILING(Level.ERROR),
        /** An alarm of the kind {@link AlarmKind#HISTORY_LOST}. */
        HISTORY_LOST(Level.ERROR),

        /** No instance is registered. */
        NO_INSTANCE(Level.ERROR),
        /** No instance leads. This is normal for seconds. */
        NO_LEADER(Level.WARNING),
        /** An instance reports a problem of its own. */
        INSTANCE_PROBLEM(Level.ERROR),
        /** The health report of an instance is incomplete, so the instance may have further problems. */
        HEALTH_GAP(Level.WARNING),
        /** An instance that has shut down or lost its session still owns items. This is normal for seconds. */
        INSTANCE_GONE(Level.WARNING),
        /** So many jobs have problems that the list contains only some of these jobs. */
        MORE_JOBS(Level.WARNING),
        /** The namespace has so many jobs that the runs of some jobs are not checked. */
        UNCHECKED_JOBS(Level.NOTE);

        private final Level level;

        Kind(Level level) {
            this.level = level;
        }

        /** Returns the urgency of problems of this kind. */
        public Level level() {
            return level;
        }
    }
}
