package io.ostraka.core.coordination;

import org.jspecify.annotations.Nullable;

/** Result of a transaction in the terms of the protocol. */
public sealed interface TransactionResult {
    /** All changes are made; {@code commit} has the number from which versions and tokens follow. */
    record Done(Outcome.Committed commit) implements TransactionResult {}

    /**
     * No change is made, since a node was not in the expected state.
     *
     * @param about subject that must be read again
     * @param item key of the item; null if the subject is not an item
     */
    record Outdated(About about, @Nullable String item) implements TransactionResult {}

    /**
     * No change is made, and the same transaction will be refused again until something changes.
     *
     * @param tooLarge true if only the size is the reason; otherwise access rights, quotas or throttling are
     */
    record Refused(boolean tooLarge) implements TransactionResult {}

    /** All changes or none are made. Only a read in the same session shows which. */
    record Unknown() implements TransactionResult {}

    /** Subjects that can be outdated. */
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
        /** The job is no longer known. */
        DEFINITION,
        /** The checkpoint or the progress of the run was created or deleted meanwhile. */
        LEFT_BEHIND,
        /** The override was written meanwhile. */
        OVERRIDE,
        /** The leader has lost the leadership. */
        LEADERSHIP
    }
}
