package io.ostraka.core.job;

import io.ostraka.core.decide.FireSituation.Interruption;
import io.ostraka.core.model.Run;
import io.ostraka.core.run.ItemRun;
import io.ostraka.core.run.RunEnd;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * State of an item in this instance. Each transition returns the next state; an event that does not concern a state leaves it
 * as it is. {@link HostedItem} alone keeps a state.
 */
sealed interface HostedState {
    /** Items that one transaction claimed. Their completions are sent together where possible. */
    final class ClaimedBatch {
        private int unfinished;
        private int waitingForThread;
        private long waitingSince;
        private long longestWait;

        /** Records that a run waits for a thread from this monotonic time on. Any thread. */
        synchronized void waits(long now) {
            waitingSince = waitingForThread++ == 0 ? now : waitingSince;
        }

        /** Records that a run has got its thread. Any thread. */
        synchronized void begins(long now) {
            longestWait = longestWait(now);
            waitingForThread--;
        }

        /** Returns the longest time, in nanoseconds, that a run waited for a thread. Any thread. */
        synchronized long longestWait(long now) {
            return waitingForThread == 0 ? longestWait : Math.max(longestWait, now - waitingSince);
        }
    }

    /** Run of an item, from its claim to its completion. */
    final class ActiveRun {
        private final ItemRun run;
        private final ClaimedBatch batch;
        private boolean runningNode = true;
        private boolean failoverNode;
        private boolean overlong;
        private boolean fenced;
        private boolean completesAlone;
        private @Nullable RunEnd end;
        private @Nullable Instant endedAt;

        ActiveRun(ItemRun run, ClaimedBatch batch) {
            this.run = run;
            this.batch = batch;
            batch.unfinished++;
        }

        ItemRun run() {
            return run;
        }

        ClaimedBatch batch() {
            return batch;
        }

        /** Returns whether the claim in a record is this run's. */
        boolean claimedBy(@Nullable Run claim) {
            return claim != null && claim.nonce().equals(run.claim().nonce());
        }

        /** Records the nodes that were read with the item's record. */
        void nodes(boolean running, boolean failover) {
            runningNode = running;
            failoverNode = failover;
        }

        /** Returns whether this session holds the running node. */
        boolean runningNode() {
            return runningNode;
        }

        /** Returns whether a failover node exists. */
        boolean failoverNode() {
            return failoverNode;
        }

        /** Records that the user's code has returned; returns true if it was the last of its batch. */
        boolean returned(RunEnd how, Instant at) {
            end = how;
            endedAt = at;
            return --batch.unfinished <= 0;
        }

        /** Returns how the run ended; null while the user's code runs. */
        @Nullable RunEnd end() {
            return end;
        }

        /** Returns when the user's code returned; null while it runs. */
        @Nullable Instant endedAt() {
            return endedAt;
        }

        /** Records that another instance has the item; returns true the first time. */
        boolean fence() {
            boolean first = !fenced;
            fenced = true;
            return first;
        }

        /** Marks a run that takes too long; returns true the first time. */
        boolean markOverlong() {
            boolean first = !overlong;
            overlong = true;
            return first;
        }

        boolean overlong() {
            return overlong;
        }

        /** Has the run completed by itself, without the next claim in its transaction. */
        void completeAlone() {
            completesAlone = true;
        }

        boolean completesAlone() {
            return completesAlone;
        }
    }

    /** Returns the run of the item in this instance; null if there is none. */
    default @Nullable ActiveRun run() {
        return null;
    }

    /** Returns the state after a request to read the item's nodes again; a request under way decides by itself. */
    default HostedState reread() {
        return new Unread(run());
    }

    /** Returns the state after another instance changed one of the item's nodes. */
    default HostedState nodesChanged() {
        return this;
    }

    /** Returns the state after the user's code has returned. */
    default HostedState returned(boolean recordKnown) {
        return this;
    }

    /** Returns the state after ZooKeeper rejected the transaction under way. */
    default HostedState rejected() {
        return this;
    }

    /** The item's nodes must be read before anything else. */
    record Unread(@Override @Nullable ActiveRun run) implements HostedState {}

    /**
     * The item's nodes are being read.
     *
     * @param outdated true if a node changed since the request was sent, so that the reply may be older
     */
    record Reading(@Override @Nullable ActiveRun run, boolean outdated) implements HostedState {
        @Override
        public HostedState reread() {
            return this;
        }

        @Override
        public HostedState nodesChanged() {
            return new Reading(run, true);
        }
    }

    /**
     * The record is known, and the next fire of the item may be claimed.
     *
     * @param interruption how the last claim of the item was interrupted
     * @param failoverNode whether a failover node offers the item to this instance
     * @param quietUntil time of the next decision about the item
     */
    record Idle(Interruption interruption, boolean failoverNode, Instant quietUntil) implements HostedState {
        /** State of an item whose record this instance has just written. */
        static final Idle WRITTEN = new Idle(Interruption.NONE, false, Instant.MIN);

        Idle quietUntil(Instant at) {
            return new Idle(interruption, failoverNode, at);
        }
    }

    /**
     * Another session runs the item, or its record cannot be used; a watch or a later resync reports when that has changed.
     *
     * @param run run of this instance that has ended and cannot be completed yet; null for none
     */
    record Foreign(@Override @Nullable ActiveRun run) implements HostedState {
        @Override
        public HostedState nodesChanged() {
            return reread();
        }
    }

    /** A transaction with a claim or a decision not to run is under way. */
    record Claiming(Idle before) implements HostedState {
        @Override
        public HostedState reread() {
            return this;
        }

        @Override
        public HostedState rejected() {
            return before;
        }
    }

    /** This instance is restoring or handing over the record. The item's nodes are read again afterwards. */
    record Restoring(@Override @Nullable ActiveRun run) implements HostedState {
        @Override
        public HostedState reread() {
            return this;
        }
    }

    /** The user's code runs. */
    record Running(@Override ActiveRun run) implements HostedState {
        @Override
        public HostedState returned(boolean recordKnown) {
            return recordKnown ? new Ended(run) : new Unread(run);
        }
    }

    /** The user's code has returned, and the completion is to be sent. */
    record Ended(@Override ActiveRun run) implements HostedState {}

    /** A transaction with the completion is under way, alone or with the next claim. */
    record Completing(@Override ActiveRun run) implements HostedState {
        @Override
        public HostedState reread() {
            return this;
        }

        @Override
        public HostedState rejected() {
            return new Ended(run);
        }
    }
}
