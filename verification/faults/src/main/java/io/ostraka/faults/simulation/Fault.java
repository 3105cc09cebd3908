package io.ostraka.faults.simulation;

import java.time.Duration;

/**
 * A fault, or an action of an operator.
 *
 * @param number position in the scenario, which stays the same when other faults are removed
 * @param kind kind of fault
 * @param at time since the beginning of the scenario
 * @param steps number of steps between that time and the fault, so that the fault can happen between any two steps
 * @param seed seed for the choices that this fault makes, such as its target and its duration
 */
public record Fault(int number, Kind kind, Duration at, int steps, long seed) {
    /** Kinds of faults. */
    public enum Kind {
        /** An additional instance joins. */
        JOIN,
        /** A process dies. */
        KILL,
        /** An instance shuts down gracefully. */
        CLOSE,
        /** The server ends a session. */
        EXPIRE,
        /**
         * A session ends. Its process reconnects just when the other instances, whose requests are slow, are about to
         * take over its items.
         */
        OVERTAKE,
        /** The connection is lost for a while, possibly for longer than the session timeout. */
        CUT,
        /** A client treats its session as lost although the server keeps it. */
        ABANDON,
        /** A process is stopped for a while, possibly for longer than its session timeout. */
        STOP,
        /** The ensemble elects a new leader. */
        NEW_EPOCH,
        /** A transaction is lost on its way to the server. */
        LOSE_REQUEST,
        /** The reply to a transaction is lost. */
        LOSE_REPLY,
        /** Requests are late. */
        HOLD_REQUESTS,
        /** Replies are late. */
        HOLD_REPLIES,
        /** Watch notifications are late. */
        HOLD_WATCHES,
        /** A server has not received the latest transactions yet. */
        LAG,
        /** The network is slow. */
        LATENCY,
        /** The host's clock jumps. */
        JUMP,
        /** The leader's candidate node is deleted, and the leader learns this late. */
        DEPOSE,
        /** An operator pauses a job, or resumes it. */
        PAUSE,
        /** An operator changes the item count. */
        COUNT,
        /** An operator disables items, or enables them again. */
        DISABLE,
        /** An operator changes the schedule. */
        SCHEDULE,
        /** An operator removes a job, and restores it. */
        REMOVE,
        /** An instance stops hosting a job for a while. */
        UNREGISTER,
        /** A user triggers a job. */
        TRIGGER,
        /** A user triggers a job with a delay. */
        TRIGGER_LATER,
        /** An operator stops a fire, for one item or for all items. Only {@link ScenarioVariations} adds this fault. */
        STOP_FIRE,
        /**
         * An operator skips the fires of a job up to a certain time, or resumes a job without its missed fires. Only
         * {@link ScenarioVariations} adds this fault and the next one.
         */
        SKIP_FIRES,
        /** A person sets the cursor of an idle item to the future, and an operator sets it back. */
        SET_BACK,
        /**
         * A person deletes the record of an item that does not run. Only {@link ScenarioVariations} adds this fault.
         */
        DELETE_RECORD,
        /**
         * An operator starts a backfill of a past period. Some time later, the operator may stop and resume it, and
         * repeat a request. Only {@link ScenarioVariations} adds this fault.
         */
        BACKFILL,
        /**
         * A platform gives a job another schedule with a higher revision, and each instance learns this at a different
         * time. Only {@link ScenarioVariations} adds this fault.
         */
        REDEFINE,
        /** An operator freezes the namespace for a while or until further notice, or thaws it. */
        FREEZE,
        /** An operator drains an instance, and ends the drain. */
        DRAIN,
        /** An operator evicts an instance. In some cases the engine of the instance has stopped making progress. */
        EVICT;

        /** Returns whether the fault is an operator's command for the whole namespace or for an instance. */
        boolean command() {
            return compareTo(FREEZE) >= 0;
        }
    }
}
