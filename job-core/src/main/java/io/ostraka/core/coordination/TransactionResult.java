package io.ostraka.core.coordination;

import org.jspecify.annotations.Nullable;

/** What became of a transaction, in terms of what it was about. */
public sealed interface TransactionResult {
    /** All of it holds; {@code commit} has its number, from which versions and tokens follow. */
    record Done(Outcome.Committed commit) implements TransactionResult {}

    /**
     * None of it holds: something is not as it was known.
     *
     * @param about what must be read again
     * @param item of which item; null where it is not about one
     */
    record Outdated(About about, @Nullable String item) implements TransactionResult {}

    /**
     * None of it holds, and the same will be refused again for as long as nothing changes.
     *
     * @param tooLarge whether that is for its size alone; otherwise access rights, quotas or throttling are in the way
     */
    record Refused(boolean tooLarge) implements TransactionResult {}

    /** All or none of it holds. Only reading, in the same session, tells. */
    record Unknown() implements TransactionResult {}

    /** What can be outdated. */
    enum About {
        /** The deciding instance's own node is gone. */
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
        /** The trigger is gone. */
        TRIGGER,
        /** The job is not known any more. */
        DEFINITION,
        /** What the item's run has left with it, its checkpoint or its progress, was created or deleted meanwhile. */
        LEFT_BEHIND,
        /** The override was written meanwhile. */
        OVERRIDE,
        /** The leader has lost its place. */
        LEADERSHIP
    }
}
