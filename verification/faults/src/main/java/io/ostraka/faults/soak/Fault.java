package io.ostraka.faults.soak;

import java.time.Duration;
import java.util.Locale;

/**
 * A fault that affects the processes of a soak for a while.
 *
 * @param number number of the fault in the plan
 * @param kind kind of fault
 * @param at beginning of the fault, measured from the beginning of the phase with faults
 * @param until end of the fault, measured in the same way
 * @param target number of the target: a worker's place, a job, or a server among those with the same role
 * @param amount value whose meaning depends on the kind: a number of milliseconds (a delay, the offset of a clock, the
 *     time between two fires, or the time until a trigger), an item, a number of items, or the items of a trigger as a
 *     bit set, in which 0 stands for all items
 */
public record Fault(int number, Kind kind, Duration at, Duration until, int target, int amount) {
    /** Targets of faults. Faults of the same target do not overlap. */
    public enum Layer {
        /** A worker's process. */
        PROCESS,
        /** A worker's connections to the servers. */
        NETWORK,
        /** A worker's wall clock. */
        CLOCK,
        /** The servers. */
        ENSEMBLE,
        /** A job, changed by an operator. */
        JOB,
        /** A job, triggered by a user. An operator may change the same job at the same time. */
        TRIGGER,
        /** The database of the history. */
        DATABASE
    }

    /** Kinds of faults. In each round of a plan, a kind occurs as often as its weight. */
    public enum Kind {
        /** Kill -9 of a worker; another worker replaces it. */
        WORKER_KILLED(Layer.PROCESS, 7, 500, 6_000),
        /**
         * Kill -9 of a worker during a call of its once-listener. The injection waits until the worker makes such a
         * call. This kind is not drawn at random; the plan contains it at fixed intervals.
         */
        TELLER_KILLED(Layer.PROCESS, 0, 16_500, 20_000),
        /** SIGSTOP of a worker, then SIGCONT after 0.3 to 3 session timeouts. */
        WORKER_STOPPED(Layer.PROCESS, 6, 1_200, 12_000),
        /** A worker shuts down gracefully, and another worker replaces it. */
        WORKER_REPLACED(Layer.PROCESS, 3, 500, 4_000),
        /** An additional worker joins, and later shuts down gracefully. */
        WORKER_JOINS(Layer.PROCESS, 3, 6_000, 20_000),
        /** All connections of a worker are reset. */
        CONNECTIONS_RESET(Layer.NETWORK, 5, 1, 2),
        /** Requests of a worker do not arrive, and neither side notices. */
        REQUESTS_HELD(Layer.NETWORK, 3, 500, 9_000),
        /** Replies of the servers do not arrive, and neither side notices. */
        REPLIES_HELD(Layer.NETWORK, 3, 500, 9_000),
        /**
         * Replies of the servers do not arrive, then the connections are reset. The worker cannot know whether the
         * servers have executed its requests.
         */
        REPLIES_LOST(Layer.NETWORK, 6, 50, 1_000),
        /** Requests and replies of a worker are late. */
        LATENCY(Layer.NETWORK, 3, 2_000, 10_000),
        /** The connections of a worker carry no data for a moment. */
        STALL(Layer.NETWORK, 3, 200, 2_500),
        /**
         * The sessions of two workers expire. These workers reconnect just when the other workers, which were cut off
         * as well, are about to take over their items.
         */
        OVERTAKEN(Layer.NETWORK, 2, 7_000, 9_000),
        /** Kill -9 of the leading server, then a restart. */
        LEADER_KILLED(Layer.ENSEMBLE, 3, 500, 6_000),
        /** Kill -9 of a server that does not lead, then a restart. */
        FOLLOWER_KILLED(Layer.ENSEMBLE, 3, 500, 6_000),
        /** Kill -9 of all servers, then a restart. */
        ALL_KILLED(Layer.ENSEMBLE, 1, 500, 10_000),
        /** SIGSTOP of the leading server, then SIGCONT. */
        LEADER_STOPPED(Layer.ENSEMBLE, 2, 500, 6_000),
        /** SIGSTOP of a server that does not lead, then SIGCONT. */
        FOLLOWER_STOPPED(Layer.ENSEMBLE, 2, 500, 6_000),
        /** SIGSTOP of all servers, then SIGCONT. */
        ALL_STOPPED(Layer.ENSEMBLE, 1, 500, 10_000),
        /**
         * Each flush of a log to disk is slow, either on the leader and one other server, or on all servers. In both
         * cases, the fast servers are too few for a majority.
         */
        SLOW_DISK(Layer.ENSEMBLE, 2, 2_000, 8_000),
        /** A worker's wall clock is wrong by up to five seconds. */
        CLOCK_OFF(Layer.CLOCK, 3, 4_000, 20_000),
        /** A worker's wall clock jumps by up to five seconds, and back soon after. */
        CLOCK_JUMP(Layer.CLOCK, 3, 100, 1_500),
        /** A job is paused, then resumed. */
        PAUSED(Layer.JOB, 3, 500, 12_000),
        /** The schedule of a job changes, then changes back. */
        RESCHEDULED(Layer.JOB, 2, 2_000, 12_000),
        /** The item count of a job changes, then changes back. */
        RESIZED(Layer.JOB, 3, 3_000, 15_000),
        /** An item is disabled, then enabled. */
        ITEM_DISABLED(Layer.JOB, 2, 500, 12_000),
        /** All or some items of a job are triggered. */
        TRIGGERED(Layer.TRIGGER, 6, 1, 2),
        /** A job is triggered with a delay of a few seconds. */
        TRIGGERED_LATER(Layer.TRIGGER, 3, 1, 2),
        /** Quarantined items are released. */
        RELEASED(Layer.TRIGGER, 5, 1, 2),
        /** Kill -9 of the database server, then a restart. {@link DatabaseFaults} plans the faults of the database. */
        DATABASE_KILLED(Layer.DATABASE, 0, 500, 10_000),
        /** SIGSTOP of the database server, then SIGCONT, before or after the driver stops waiting for an answer. */
        DATABASE_FROZEN(Layer.DATABASE, 0, 500, 15_000),
        /** The disk of the database server is full. */
        DATABASE_FULL(Layer.DATABASE, 0, 2_000, 12_000);

        private final Layer layer;
        private final int weight;
        private final int shortestMillis;
        private final int longestMillis;

        Kind(Layer layer, int weight, int shortestMillis, int longestMillis) {
            this.layer = layer;
            this.weight = weight;
            this.shortestMillis = shortestMillis;
            this.longestMillis = longestMillis;
        }

        /** Returns the target of this kind. */
        public Layer layer() {
            return layer;
        }

        int weight() {
            return weight;
        }

        int shortestMillis() {
            return shortestMillis;
        }

        int longestMillis() {
            return longestMillis;
        }

        /** Returns whether ZooKeeper cannot serve during the fault. */
        boolean isOutage() {
            return this == ALL_KILLED || this == ALL_STOPPED;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    /** Returns the planned duration. */
    Duration length() {
        return until.minus(at);
    }

    /** Returns the name of the target. Faults of targets with the same name do not overlap. */
    String targetName() {
        return targetName(kind.layer, target);
    }

    static String targetName(Layer layer, int target) {
        return layer + (layer == Layer.ENSEMBLE || layer == Layer.DATABASE ? "" : " " + target);
    }

    @Override
    public String toString() {
        return "#" + number + " " + kind + " " + target + " from " + at.toMillis() + " to " + until.toMillis() + " ms"
                + (amount == 0 ? "" : ", " + amount);
    }
}
