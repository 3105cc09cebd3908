package io.ostraka.faults.simulation;

import java.time.Duration;

/**
 * One thing that goes wrong, or that an operator wants.
 *
 * @param number within its scenario, however many of the others are left out
 * @param kind what it is
 * @param at when, from the beginning
 * @param steps how many steps after that moment: so that it may fall between any two
 * @param seed of its own choices: whom it strikes, for how long
 */
public record Fault(int number, Kind kind, Duration at, int steps, long seed) {
    /** What can happen. */
    public enum Kind {
        /** One more instance. */
        JOIN,
        /** A process dies. */
        KILL,
        /** An instance is shut down in good order. */
        CLOSE,
        /** The server ends a session. */
        EXPIRE,
        /** A session ends, and its process is back when those who take over, slow now, are about to. */
        OVERTAKE,
        /** The connection is lost for a while, maybe for longer than the session. */
        CUT,
        /** A client takes its session as lost while the server keeps it. */
        ABANDON,
        /** A process stands still for a while, maybe for longer than its session. */
        STOP,
        /** The ensemble elects a new leader. */
        NEW_EPOCH,
        /** A transaction is lost on its way. */
        LOSE_REQUEST,
        /** A transaction's answer is lost. */
        LOSE_REPLY,
        /** Requests are late. */
        HOLD_REQUESTS,
        /** Answers are late. */
        HOLD_REPLIES,
        /** Reports of watches are late. */
        HOLD_WATCHES,
        /** A server is behind. */
        LAG,
        /** The network is slow. */
        LATENCY,
        /** The host's clock jumps. */
        JUMP,
        /** The leader's candidate node goes, while the leader is told late. */
        DEPOSE,
        /** An operator pauses a job, or lets it go on. */
        PAUSE,
        /** An operator changes the item count. */
        COUNT,
        /** An operator disables items, or enables them. */
        DISABLE,
        /** An operator changes the schedule. */
        SCHEDULE,
        /** An operator removes a job, and brings it back. */
        REMOVE,
        /** An instance stops hosting a job for a while. */
        UNREGISTER,
        /** Someone triggers a job. */
        TRIGGER,
        /** Someone has a job triggered later. */
        TRIGGER_LATER
    }
}
