package io.ostraka.core.job;

import io.ostraka.core.decide.FireSituation.Interruption;
import io.ostraka.core.model.Run;
import io.ostraka.core.run.ItemRun;
import io.ostraka.core.run.RunEnd;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * State of an item in this instance. Each transition method returns the next state. By default, {@link #reread} returns
 * an unread state, and the other methods return the current state. Only {@link HostedItem} stores a state.
 */
sealed interface HostedItemState {
    /** Runs that were claimed in one transaction. Their completions are sent together where possible. */
    final class ClaimedBatch {
        private int unfinished;
        private boolean triggered;
        private int waitingForThread;
        private long waitingSince;
        private long longestWait;

        /** Called before a run of a triggered fire starts. Returns true only for the first one of the batch. */
        boolean beginsTriggered() {
            boolean first = !triggered;
            triggered = true;
            return first;
        }

        /**
         * Records that a run has begun to wait for a thread at the given monotonic time. May be called on any thread.
         */
        synchronized void waits(long now) {
            waitingSince = waitingForThread++ == 0 ? now : waitingSince;
        }

        /** Records that a run has got its thread at the given monotonic time. May be called on any thread. */
        synchronized void begins(long now) {
            longestWait = longestWait(now);
            waitingForThread--;
        }

        /**
         * Returns the longest time, in nanoseconds, that a run of the batch has waited for a thread. May be called on
         * any thread.
         */
        synchronized long longestWait(long now) {
            return waitingForThread == 0 ? longestWait : Math.max(longestWait, now - waitingSince);
        }
    }

    /** Run of an item, from its claim until its completion is recorded. */
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

        /**
         * Returns whether a claim has the same nonce (the unique id of a claim) as the claim of this run; false for
         * null.
         */
        boolean claimedBy(@Nullable Run claim) {
            return claim != null && claim.nonce().equals(run.claim().nonce());
        }

        /** Records whether this session holds the item's running node, and whether the item has a failover node. */
        void nodes(boolean running, boolean failover) {
            runningNode = running;
            failoverNode = failover;
        }

        boolean runningNode() {
            return runningNode;
        }

        boolean failoverNode() {
            return failoverNode;
        }

        /** Records that the user's code has returned. Returns true if no other run of the batch still executes. */
        boolean returned(RunEnd how, Instant at) {
            end = how;
            endedAt = at;
            return --batch.unfinished <= 0;
        }

        /** Returns the result of the run; null while the user's code runs. */
        @Nullable RunEnd end() {
            return end;
        }

        /** Returns the time at which the user's code returned; null while it runs. */
        @Nullable Instant endedAt() {
            return endedAt;
        }

        /** Records that another instance has claimed the item. Returns true on the first call. */
        boolean fence() {
            boolean first = !fenced;
            fenced = true;
            return first;
        }

        /** Marks a run that takes too long. Returns true on the first call. */
        boolean markOverlong() {
            boolean first = !overlong;
            overlong = true;
            return first;
        }

        boolean overlong() {
            return overlong;
        }

        /**
         * Makes the completion of the run a separate transaction. The item's next claim follows in a later transaction.
         */
        void completeAlone() {
            completesAlone = true;
        }

        boolean completesAlone() {
            return completesAlone;
        }
    }

    /** Returns the item's run in this instance; null if there is none. */
    default @Nullable ActiveRun run() {
        return null;
    }

    /**
     * Returns the state after a request to reread the item's nodes. States in which a reply is pending ignore the
     * request, because the reply determines the next state.
     */
    default HostedItemState reread() {
        return new Unread(run());
    }

    /** Returns the state after another instance has changed one of the item's nodes. */
    default HostedItemState nodesChanged() {
        return this;
    }

    default HostedItemState returned(boolean recordKnown) {
        return this;
    }

    /** Returns the state after ZooKeeper has rejected the pending transaction. */
    default HostedItemState rejected() {
        return this;
    }

    /** The item's nodes must be read before the engine decides anything about the item. */
    record Unread(@Override @Nullable ActiveRun run) implements HostedItemState {}

    /**
     * A read of the item's nodes is under way.
     *
     * @param outdated true if a node has changed since the read was sent; the reply may then be older than the change
     * @param plan version of the plan when the read was sent; null if that plan did not assign the item to this
     *     instance
     */
    record Reading(@Override @Nullable ActiveRun run, boolean outdated, @Nullable Integer plan)
            implements HostedItemState {
        @Override
        public HostedItemState reread() {
            return this;
        }

        @Override
        public HostedItemState nodesChanged() {
            return new Reading(run, true, plan);
        }
    }

    /**
     * The record is known, and the item may start its next fire.
     *
     * @param interruption how the run in the item's record was interrupted
     * @param failoverNode true if the item has a failover node, which hands the item over to this instance
     * @param quietUntil earliest time of the next decision about the item
     * @param inLine true if the item is due and waits for a slot. It decides again when it is its turn
     */
    record Idle(Interruption interruption, boolean failoverNode, Instant quietUntil, boolean inLine)
            implements HostedItemState {
        Idle(Interruption interruption, boolean failoverNode, Instant quietUntil) {
            this(interruption, failoverNode, quietUntil, false);
        }

        static final Idle WRITTEN = new Idle(Interruption.NONE, false, Instant.MIN);

        Idle quietUntil(Instant at) {
            return new Idle(interruption, failoverNode, at);
        }

        Idle standInLine() {
            return new Idle(interruption, failoverNode, Instant.MIN, true);
        }
    }

    /**
     * Another session runs the item, or the item's record is unusable. The item is read again after a watch event or in
     * a full resync.
     *
     * @param run ended run of this instance whose completion cannot be recorded yet; null if there is none
     */
    record Foreign(@Override @Nullable ActiveRun run) implements HostedItemState {
        @Override
        public HostedItemState nodesChanged() {
            return reread();
        }
    }

    /**
     * A transaction with a claim, or with the decision to skip a fire, is under way.
     *
     * @param before state to which the item returns if ZooKeeper rejects the transaction
     */
    record Claiming(Idle before) implements HostedItemState {
        @Override
        public HostedItemState reread() {
            return this;
        }

        @Override
        public HostedItemState rejected() {
            return before;
        }
    }

    /** This instance is restoring the record or handing the item over. It reads the item's nodes again afterwards. */
    record Restoring(@Override @Nullable ActiveRun run) implements HostedItemState {
        @Override
        public HostedItemState reread() {
            return this;
        }
    }

    /** The item was claimed, and the user's code has not returned yet. */
    record Running(@Override ActiveRun run) implements HostedItemState {
        @Override
        public HostedItemState returned(boolean recordKnown) {
            return recordKnown ? new Ended(run) : new Unread(run);
        }
    }

    /** The user's code has returned, and the completion of the run has not been sent. */
    record Ended(@Override ActiveRun run) implements HostedItemState {}

    /** A transaction with the run's completion is under way. It may also contain the next claim. */
    record Completing(@Override ActiveRun run) implements HostedItemState {
        @Override
        public HostedItemState reread() {
            return this;
        }

        @Override
        public HostedItemState rejected() {
            return new Ended(run);
        }
    }
}
