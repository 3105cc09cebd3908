package io.ostraka.core.coordination;

import org.jspecify.annotations.Nullable;

/** Result of a transaction on plans, items or instances. */
public sealed interface TransactionResult {
    /** All changes were made. Versions and fencing tokens are derived from the transaction number in {@code commit}. */
    record Done(Outcome.Committed commit) implements TransactionResult {}

    /**
     * No change was made, because a node was not in the expected state.
     *
     * @param about kind of the node that must be read again
     * @param item key of the item to which the node belongs; null if it belongs to no item
     */
    record Outdated(About about, @Nullable String item) implements TransactionResult {}

    /**
     * No change was made. The same transaction will be rejected again until its size or the server's settings change.
     *
     * @param tooLarge true if the transaction is too large; false if access rights, quotas or throttling are the reason
     */
    record Refused(boolean tooLarge) implements TransactionResult {}

    /** The answer was lost. Either all changes were made or none. Only a read in the same session can show which. */
    record Unknown() implements TransactionResult {}

    /** Kinds of nodes that can be outdated. */
    enum About {
        /** The node of the deciding instance was deleted. */
        INSTANCE,
        /** The plan has changed. */
        PLAN,
        /** The item's record has changed. */
        RECORD,
        /** The item's running node is not as expected. */
        RUNNING,
        /** The item's failover node is not as expected. */
        HANDOVER,
        /** The fire's progress has changed. */
        FIRE,
        /** The trigger was deleted. */
        TRIGGER,
        /** The job is no longer registered. */
        DEFINITION,
        /** The node of the item's checkpoint or reported progress was created or deleted in the meantime. */
        LEFT_BEHIND,
        /** The override has changed. */
        OVERRIDE,
        /** The stop exists already, or was deleted. */
        STOP,
        /** The backfill has changed. */
        BACKFILL,
        /** The alarms of the job or of the namespace have changed. */
        ALARMS,
        /** The operators' orders for the namespace have changed. */
        ORDERS,
        /** The instance is no longer the leader. */
        LEADERSHIP
    }
}
