package io.ostraka.faults.soak;

import java.time.Duration;
import java.util.Locale;

/**
 * Something that befalls the processes of a soak for a while.
 *
 * @param number of its plan's
 * @param kind what befalls
 * @param at when it begins, from the beginning of the trouble
 * @param until when it is taken back
 * @param target place of the worker, number of the job, or number among the servers of its role
 * @param amount milliseconds of a delay, of a clock's offset between fires or until a trigger; an item, or a number of items; of a trigger
 *     its items, a bit each, or 0 for all
 */
public record Fault(int number, Kind kind, Duration at, Duration until, int target, int amount) {
    /** Whom a kind befalls; of faults that befall the same, one is over before the next begins. */
    public enum Layer {
        /** A worker's process. */
        PROCESS,
        /** A worker's ways to the servers. */
        NETWORK,
        /** A worker's wall clock. */
        CLOCK,
        /** The servers. */
        ENSEMBLE,
        /** A job, by an operator's hand. */
        JOB,
        /** A job, by whoever wants a run besides its schedule; whatever operators do with it meanwhile. */
        TRIGGER
    }

    /** What befalls. Its weight is how often it does, compared with others: as often in each round as that. */
    public enum Kind {
        /** Kill -9 of a worker; another comes in its place. */
        WORKER_KILLED(Layer.PROCESS, 7, 500, 6_000),
        /** Kill -9 of a worker inside of a call of its once-listener, for which is waited. Befalls every so often. */
        TELLER_KILLED(Layer.PROCESS, 0, 16_500, 20_000),
        /** SIGSTOP of a worker, for 0.3 to 3 session timeouts, then SIGCONT. */
        WORKER_STOPPED(Layer.PROCESS, 6, 1_200, 12_000),
        /** A worker leaves in good order, and another comes in its place. */
        WORKER_REPLACED(Layer.PROCESS, 3, 500, 4_000),
        /** One more worker comes, and leaves in good order. */
        WORKER_JOINS(Layer.PROCESS, 3, 6_000, 20_000),
        /** All connections of a worker are reset. */
        CONNECTIONS_RESET(Layer.NETWORK, 5, 1, 2),
        /** What a worker sends arrives nowhere, and nobody knows. */
        REQUESTS_HELD(Layer.NETWORK, 3, 500, 9_000),
        /** What the servers answer doesn't arrive, and nobody knows. */
        REPLIES_HELD(Layer.NETWORK, 3, 500, 9_000),
        /** What the servers answer doesn't arrive, then the connections are reset: what was sent may have been done. */
        REPLIES_LOST(Layer.NETWORK, 6, 50, 1_000),
        /** Everything between a worker and the servers is late. */
        LATENCY(Layer.NETWORK, 3, 2_000, 10_000),
        /** Nothing passes between a worker and the servers for a moment. */
        STALL(Layer.NETWORK, 3, 200, 2_500),
        /** Two workers' sessions expire, and they are back just when others, which were cut off, are about to take over. */
        OVERTAKEN(Layer.NETWORK, 2, 7_000, 9_000),
        /** Kill -9 of the leading server; it is started again. */
        LEADER_KILLED(Layer.ENSEMBLE, 3, 500, 6_000),
        /** Kill -9 of another server; it is started again. */
        FOLLOWER_KILLED(Layer.ENSEMBLE, 3, 500, 6_000),
        /** Kill -9 of all servers; they are started again. */
        ALL_KILLED(Layer.ENSEMBLE, 1, 500, 10_000),
        /** SIGSTOP of the leading server, then SIGCONT. */
        LEADER_STOPPED(Layer.ENSEMBLE, 2, 500, 6_000),
        /** SIGSTOP of another server, then SIGCONT. */
        FOLLOWER_STOPPED(Layer.ENSEMBLE, 2, 500, 6_000),
        /** SIGSTOP of all servers, then SIGCONT. */
        ALL_STOPPED(Layer.ENSEMBLE, 1, 500, 10_000),
        /** Each flush of the logs to their disks takes long, at the leader and another server or at all: no majority is faster. */
        SLOW_DISK(Layer.ENSEMBLE, 2, 2_000, 8_000),
        /** A worker's wall clock is wrong by up to five seconds. */
        CLOCK_OFF(Layer.CLOCK, 3, 4_000, 20_000),
        /** A worker's wall clock jumps by up to five seconds, and back soon after. */
        CLOCK_JUMP(Layer.CLOCK, 3, 100, 1_500),
        /** A job is paused, then resumed. */
        PAUSED(Layer.JOB, 3, 500, 12_000),
        /** A job gets another schedule, then its own again. */
        RESCHEDULED(Layer.JOB, 2, 2_000, 12_000),
        /** A job gets another item count, then its own again. */
        RESIZED(Layer.JOB, 3, 3_000, 15_000),
        /** An item is disabled, then enabled. */
        ITEM_DISABLED(Layer.JOB, 2, 500, 12_000),
        /** A job is triggered, all of it or some of its items. */
        TRIGGERED(Layer.TRIGGER, 6, 1, 2),
        /** A job is triggered for a few seconds later. */
        TRIGGERED_LATER(Layer.TRIGGER, 3, 1, 2),
        /** Items that are parked are released. */
        RELEASED(Layer.TRIGGER, 5, 1, 2);

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

        /** Returns whom it befalls. */
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

        /** Whether ZooKeeper can't serve meanwhile. */
        boolean isOutage() {
            return this == ALL_KILLED || this == ALL_STOPPED;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    /** Returns how long it lasts. */
    Duration length() {
        return until.minus(at);
    }

    /** Returns what it befalls; faults of one lane come one after the other. */
    String lane() {
        return lane(kind.layer, target);
    }

    static String lane(Layer layer, int target) {
        return layer + (layer == Layer.ENSEMBLE ? "" : " " + target);
    }

    @Override
    public String toString() {
        return "#" + number + " " + kind + " " + target + " from " + at.toMillis() + " to " + until.toMillis() + " ms"
                + (amount == 0 ? "" : ", " + amount);
    }
}
